//! Saved records: what is kept, and what is refused.

use super::*;
use crate::*;
use plan::stream::{Order, Queue, Spread, Stream, StreamRate, StreamShare};
use plan::{Ddir, Load, Plan, Streams, Worker};
use proptest::prelude::*;
use std::sync::Arc;

fn worker(name: &str) -> Worker {
    Worker { name: name.to_owned(), ..Worker::default() }
}

fn stream() -> Stream {
    Stream {
        path: "/dev/null".into(),
        end_bytes: Some(u64::MAX),
        order: Order::Random { align_bytes: 4096 },
        spread: Spread::Absolute(vec![(10, 1 << 60), (90, 0)]),
        write_percent: 30,
        rate: StreamRate::BytesPerMs(0.1),
        ..Stream::default()
    }
}

/// A record with values in most fields.
fn record(latencies: &[u64]) -> Record {
    let mut job = worker("a");
    let queues = vec![Queue { depth: 4, shares: vec![StreamShare { stream: 0, weight: 1 }] }];
    job.load = Load::Threads(Streams { list: vec![stream()], queues, ..Streams::default() });
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
    record.add_message(Message::Warning(MessageKind::TargetIgnored { path: "f".into() }));
    record.phases = vec![PhaseRecord { measured_ns: u64::MAX, ..PhaseRecord::default() }];
    let mut timeline = Timeline::new(0, 1000, vec!["sda".into()]);
    let mut lat = SlotLatencies::default();
    latencies.iter().for_each(|&ns| lat.record(ns));
    timeline.count((0, 2000), Ddir::Read, latencies.len() as u64, 77);
    timeline.count_lat((0, 2000), Ddir::Read, &lat);
    timeline.count_response((0, 1500), Ddir::Read, &lat);
    timeline.count_syncs((0, 1500), &lat);
    timeline.end(2000, &[(0, 2000)]);
    record.timeline = vec![timeline];
    record
}

fn debug(record: &Record) -> String {
    format!("{record:?}")
}

/// Reads the saved text of a record after one replacement.
fn changed(from: &str, to: &str) -> Result<Record, SchemaError> {
    let text = write(&record(&[100, 200, 300])).expect("it can be written");
    assert!(text.contains(from), "{from} is not in {text}");
    read(text.replacen(from, to, 1).as_bytes())
}

#[test]
fn a_record_comes_back_as_it_was() {
    let before = record(&[0, 1, 127, 128, 1_000_000, u64::from(u32::MAX), u64::MAX]);
    let text = write(&before).expect("it can be written");
    let after = read(text.as_bytes()).expect("it can be read");
    assert_eq!(debug(&before), debug(&after));
    assert_eq!(text, write(&after).expect("it can be written again"));
}

#[test]
fn the_schema_and_the_command_line_come_first() {
    let text = write(&record(&[])).expect("it can be written");
    let heads: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(heads, ["{", " \"schema\": \"fathom.record/1\",", " \"command_line\": \"fio\","]);
}

#[test]
fn integers_that_a_double_rounds_are_strings() {
    let text = write(&record(&[u64::MAX])).expect("it can be written");
    let squares = u128::from(u64::MAX) * u128::from(u64::MAX);
    assert!(text.contains(&format!("\"sum_squares\": \"{squares}\"")), "{text}");
    assert!(text.contains("\"end_bytes\": \"18446744073709551615\""), "{text}");
    assert!(text.contains("\"sum_ns\": \"18446744073709551615\""), "{text}");
}

/// Integers up to 2^53 - 1 are numbers, larger ones are strings.
#[test]
fn integers_are_strings_beyond_a_doubles() {
    const LAST: u64 = (1 << 53) - 1;
    assert_eq!(
        write_document(&[LAST, LAST + 1]).expect("integers"),
        "[\n 9007199254740991,\n \"9007199254740992\"\n]\n"
    );
    let signed = write_document(&[LAST as i64, -(LAST as i64), -(LAST as i64) - 1]).expect("integers");
    assert_eq!(signed, "[\n 9007199254740991,\n -9007199254740991,\n \"-9007199254740992\"\n]\n");
    let wide = write_document(&[u128::from(LAST), u128::MAX]).expect("integers");
    assert_eq!(wide, format!("[\n 9007199254740991,\n \"{}\"\n]\n", u128::MAX));
    assert_eq!(read_document::<Vec<i64>>(signed.as_bytes()).expect("as written")[2], -(LAST as i64) - 1);
    assert_eq!(read_document::<Vec<u128>>(wide.as_bytes()).expect("as written")[1], u128::MAX);
    assert_eq!(read_document::<Vec<i64>>(b"[-5, 7]").expect("numbers"), [-5, 7]);
}

/// Four levels have lines. Deeper values stay on theirs.
#[test]
fn values_below_four_levels_are_on_one_line() {
    let nested = write_document(&vec![vec![vec![vec![vec![1, 2], vec![]], vec![]]]]).expect("lists");
    assert_eq!(nested, "[\n [\n  [\n   [\n    [1, 2],\n    []\n   ],\n   []\n  ]\n ]\n]\n");
    assert_eq!(write_document(&Vec::<u8>::new()).expect("a list"), "[]\n");
}

/// Each count is part of the sum that must fit into 64 bits.
#[test]
fn counts_beyond_64_bits_are_refused() {
    const HALF: u64 = 1 << 63;
    let changes: [fn(&mut Record); 24] = [
        |record| record.workers[0].nonfatal_errors = HALF,
        |record| record.workers[0].stats.syncs = HALF,
        |record| record.workers[0].stats.usage.context_switches = HALF,
        |record| record.workers[0].stats.usage.major_faults = HALF,
        |record| record.workers[0].stats.usage.minor_faults = HALF,
        |record| record.workers[0].stats.waits.completion = HALF,
        |record| record.workers[0].stats.waits.throttle_sleep = HALF,
        |record| record.workers[0].stats.waits.lookaside = HALF,
        |record| record.workers[0].stats.waits.lookaside_completions[7] = HALF,
        |record| record.workers[0].stats.depth.floor[7] = HALF,
        |record| record.workers[0].stats.submit.upto[6] = HALF,
        |record| record.workers[0].stats.complete.upto[0] = HALF,
        |record| record.workers[0].stats.ddirs[0].ios = HALF,
        |record| record.workers[0].stats.ddirs[1].bytes = HALF,
        |record| record.workers[0].stats.ddirs[2].dropped = HALF,
        |record| record.workers[0].stats.ddirs[2].arrivals = Some(Arrivals { late: HALF, ..Arrivals::default() }),
        |record| record.workers[0].stats.ddirs[1].clat.record_many(1, HALF),
        |record| record.workers[0].stats.sync_lat.record_many(1, HALF),
        |record| record.workers[0].stats.targets[0].ddirs[0].issued = HALF,
        |record| record.timeline[0].slots[0].ddirs[1].ios = HALF,
        |record| record.timeline[0].slots[1].ddirs[0].bytes = HALF,
        |record| record.timeline[0].slots[1].disks[0].ios[1] = HALF,
        |record| record.timeline[0].slots[1].disks[0].bytes[0] = HALF,
        |record| record.workers[0].stats.ddirs[0].short = HALF,
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut one = record(&[]);
        change(&mut one);
        assert!(check_record(&one).is_ok(), "half of the counts: {at}");
        one.workers[1].stats.ddirs[2].issued = HALF;
        let error = check_record(&one).expect_err("too many").message;
        assert!(error.contains("more than 64 bits"), "{at}: {error}");
    }
}

#[test]
fn phases_have_a_limit() {
    let of = |phase| {
        let plan = Plan { workers: vec![Worker { phase, ..worker("a") }], ..Plan::default() };
        check_record(&Record::new(Arc::new(plan), 0)).map_err(|error| error.message)
    };
    assert_eq!(of(65_535), Ok(()));
    assert_eq!(of(65_536), Err("worker `a` has phase 65536, the maximum is 65535".to_owned()));
}

#[test]
fn numbers_in_strings_are_numbers_and_nothing_else() {
    assert!(changed("\"count\": 3", "\"count\": \"3\"").is_ok());
    for wrong in ["\"3x\"", "\"\"", "\"-3\"", "\"3.0\"", "3.0", "\"99999999999999999999999999999999999999999\""] {
        let error = changed("\"count\": 3", &format!("\"count\": {wrong}")).expect_err(wrong);
        assert!(error.position.is_some(), "{error}");
    }
}

#[test]
fn a_histogram_is_pairs_of_bin_and_count() {
    let text = write(&record(&[100, 100, 300])).expect("it can be written");
    assert!(text.contains("\"histogram\": [[100, 2], [203, 1]]"), "{text}");
}

#[test]
fn contradicting_figures_are_refused() {
    for (from, to, why) in [
        ("\"count\": 3", "\"count\": 4", "4 values has a histogram of 3"),
        ("[100, 1]", "[100, 2]", "3 values has a histogram of 4"),
        ("[100, 1]", "[100, 0]", "don't add up"),
        ("[100, 1], [164, 1]", "[164, 1], [100, 1]", "out of order"),
        ("[203, 1]", "[99999, 1]", "beyond"),
        ("\"min_ns\": 100", "\"min_ns\": 99", "min_ns"),
        ("\"max_ns\": 300", "\"max_ns\": 3000", "min_ns"),
        ("\"sum_ns\": 600", "\"sum_ns\": 200", "sum_ns 200 contradicts"),
        ("\"sum_squares\": 140000", "\"sum_squares\": 1", "sum_squares 1 contradicts"),
        ("\"squares\": ", "\"squares\": -", "contradict each other"),
        ("\"until_ns\": 2000", "\"until_ns\": 9000", "2 slots of 1000 ns don't fill"),
        ("\"interval_ns\": 1000", "\"interval_ns\": 0", "don't fill"),
        ("\"phase\": 0,\n   \"from_ns\"", "\"phase\": 1,\n   \"from_ns\"", "has phase 1"),
        ("\n    \"sda\"\n", "", "of 0 devices"),
        ("\"stream\": 0", "\"stream\": 1", "has stream 1"),
    ] {
        let error = changed(from, to).expect_err(to);
        assert!(error.message.contains(why), "{to}: {error}");
    }
    let mut short = record(&[]);
    short.workers.pop();
    let error = write(&short).expect_err("a worker without a record");
    assert_eq!(error.message, "the plan has 2 workers, but `workers` has 1");
}

#[test]
fn a_phase_that_no_run_has_is_refused() {
    let plan = Plan { workers: vec![Worker { phase: u32::MAX, ..worker("a") }], ..Plan::default() };
    let error = write(&Record::new(Arc::new(plan), 0)).unwrap_err();
    assert!(error.message.contains("phase 4294967295"), "{error}");
}

#[test]
fn a_value_that_is_not_a_number_is_not_written() {
    let mut wrong = record(&[]);
    wrong.cpu_idle_percent = vec![f64::NAN];
    let error = write(&wrong).expect_err("no number");
    assert!(error.message.contains("null, expected f64"), "{error}");
}

#[test]
fn unknown_fields_are_ignored() {
    let record = changed("\"fathom\":", "\"weather\": {\"sun\": [1, {\"b\": null}]}, \"fathom\":");
    assert!(record.is_ok(), "{record:?}");
}

#[test]
fn other_documents_are_refused() {
    let of = |text: &str| read(text.as_bytes()).expect_err(text).to_string();
    assert_eq!(
        of("{\"schema\": \"fathom.record/3\"}"),
        " the record has schema `fathom.record/3`; this fathom reads `fathom.record/1`"
    );
    assert!(of("{\"schema\": \"x\"}").contains("it is not a record"));
    assert!(of("{\"fio version\": \"fio-3.42\"}").contains("not a record of fathom"));
    assert_eq!(of("{\n \"schema\"; 1}"), "2:10: expected `:`");
    assert_eq!(of(""), "1:0: EOF while parsing a value");
    assert!(of("{\"schema\": \"fathom.record/1\"}").contains("missing field"));
}

#[test]
fn an_incomplete_record_is_refused_with_its_position() {
    let text = write(&record(&[5])).expect("it can be written");
    let half = &text.as_bytes()[..text.len() / 2];
    let error = read(half).expect_err("half a record");
    assert!(error.position.is_some_and(|(line, _)| line > 10), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_latencies_come_back(latencies in prop::collection::vec(any::<u64>(), 0..40), bits in 3u32..64) {
        let latencies: Vec<u64> = latencies.iter().map(|ns| ns >> bits).collect();
        let before = record(&latencies);
        let after = read(write(&before)?.as_bytes())?;
        prop_assert!(debug(&before) == debug(&after));
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
        if let Err(error) = read(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

/// Records that earlier versions saved, with their paths.
fn saved_records() -> Vec<(std::path::PathBuf, serde_json::Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/records");
    let paths = std::fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("an entry").path());
    let saved: Vec<_> = paths
        .map(|path| {
            let text = std::fs::read(&path).expect("it can be read");
            let value = serde_json::from_slice(&text).expect("it is JSON");
            (path, value)
        })
        .collect();
    assert!(saved.len() >= 3);
    saved
}

/// Returns whether all that is in `part` is in `whole`, too.
fn contains(whole: &serde_json::Value, part: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Object};
    match (whole, part) {
        (Object(whole), Object(part)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|other| contains(other, value)))
        }
        (Array(whole), Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        _ => whole == part,
    }
}

#[test]
fn every_saved_record_keeps_its_data_when_it_is_written_again() {
    for (path, saved) in saved_records() {
        let record = read(saved.to_string().as_bytes()).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        let again: serde_json::Value = serde_json::from_str(&write(&record).expect("it can be written")).expect("JSON");
        assert!(contains(&again, &saved), "{}", path.display());
    }
}

#[test]
fn errors_and_messages_keep_their_kind_and_exact_numbers() {
    let mut before = record(&[100]);
    let io = FailedIo { path: "/dev/é".into(), ddir: Some(Ddir::Write), offset: u64::MAX, bytes: 4096 };
    let held = TargetUse { device: "/dev/sda1".into(), relation: UsedDevice::Partition, kind: UseKind::Swap };
    let failed = RunError { os_text: Some("NUL in the name".into()), ..RunError::new(28, IoError::Failed(io)) };
    let refused = LogFault::Refused { path: "log".into(), refusal: Box::new(OutputRefusal::InUse(held)) };
    let several = [
        RunError::new(5, CheckError::Ended),
        RunError::new(5, SetupError::Log { job: None, fault: refused }),
        failed.clone(),
    ];
    before.workers[0].error = Some(RunError::new(5, ErrorKind::Several(several.to_vec())));
    before.workers[1].error =
        Some(RunError::new(28, ErrorKind::NotRun { by: NotRunBy::Machine, reason: "no room".into() }));
    before.phases[0].error = Some(failed.clone());
    let error = OsError { errno: 95, text: None };
    before.messages = vec![
        Message::Info(MessageKind::DepthIsOne {}),
        Message::Warning(MessageKind::NonfatalError(failed)),
        Message::Warning(MessageKind::NotResponding {
            job: "a".into(),
            jobs: 2,
            targets: vec!["/dev/sdb".into()],
            seconds: 10,
        }),
        Message::Warning(MessageKind::NoSpaceReserved {
            path: "f".into(),
            from_bytes: 0,
            to_bytes: u64::MAX - 1,
            error,
        }),
    ];
    let text = write(&before).expect("it can be written");
    assert!(text.contains("\"offset\": \"18446744073709551615\""), "{text}");
    let after = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(debug(&after), debug(&before));
}
