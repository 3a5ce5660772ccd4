//! The lines, notes and limits of comparisons, on runs whose figures are known.

use std::sync::Arc;

use assessment::{
    Assessment, By, Comparison, ComparisonNote, Round, Steady, SteadyRule, SteadyState, Study, Test, Undecided,
};
use judge::compare::{ChangeLimit, Run, SIDES_MAX, apply, cases, compare, conclusion, repeated, side_name};
use judge::inference::difference;
use judge::verdict::Conclusion;
use plan::{Ddir, Plan, Worker};
use record::{Interruption, InterruptionCause, PhaseRecord, Record, Timeline};

use crate::known_runs::assessment;

const SECOND: u64 = 1_000_000_000;

/// Returns a run with these numbers of reads in each second, of 4 KiB and with this latency.
fn reads(seconds: &[u64], ns: u64) -> Record {
    let plan = Plan { workers: vec![Worker::default()], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 77);
    let mut timeline = Timeline::new(0, SECOND, Vec::new());
    let stats = &mut record.workers[0].stats.ddirs[Ddir::Read as usize];
    for (second, ios) in (0..).zip(seconds) {
        timeline.count((second * SECOND, (second + 1) * SECOND), Ddir::Read, *ios, ios * 4096);
        stats.ios += ios;
        stats.bytes += ios * 4096;
    }
    stats.runtime_ns = seconds.len() as u64 * SECOND;
    (0..100).for_each(|_| stats.lat.record(ns));
    timeline.end(stats.runtime_ns, &[(0, stats.runtime_ns)]);
    record.timeline.push(timeline);
    record
}

fn steady(ios: u64) -> Record {
    reads(&[ios; 4], 1000)
}

fn runs(records: &[Record]) -> Vec<Run<'_>> {
    records.iter().map(Run::Record).collect()
}

fn limits(text: &str) -> Vec<ChangeLimit> {
    ChangeLimit::parse_all(text).expect("limits")
}

fn test(name: &str, rounds: Vec<Round>) -> Test {
    Test::of_rounds(name.to_owned(), String::new(), String::new(), rounds)
}

fn rounds(at: &[(&str, &str)], records: Vec<Record>) -> Vec<Round> {
    let at: Vec<(String, String)> = at.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    records.into_iter().map(|record| Round { at: at.clone(), record }).collect()
}

fn of_study(study: Study, tests: Vec<Test>) -> Assessment {
    Assessment { study, ..assessment(tests) }
}

fn preconditioning(tests: Vec<Test>) -> Assessment {
    of_study(Study::Preconditioning, tests)
}

#[test]
fn sets_are_letters() {
    assert_eq!([0, 1, 7, SIDES_MAX, 99].map(side_name), ['A', 'B', 'H', 'I', 'I']);
}

#[test]
fn single_runs_have_the_ratio_of_their_figures_and_the_interval_of_their_seconds() {
    let (one, other) = ([1000, 1010, 990, 1005, 995, 1000], [900, 910, 890, 905, 895, 903]);
    let (first, mut second) = (reads(&one, 1000), reads(&other, 1000));
    // I/Os that no second has.
    second.workers[0].stats.ddirs[Ddir::Read as usize].ios += 600;
    let found = compare(&[vec![Run::Record(&first)], vec![Run::Record(&second)]], &[], &[]);
    let metrics: Vec<String> = found.lines.iter().map(|line| line.metric.to_string()).collect();
    assert_eq!(metrics, ["read.iops", "read.bw", "read.lat.p50", "read.lat.p99"]);
    let line = &found.lines[0];
    assert_eq!((line.test.as_str(), line.unit.as_str(), line.side, line.runs), ("run", "IOPS", 1, (1, 1)));
    assert_eq!((line.by, line.shown, line.p, line.detectable), (By::Intervals, false, None, None));
    let figures = [6000.0 / 6.0, (5403.0 + 600.0) / 6.0];
    assert!((line.first - figures[0]).abs() < 1e-9 && (line.second - figures[1]).abs() < 1e-9, "{line:?}");
    let ratio = figures[1] / figures[0];
    assert!((line.ratio - ratio).abs() < 1e-12);
    // The interval of the seconds is moved to the ratio of the figures.
    let [a, b] = [one, other].map(|seconds| seconds.map(|ios| ios as f64));
    let of_seconds = difference(&a, &b).expect("six seconds");
    let moved = ratio / (1.0 + of_seconds.share);
    let (low, high) = line.interval.expect("an interval");
    assert!((low - (1.0 + of_seconds.interval.low) * moved).abs() < 1e-12, "{low}");
    assert!((high - (1.0 + of_seconds.interval.high) * moved).abs() < 1e-12, "{high}");
    assert_eq!((found.tested, found.confidence), (0, 0.95));
    // Latencies have no seconds here.
    assert_eq!((found.lines[2].by, found.lines[2].interval), (By::Nothing, None));
}

#[test]
fn stray_ios_of_another_direction_are_named_and_not_compared() {
    let with_writes = |ios: u64, bytes: u64| {
        let mut record = steady(1000);
        let writes = &mut record.workers[0].stats.ddirs[Ddir::Write as usize];
        (writes.ios, writes.bytes, writes.runtime_ns) = (ios, ios * bytes, 4 * SECOND);
        record
    };
    let compared = |a: u64, b: u64, bytes: u64, limit: &str| {
        let sides = [a, b].map(|ios| [with_writes(ios, bytes)]);
        let limits = if limit.is_empty() { Vec::new() } else { limits(limit) };
        let found = compare(&sides.each_ref().map(|side| runs(side)), &[], &limits);
        let writes = found.lines.iter().filter(|line| line.metric.ddir == Some(Ddir::Write)).count();
        (writes, found.notes)
    };
    let few = || vec![ComparisonNote::FewIos { test: "run".to_owned(), direction: Ddir::Write }];
    let differ = || vec![ComparisonNote::JobsDiffer { test: "run".to_owned(), side: 1 }];
    for (a, b) in [(1, 1), (0, 1), (1, 0), (5, 5)] {
        assert_eq!(compared(a, b, 4096, ""), (0, few()), "{a} and {b} writes");
    }
    assert_eq!(compared(0, 0, 4096, ""), (0, Vec::new()));
    // The latencies of the writes are unknown here.
    assert_eq!(compared(6, 6, 4096, ""), (2, Vec::new()));
    assert_eq!(compared(0, 6, 4096, ""), (0, differ()));
    assert_eq!(compared(1, 1, 1 << 20, ""), (2, Vec::new()), "one large write, 6 % of the bytes");
    assert_eq!(compared(1, 1, 4096, "write.iops<-5%"), (1, Vec::new()), "a limit names it");
}

#[test]
fn repeats_show_a_difference_over_all_figures() {
    let side = |base: u64| [0, 4, 8, 12, 16].map(|more| steady(base + more));
    let (a, b) = (side(1000), side(900));
    let found = compare(&[runs(&a), runs(&b), runs(&a)], &[], &limits("read.lat.max>5%"));
    let sides: Vec<(usize, String, bool)> =
        found.lines.iter().map(|line| (line.side, line.metric.to_string(), line.shown)).collect();
    let of = |side, name: &str, shown| (side, name.to_owned(), shown);
    let expected = [
        of(1, "read.iops", true),
        of(2, "read.iops", false),
        of(1, "read.bw", true),
        of(2, "read.bw", false),
        of(1, "read.lat.p50", false),
        of(2, "read.lat.p50", false),
        of(1, "read.lat.p99", false),
        of(2, "read.lat.p99", false),
        of(1, "read.lat.max", false),
        of(2, "read.lat.max", false),
    ];
    assert_eq!(sides, expected);
    assert_eq!((found.tested, found.lines[0].runs, found.lines[0].by), (10, (5, 5), By::Repeats));
    // Two of ten p are discoveries: the intervals have 1 - 0.05 × 2 / 10.
    assert!((found.confidence - 0.99).abs() < 1e-12, "{}", found.confidence);
    let (line, equal) = (&found.lines[0], &found.lines[1]);
    assert!((line.first - 1008.0).abs() < 1e-9 && (line.second - 908.0).abs() < 1e-9);
    assert!(line.interval.is_some_and(|(low, high)| low < line.ratio && line.ratio < high && high < 1.0), "{line:?}");
    assert!(equal.interval.is_some_and(|(low, high)| low < 1.0 && high > 1.0) && equal.p == Some(1.0));
    assert!(line.p.is_some_and(|p| p < 1e-6) && line.detectable.is_some_and(|least| least > 0.0 && least < 0.05));
}

#[test]
fn limits_are_broken_undecided_or_too_small() {
    let (a, b) = ([1000, 1004, 1008, 1012].map(steady), [900, 904, 908, 912].map(steady));
    let applied = |text: &str| {
        let mut found = compare(&[runs(&a), runs(&b)], &[], &[]);
        apply(&mut found, &limits(text)).map(|()| found)
    };
    let broken = applied("read.iops<-5%,read.bw<-20%").expect("figures");
    assert_eq!((broken.failed.len(), broken.undecided.len(), broken.notes.len()), (1, 0, 0));
    let failed = &broken.failed[0];
    assert_eq!((failed.limit.as_str(), failed.test.as_str(), failed.side), ("read.iops<-5%", "run", 1));
    assert!((failed.difference - (906.0 / 1006.0 - 1.0)).abs() < 1e-12);
    assert_eq!(conclusion(&broken), Conclusion::Failed);
    // The whole interval is below: no rise of this size.
    let far = applied("read.iops>0.1%").expect("figures");
    assert_eq!((far.undecided.len(), conclusion(&far)), (0, Conclusion::Done));
    let mut same = compare(&[runs(&a), runs(&a)], &[], &[]);
    apply(&mut same, &limits("read.iops<-0.1%")).expect("figures");
    let Some(Undecided::NotDetectable { detectable, repeats: Some(repeats) }) = same.undecided[0].undecided else {
        panic!("{same:?}")
    };
    assert_eq!((detectable, conclusion(&same)), (same.lines[0].detectable, Conclusion::Inconclusive));
    assert!(repeats > 50, "{repeats}");
    assert_eq!(applied("write.iops<-5%").expect_err("no writes").limit, "write.iops<-5%");
    let mut single = compare(&[runs(&a[..1]), runs(&b[..1])], &[], &[]);
    apply(&mut single, &limits("read.iops<-5%")).expect("figures");
    assert_eq!((single.failed.len(), single.undecided.len(), conclusion(&single)), (0, 1, Conclusion::Inconclusive));
    single.failed = broken.failed;
    assert_eq!(conclusion(&single), Conclusion::Failed);
    assert_eq!(conclusion(&Comparison::default()), Conclusion::Done);
}

#[test]
fn a_limit_is_undecided_if_only_the_slower_runs_were_interrupted() {
    let interrupted = |ios| {
        let mut record = steady(ios);
        let interruption = Interruption { from_ns: SECOND, length_ns: SECOND, cause: InterruptionCause::Stopped };
        record.phases = vec![PhaseRecord { interruptions: vec![interruption], ..PhaseRecord::default() }];
        record
    };
    let (fast, slow) = ([1000, 1004, 1008, 1012], [900, 904, 908, 912]);
    let applied = |a: &[Record], b: &[Record]| {
        let mut found = compare(&[runs(a), runs(b)], &[], &[]);
        apply(&mut found, &limits("read.iops<-5%")).expect("figures");
        found
    };
    let found = applied(&fast.map(steady), &slow.map(interrupted));
    assert_eq!(found.notes, [ComparisonNote::Disturbed { test: "run".to_owned(), side: 1 }]);
    assert_eq!((found.failed.len(), found.undecided[0].undecided), (0, Some(Undecided::Disturbed { side: 1 })));
    for (a, b) in [(fast.map(interrupted), slow.map(interrupted)), (fast.map(interrupted), slow.map(steady))] {
        assert_eq!(conclusion(&applied(&a, &b)), Conclusion::Failed, "the slower runs are not the only disturbed ones");
    }
}

/// A change of the plan's only worker.
fn with(mut record: Record, change: impl FnOnce(&mut Worker)) -> Record {
    let mut plan = Plan::clone(&record.plan);
    change(&mut plan.workers[0]);
    record.plan = Arc::new(plan);
    record
}

#[test]
fn runs_of_another_length_or_size_are_no_repeats() {
    let longer = |record: Record| with(record, |worker| worker.limits.runtime_ns = 60 * SECOND);
    let larger = |record: Record| {
        with(record, |worker| worker.job_mut().unwrap().targets.extent.size = Some(plan::Amount::Bytes(1 << 30)))
    };
    let in_larger_files =
        |record: Record| with(record, |worker| worker.job_mut().unwrap().targets.file_size = Some((1 << 30, 1 << 30)));
    let elsewhere =
        |record: Record| with(record, |worker| worker.job_mut().unwrap().targets.paths = vec!["/other".to_owned()]);
    let all = || [1000, 1004, 1008, 1012].map(steady);
    let changes: [&dyn Fn(Record) -> Record; 4] = [&longer, &larger, &in_larger_files, &elsewhere];
    for change in changes {
        let (a, mut b) = (all(), all());
        b[3] = change(b[3].clone());
        let mut found = compare(&[runs(&a), runs(&b)], &[], &[]);
        assert_eq!(found.notes, [ComparisonNote::NotRepeats { test: "run".to_owned(), side: 1 }]);
        let line = &found.lines[0];
        assert_eq!((line.by, line.interval, line.detectable, line.shown), (By::NotRepeats, None, None, false));
        apply(&mut found, &limits("read.iops<-5%")).expect("figures");
        assert_eq!(found.undecided[0].undecided, Some(Undecided::NotRepeats));
        assert_eq!(conclusion(&found), Conclusion::Inconclusive);
    }
    // Another length on the other side is a difference of the jobs.
    let found = compare(&[runs(&all()), runs(&all().map(longer))], &[], &[]);
    assert_eq!(found.notes, [ComparisonNote::JobsDiffer { test: "run".to_owned(), side: 1 }]);
    assert_eq!(found.lines[0].by, By::Repeats);
}

#[test]
fn a_job_that_writes_and_then_reads_is_the_same_job_on_a_slow_and_a_fast_disk() {
    let after_256_writes = |reads: u64| {
        let mut record = steady(reads);
        let stats = &mut record.workers[0].stats.ddirs[Ddir::Write as usize];
        (stats.ios, stats.bytes, stats.runtime_ns) = (256, 256 << 20, SECOND);
        record
    };
    let (fast, slow) = (after_256_writes(100_000), after_256_writes(4000));
    let found = compare(&[vec![Run::Record(&fast)], vec![Run::Record(&slow)]], &[], &[]);
    assert_eq!(found.notes, []);
    assert!(found.lines.iter().any(|line| line.metric.to_string() == "write.iops"), "{:?}", found.lines);
}

#[test]
fn a_continued_test_without_a_length_is_no_repeat_of_one_that_was_not() {
    let of_passes = |passes| {
        let tests = vec![Test { passes, ..test("fill", rounds(&[], vec![steady(1000)])) }];
        of_study(Study::default(), tests)
    };
    let (one, three) = (of_passes(1), of_passes(3));
    let found = compare(&[vec![Run::Assessment(&one)], vec![Run::Assessment(&three)]], &[], &[]);
    assert_eq!(found.notes, [ComparisonNote::JobsDiffer { test: "fill".to_owned(), side: 1 }]);
    let found = compare(&[vec![Run::Assessment(&three)], vec![Run::Assessment(&three)]], &[], &[]);
    assert_eq!(found.notes, []);
}

#[test]
fn an_interval_wider_than_a_factor_of_10_is_no_number_and_no_pass() {
    let (a, b) = ([100_000, 500].map(steady), [90_000, 1000].map(steady));
    let mut found = compare(&[runs(&a), runs(&b)], &[], &[]);
    let line = &found.lines[0];
    assert!(line.is_too_uncertain() && !line.shown && line.detectable.is_none(), "{line:?}");
    apply(&mut found, &limits("read.iops<-10%")).expect("figures");
    assert!(
        matches!(found.undecided[0].undecided, Some(Undecided::NotDetectable { detectable: None, .. })),
        "{found:?}"
    );
    assert_eq!(conclusion(&found), Conclusion::Inconclusive);
}

#[test]
fn tests_that_are_missing_or_differ_have_notes() {
    let larger = {
        let mut record = steady(10);
        record.workers[0].stats.ddirs[Ddir::Read as usize].bytes *= 2;
        record
    };
    let first = preconditioning(vec![
        test("both", rounds(&[], vec![steady(10)])),
        test("first", rounds(&[], vec![steady(10)])),
        test("job", rounds(&[], vec![steady(10)])),
    ]);
    let second = preconditioning(vec![
        test("both", rounds(&[], vec![steady(20)])),
        test("job", rounds(&[], vec![larger])),
        test("second", rounds(&[], vec![steady(10)])),
    ]);
    let sides = [&first, &second, &second].map(|side| vec![Run::Assessment(side)]);
    let found = compare(&sides, &[], &[]);
    let missing = |test: &str, side| ComparisonNote::Missing { test: test.to_owned(), side };
    let differ = |side| ComparisonNote::JobsDiffer { test: "job".to_owned(), side };
    assert_eq!(found.notes, [missing("first", 1), differ(1), missing("second", 0), missing("first", 2), differ(2)]);
    let tests: Vec<&str> = found.lines.iter().map(|line| line.test.as_str()).collect();
    assert!(tests.contains(&"both") && tests.contains(&"job") && !tests.contains(&"first"), "{tests:?}");
    assert_eq!(compare(&[], &[], &[]), Comparison::default());
}

#[test]
fn rounds_of_a_suite_are_one_run_and_those_of_a_sweep_are_repeats() {
    let four = || [10, 20, 30, 40].map(steady).to_vec();
    let at = [("bs", "64k"), ("iodepth", "8")];
    let values = |assessment: &Assessment| {
        let cases = cases(&[Run::Assessment(assessment)]);
        assert_eq!((cases.len(), cases[0].name.as_str()), (1, "sweep bs=64k iodepth=8"));
        (cases[0].values(assessment::Metric::IOPS), cases[0].records().map(<[_]>::len).collect::<Vec<_>>())
    };
    let suite = preconditioning(vec![test("sweep", rounds(&at, four()))]);
    assert_eq!(values(&suite), (vec![25.0], vec![4]));
    let mut from_third = suite.clone();
    from_third.tests[0].steady = vec![Steady {
        at: None,
        rule: SteadyRule::Snia,
        metric: assessment::Metric::IOPS,
        values: Vec::new(),
        from_round: Some(2),
        state: SteadyState::StartsFarOff { first: 1 },
    }];
    assert_eq!(values(&from_third), (vec![35.0], vec![2]));
    from_third.tests[0].steady[0].from_round = Some(4);
    assert_eq!(values(&from_third), (vec![25.0], vec![4]), "no round is left: all count");
    let sweep = assessment::read(&std::fs::read(SWEEP).expect("a saved sweep")).expect("a sweep");
    let repeats = of_study(sweep.study, vec![test("sweep", rounds(&at, four()))]);
    assert_eq!(values(&repeats), (vec![10.0, 20.0, 30.0, 40.0], vec![1; 4]));
    let spread = &repeated(&[Run::Assessment(&repeats)], &[])[0];
    assert_eq!((spread.test.as_str(), spread.median, spread.values.len()), ("sweep bs=64k iodepth=8", 25.0, 4));
}

const SWEEP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/assessments/1-sweep.json");
