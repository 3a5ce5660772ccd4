//! Reports of disturbed runs: no interval of a rate or latency ends below 0, none is infinite, and no number has many digits.

use std::sync::Arc;

use assessment::{
    Aim, Assessment, Best, Cause, Comparison, Knee, KneeFigures, KneeLatencies, KneePoint, KneeResult, KneeRun, Metric,
    Repeats, RepeatsResult, Round, SteadyRule, Study, Sweep, SweepPoint, SweepResult, SweepRun, Test, Verdict,
    Workload,
};
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

/// Returns a number of a random order of magnitude.
fn any(random: &mut Tausworthe64, magnitudes: (f64, f64)) -> f64 {
    10f64.powf(magnitudes.0 + (magnitudes.1 - magnitudes.0) * random.fraction())
}

/// Asserts short numbers in all forms of a study, and that no rate, time or share in it is negative.
fn assert_study(what: &str, assessment: &Assessment) {
    let texts = [
        report::text(assessment, Ink::Unicode).unwrap_or_default(),
        report::card(assessment, false, Ink::Unicode),
        report::markdown(assessment),
        text_of(&report::html(assessment)),
    ];
    for text in texts {
        assert_digits(what, &text);
        // A change can be negative.
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_negative = |pair: &&[&str]| {
            let number = pair[0].trim_start_matches(['(', '±']).strip_prefix(['-', '−']);
            number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit())) && !pair[1].starts_with('%')
        };
        let negative = words.windows(2).find(is_negative);
        assert_eq!(negative, None, "{what}:\n{text}");
        assert!(!text.contains(" 0 I/Os, p50 0 ns"), "{what}:\n{text}");
    }
    if let Some(json) = report::json(assessment) {
        assert_json(what, &json);
    }
}

/// Returns a sweep over a block size, of disturbed runs.
fn of_sweep(random: &mut Tausworthe64) -> Assessment {
    let mut point = |bs: &str| {
        let runs: Vec<_> = (0..random.between(1, 3)).map(|_| judge::figures::of_record(&disturbed(random))).collect();
        let rates: Vec<f64> = runs.iter().map(|run| run.total.iops).collect();
        let range = (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max));
        SweepPoint {
            settings: vec![("bs".to_owned(), bs.to_owned())],
            median: runs.first().cloned(),
            range: (runs.len() > 1).then_some(range),
            spread_percent: (runs.len() > 1 && rates[0] > 0.0).then(|| 100.0 * (range.1 - range.0) / rates[0]),
            runs: runs.into_iter().map(SweepRun::Figures).collect(),
        }
    };
    let points = vec![point("4k"), point("8k"), point("16k")];
    let value = |at: &usize| points[*at].value(Metric::IOPS).unwrap_or_default();
    let mut ranked = [0, 1, 2];
    ranked.sort_by(|one, other| value(other).total_cmp(&value(one)));
    let best = Best {
        point: ranked[0],
        value: value(&ranked[0]),
        near_percent: points[ranked[0]].spread_percent.unwrap_or(1.0),
        is_spread: points[ranked[0]].spread_percent.is_some(),
        near: vec![ranked[0]],
        next: Some(ranked[1]).filter(|_| value(&ranked[0]) > 0.0),
    };
    let mut assessment = crate::sample::with_tests(Vec::new());
    assessment.study = Study::Sweep(Sweep {
        dialect: "fio".into(),
        line: vec!["job.fio".into()],
        axes: vec![("bs".into(), ["4k", "8k", "16k"].map(Into::into).to_vec())],
        repeats: 3,
        order: "given".into(),
        seed: None,
        metric: Metric::IOPS,
        refused: Vec::new(),
        result: Some(SweepResult { points, best: Some(best), remarks: Vec::new() }),
    });
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::Result);
    assessment
}

/// Returns a search with figures of any size.
fn of_knee(random: &mut Tausworthe64) -> Assessment {
    let is_open = random.between(0, 1) == 1;
    let mut figures = || {
        let mean_ns = any(random, (1.0, 12.0));
        let times = [1.0, 2.0, 3.0].map(|exponent| mean_ns * any(random, (0.0, exponent)));
        let p99_9_ns = Some(times[2]).filter(|_| random.between(0, 2) > 0);
        KneeFigures {
            iops: any(random, (-3.0, 8.0)),
            latency: KneeLatencies { mean_ns, p50_ns: Some(times[0]), p99_ns: Some(times[1]), p99_9_ns },
            percentile_ns: p99_9_ns,
            late_percent: any(random, (-6.0, 2.0)),
        }
    };
    let point = |load: u64, figures: KneeFigures| {
        let run = KneeRun { figures, is_good: true, arrivals: Default::default(), load_generator: None };
        KneePoint { load, figures, runs: vec![run] }
    };
    let points: Vec<KneePoint> = [1, 7, 1_000, 123_456_789].map(|load| point(load, figures())).to_vec();
    let closed_loop = is_open.then(&mut figures);
    let mut assessment = crate::sample::with_tests(Vec::new());
    assessment.study = Study::Knee(Knee {
        work: "random 4 KiB reads".to_owned(),
        percentile: "p99.9".to_owned(),
        percent: 99.9,
        bound_ns: Some(5_000_000),
        workers: 1,
        iodepth_max: (!is_open).then_some(256),
        poisson: true,
        runtime_ns: 5 * SECOND,
        job: Vec::new(),
        like: None,
        result: Some(KneeResult {
            points,
            closed_loop,
            knee: Some(1),
            sustained: Some(2),
            missed: Some(3),
            is_settled: true,
            ..KneeResult::default()
        }),
    });
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::Result);
    assessment
}

#[test]
fn studies_of_disturbed_runs_have_short_numbers() {
    let mut random = Tausworthe64::new(37);
    for _ in 0..CASES {
        assert_study("sweep", &of_sweep(&mut random));
        assert_study("knee", &of_knee(&mut random));
    }
}

#[test]
fn rounds_that_are_not_steady_have_short_numbers_and_shares() {
    let mut random = Tausworthe64::new(38);
    for nth in 0..2 * CASES {
        let rule = if nth % 2 == 0 { SteadyRule::Cloud } else { SteadyRule::Snia };
        let level = any(&mut random, (0.0, 6.0));
        let spread = any(&mut random, (-3.0, 3.0));
        let values: Vec<f64> = (0..random.between(5, 25)).map(|_| level * spread.powf(random.fraction())).collect();
        let steady = judge::steady::look(rule, &[(Metric::IOPS, values)]).unwrap();
        let record = disturbed(&mut random);
        let rounds = vec![Round { at: Vec::new(), record }];
        let test = Test { steady: vec![steady], ..crate::sample::test("rounds", Aim::DiskIops, rounds) };
        let mut assessment = crate::sample::with_tests(vec![test]);
        judge::verdict::judge(&mut assessment, &[], &[Requirements::parse(&Source::new("--require", RULES)).unwrap()]);
        assert_study("rounds", &assessment);
        (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
        assert_study("rounds without a threshold", &assessment);
    }
}
