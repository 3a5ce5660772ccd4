//! Reports of disturbed runs: no interval of a rate or latency ends below 0, none is infinite, and no number has many digits.

use std::sync::Arc;

use assessment::{Assessment, Comparison, Repeats, RepeatsResult, Study, Workload};
use judge::compare::{self, ChangeLimit, Run};
use judge::requirements::Requirements;
use plan::{Ddir, Plan, Worker};
use random::Tausworthe64;
use record::{Latency, PhaseRecord, Record, SlotLatencies, Timeline};
use report::{ComparedSets, Ink};
use units::diagnostic::Source;

const SECOND: u64 = 1_000_000_000;
/// Most digits of a number in a report.
const DIGITS_MAX: usize = 15;
const CASES: u64 = 40;
const RULES: &str = "read.iops>=5000,read.lat.mean<=1ms,read.lat.p99<=10ms";
const LIMITS: &str = "read.iops<-10%,read.lat.p99>10%";

/// Returns a run whose rate is disturbed: states of random levels, which last for random times, and stalls.
fn disturbed(random: &mut Tausworthe64) -> Record {
    let mut record = Record::new(Arc::new(Plan { workers: vec![Worker::default()], ..Plan::default() }), 0);
    let seconds = random.between(1, 50);
    let mut timeline = Timeline::new(0, SECOND, Vec::new());
    let (mut level, lasts) = (1.0, random.between(1, 20));
    let counts = &mut record.workers[0].stats.ddirs[Ddir::Read as usize];
    for second in 0..seconds {
        if random.between(1, lasts) == 1 {
            level = 10f64.powf(-4.0 * random.fraction());
        }
        let ios = if random.between(1, 20) == 1 { 0 } else { (1000.0 * level * random.fraction()) as u64 };
        let span = (second * SECOND, (second + 1) * SECOND);
        timeline.count(span, Ddir::Read, ios, ios * 4096);
        let mut own = Latency::default();
        (0..ios).for_each(|_| own.record((100_000.0 / level * (0.5 + random.fraction())) as u64));
        counts.lat.merge(&own);
        if let Some(own) = SlotLatencies::between(&Latency::default(), &own) {
            timeline.count_lat(span, Ddir::Read, &own);
        }
        (counts.ios, counts.bytes) = (counts.ios + ios, counts.bytes + ios * 4096);
    }
    counts.runtime_ns = seconds * SECOND;
    record.workers[0].stats.runtime_ns = seconds * SECOND;
    timeline.end(seconds * SECOND, &[(0, seconds * SECOND)]);
    record.timeline.push(timeline);
    record.phases.push(PhaseRecord { measured_ns: seconds * SECOND, ..PhaseRecord::default() });
    record
}

/// Returns the text of a page without its elements, scripts and styles.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        let (element, rest) = part.split_once('>').unwrap_or(("", part));
        if !element.starts_with("script") && !element.starts_with("style") {
            text += rest;
            text.push(' ');
        }
    }
    text
}

fn assert_digits(what: &str, text: &str) {
    let number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    for word in text.split(|c: char| !number(c)) {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        assert!(digits <= DIGITS_MAX, "{what} has {word}:\n{text}");
    }
    for word in ["NaN", "inf ", "infinite"] {
        assert!(!text.contains(word), "{what} has {word}:\n{text}");
    }
}

/// A latency has no upper end if too few I/Os took longer.
fn assert_interval(what: &str, interval: Option<(f64, f64)>) {
    let is_sound = |(low, high): (f64, f64)| {
        low.is_finite() && low >= 0.0 && low <= high && (high.is_finite() || what.contains("lat."))
    };
    assert!(interval.is_none_or(is_sound), "{what}: {interval:?}");
}

/// Returns all numbers of a JSON document.
fn numbers(value: &serde_json::Value) -> Vec<f64> {
    match value {
        serde_json::Value::Number(number) => number.as_f64().into_iter().collect(),
        serde_json::Value::Array(all) => all.iter().flat_map(numbers).collect(),
        serde_json::Value::Object(all) => all.values().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

fn assert_json(what: &str, json: &str) {
    let most = 10f64.powi(DIGITS_MAX as i32);
    for number in numbers(&serde_json::from_str(json).unwrap()) {
        // Sums of squares of latencies have more digits: they are no figures.
        assert!(number.is_finite() && (what == "assessment" || number.abs() < most), "{what} has {number}");
    }
}

#[test]
fn reports_of_disturbed_runs_have_sound_intervals_and_short_numbers() {
    let rules = [Requirements::parse(&Source::new("--require", RULES)).unwrap()];
    let mut random = Tausworthe64::new(35);
    for _ in 0..CASES {
        let mut assessment = judge::single::assessment(&disturbed(&mut random));
        judge::verdict::judge(&mut assessment, &[], &rules);
        for judgement in assessment.tests.iter().flat_map(|test| &test.judgements) {
            assert_interval(&judgement.metric.to_string(), judgement.interval);
        }
        assert_digits("card", &report::card(&assessment, false, Ink::Unicode));
        assert_digits("Markdown", &report::markdown(&assessment));
        assert_digits("page", &text_of(&report::html(&assessment)));
        assert_digits("JUnit", &text_of(&report::junit(&assessment)));
        assert_json("assessment", &report::document(&assessment).unwrap());
    }
}

#[test]
fn comparisons_of_disturbed_runs_have_sound_intervals_and_short_numbers() {
    let limits = ChangeLimit::parse_all(LIMITS).unwrap();
    let mut random = Tausworthe64::new(36);
    for _ in 0..CASES {
        let count = random.between(1, 6);
        let sides: [Vec<Record>; 2] = std::array::from_fn(|_| (0..count).map(|_| disturbed(&mut random)).collect());
        let runs: Vec<Vec<Run>> = sides.iter().map(|side| side.iter().map(Run::Record).collect()).collect();
        let mut comparison = compare::compare(&runs, &[], &limits);
        if compare::apply(&mut comparison, &limits).is_err() {
            continue;
        }
        comparison.lines.iter().for_each(|line| assert_interval(&line.metric.to_string(), line.interval));
        let names = ["a", "b"].map(str::to_owned);
        let sets = ComparedSets { comparison: &comparison, limits: &limits, names: &names, runs: &runs };
        assert_digits("text", &report::comparison_text(&comparison, Ink::Unicode));
        assert_digits("Markdown", &report::comparison_markdown(&sets));
        assert_digits("page", &text_of(&report::comparison_html(&sets)));
        assert_digits("JUnit", &text_of(&report::comparison_junit(&sets)));
        assert_json("comparison", &report::comparison_json(&comparison, &names));
        let repeats = of_repeats(&runs, comparison, &limits);
        assert_digits("repeats", &report::text(&repeats, Ink::Unicode).unwrap());
        assert_json("repeats", &report::json(&repeats).unwrap());
    }
}

/// Returns the runs as repeats of two workloads.
fn of_repeats(runs: &[Vec<Run>], comparison: Comparison, limits: &[ChangeLimit]) -> Assessment {
    let figures: Vec<_> = runs.iter().map(|side| compare::repeated(side, limits)).collect();
    figures.iter().flatten().for_each(|figure| assert_interval(&figure.metric.to_string(), figure.interval));
    let workload = |name: &str| Workload { name: name.to_owned(), line: String::new(), prepare: None };
    let result = RepeatsResult { figures, comparison: Some(comparison), ..RepeatsResult::default() };
    let mut assessment = crate::sample::with_tests(Vec::new());
    assessment.study = Study::Repeats(Repeats {
        workloads: ["A", "B"].map(workload).to_vec(),
        repeats: 5,
        order: "blocks".to_owned(),
        seed: None,
        fail_on: LIMITS.split(',').map(str::to_owned).collect(),
        set: None,
        runs: Vec::new(),
        result: Some(result),
    });
    assessment
}
