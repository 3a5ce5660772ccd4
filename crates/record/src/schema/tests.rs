//! What a saved record must keep, and what reading one must refuse.

use super::*;
use crate::*;
use plan::stream::{Order, Queue, Spread, Stream, StreamRate, StreamShare};
use plan::{Ddir, Plan, Worker};
use proptest::prelude::*;
use std::sync::Arc;

fn worker(name: &str) -> Worker {
    Worker { name: name.to_owned(), ..Worker::default() }
}

fn stream() -> Stream {
    Stream {
        path: "/dev/null".into(),
        end_bytes: Some(u64::MAX),
        order: Order::Random { align_bytes: 4096, percent: 100 },
        spread: Spread::Absolute(vec![(10, 1 << 60), (90, 0)]),
        write_percent: 30,
        rate: StreamRate::BytesPerMs(0.1),
        ..Stream::default()
    }
}

/// A record with something in most places.
fn record(latencies: &[u64]) -> Record {
    let mut job = worker("a");
    job.streams.list = vec![stream()];
    job.streams.queues = vec![Queue { depth: 4, shares: vec![StreamShare { stream: 0, weight: 1 }] }];
    let plan = Plan { workers: vec![job, worker("b")], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 1_700_000_000_000);
    let stats = &mut record.workers[0].stats;
    for &ns in latencies {
        stats.ddirs[0].lat.record(ns);
        stats.ddirs[0].bandwidth_kib.record(ns as f64 / 3.0);
        stats.ddirs[0].ios += 1;
    }
    stats.targets = vec![TargetStats {
        path: "é \"x\"\n".into(),
        series: Some(Series { interval_ms: 1000, intervals: vec![Interval::default(); 2] }),
        ..TargetStats::default()
    }];
    record.say(Said::Warning("the file is in the cache".into()));
    record.phases = vec![PhaseRecord { measured_ns: u64::MAX, ..PhaseRecord::default() }];
    let mut timeline = Timeline::new(0, 1000, vec!["sda".into()]);
    let mut lat = CoarseHistogram::default();
    latencies.iter().for_each(|&ns| lat.record(ns));
    timeline.count((0, 2000), Ddir::Read, latencies.len() as u64, 77);
    timeline.count_lat((0, 2000), Ddir::Read, &lat);
    timeline.end(2000, &[(0, 2000)]);
    record.timeline = vec![timeline];
    record
}

fn shown(record: &Record) -> String {
    format!("{record:?}")
}

/// The saved text with one thing in it changed.
fn changed(from: &str, to: &str) -> Result<Record, Broken> {
    let text = write(&record(&[100, 200, 300])).expect("it can be written");
    assert!(text.contains(from), "{from} is not in {text}");
    read(text.replacen(from, to, 1).as_bytes())
}

#[test]
fn a_record_comes_back_as_it_was() {
    let before = record(&[0, 1, 127, 128, 1_000_000, u64::from(u32::MAX), u64::MAX]);
    let text = write(&before).expect("it can be written");
    let after = read(text.as_bytes()).expect("it can be read");
    assert_eq!(shown(&before), shown(&after));
    assert_eq!(text, write(&after).expect("it can be written again"));
}

#[test]
fn the_schema_and_the_command_line_come_first() {
    let text = write(&record(&[])).expect("it can be written");
    let heads: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(heads, ["{", " \"schema\": \"fathom.record/1\",", " \"command_line\": \"fio\","]);
}

#[test]
fn whole_numbers_that_a_double_rounds_are_strings() {
    let text = write(&record(&[u64::MAX])).expect("it can be written");
    let squares = u128::from(u64::MAX) * u128::from(u64::MAX);
    assert!(text.contains(&format!("\"sum_squares\": \"{squares}\"")), "{text}");
    assert!(text.contains("\"end_bytes\": \"18446744073709551615\""), "{text}");
    assert!(text.contains("\"sum_ns\": \"18446744073709551615\""), "{text}");
}

#[test]
fn numbers_in_strings_are_numbers_and_nothing_else() {
    assert!(changed("\"count\": 3", "\"count\": \"3\"").is_ok());
    for wrong in ["\"3x\"", "\"\"", "\"-3\"", "\"3.0\"", "3.0", "\"99999999999999999999999999999999999999999\""] {
        let error = changed("\"count\": 3", &format!("\"count\": {wrong}")).expect_err(wrong);
        assert!(error.at.is_some(), "{error}");
    }
}

#[test]
fn a_histogram_is_pairs_of_bin_and_count() {
    let text = write(&record(&[100, 100, 300])).expect("it can be written");
    assert!(text.contains("\"histogram\": [[100, 2], [203, 1]]"), "{text}");
}

#[test]
fn figures_that_contradict_one_another_are_refused() {
    for (from, to, why) in [
        ("\"count\": 3", "\"count\": 4", "4 values has 3"),
        ("[100, 1]", "[100, 2]", "3 values has 4"),
        ("[100, 1]", "[100, 0]", "don't add up"),
        ("[100, 1], [164, 1]", "[164, 1], [100, 1]", "out of order"),
        ("[203, 1]", "[99999, 1]", "beyond"),
        ("\"min_ns\": 100", "\"min_ns\": 99", "least and greatest"),
        ("\"max_ns\": 300", "\"max_ns\": 3000", "least and greatest"),
        ("\"sum_ns\": 600", "\"sum_ns\": 200", "the sum of a latency"),
        ("\"sum_squares\": 140000", "\"sum_squares\": 1", "the squares"),
        ("\"squares\": ", "\"squares\": -", "can't be"),
        ("\"until_ns\": 2000", "\"until_ns\": 9000", "2 slots of 1000 ns can't fill"),
        ("\"interval_ns\": 1000", "\"interval_ns\": 0", "can't fill"),
        ("\"phase\": 0,\n   \"from_ns\"", "\"phase\": 1,\n   \"from_ns\"", "of phase 1"),
        ("\n    \"sda\"\n", "", "of 0 devices"),
        ("\"stream\": 0", "\"stream\": 1", "is on stream 1"),
    ] {
        let error = changed(from, to).expect_err(to);
        assert!(error.message.contains(why), "{to}: {error}");
    }
    let mut short = record(&[]);
    short.workers.pop();
    let error = write(&short).expect_err("a worker without a record");
    assert_eq!(error.message, "the plan has 2 workers, but there are records of 1");
}

#[test]
fn a_figure_that_is_no_number_is_not_written() {
    let mut wrong = record(&[]);
    wrong.cpu_idle_percent = vec![f64::NAN];
    let error = write(&wrong).expect_err("no number");
    assert!(error.message.contains("null, expected f64"), "{error}");
}

#[test]
fn a_later_fathoms_fields_are_passed_over() {
    let record = changed("\"fathom\":", "\"weather\": {\"sun\": [1, {\"b\": null}]}, \"fathom\":");
    assert!(record.is_ok(), "{record:?}");
}

#[test]
fn other_documents_are_told_from_records() {
    let of = |text: &str| read(text.as_bytes()).expect_err(text).to_string();
    assert_eq!(
        of("{\"schema\": \"fathom.record/2\"}"),
        " the record is of schema `fathom.record/2`; this fathom reads `fathom.record/1`"
    );
    assert!(of("{\"schema\": \"x\"}").contains("not a record of fathom's"));
    assert!(of("{\"fio version\": \"fio-3.42\"}").contains("no record of fathom's"));
    assert_eq!(of("{\n \"schema\"; 1}"), "2:10: expected `:`");
    assert_eq!(of(""), "1:0: EOF while parsing a value");
    assert!(of("{\"schema\": \"fathom.record/1\"}").contains("missing field"));
}

#[test]
fn a_record_that_ends_early_says_where() {
    let text = write(&record(&[5])).expect("it can be written");
    let half = &text.as_bytes()[..text.len() / 2];
    let error = read(half).expect_err("half a record");
    assert!(error.at.is_some_and(|(line, _)| line > 10), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_latencies_come_back(latencies in prop::collection::vec(any::<u64>(), 0..40), bits in 3u32..64) {
        let latencies: Vec<u64> = latencies.iter().map(|ns| ns >> bits).collect();
        let before = record(&latencies);
        let after = read(write(&before)?.as_bytes())?;
        prop_assert!(shown(&before) == shown(&after));
    }

    #[test]
    fn no_broken_record_makes_reading_panic(
        at in any::<prop::sample::Index>(),
        cut in 0usize..20,
        put in prop::collection::vec(prop::sample::select(b"0123456789\"[]{},:-.eEnul \n\\\xff".to_vec()), 0..8),
    ) {
        let mut text = write(&record(&[100, 200, 300]))?.into_bytes();
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, put);
        if let Err(broken) = read(&text) {
            prop_assert!(!broken.to_string().is_empty());
        }
    }
}
