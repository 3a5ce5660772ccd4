//! Verdicts on runs with known answers: at a limit, below, above, unsteady, cut short, invalid.

use std::collections::BTreeMap;
use std::sync::Arc;

use assessment::{
    AboveLimit, Aim, Assessment, Basis, Cause, Failure, Judgement, Metric, NearMedian, RateShape, Reason, Round,
    SteadyState, Study, Test, Verdict, VolumeUse,
};
use judge::limits::{Catalogue, Expectation};
use judge::requirements::Requirements;
use judge::single;
use judge::verdict::{Conclusion, conclusion, judge};
use plan::{Origin, Plan};
use proptest::prelude::*;
use record::Record;
use units::diagnostic::Source;

use crate::known_runs::{
    Of, UNCACHED, add_latencies, assessment, expect, flushes, judged, level, metric, on, reason, require, run, steady,
    test, writes,
};

/// The rules that no test measured.
fn unmeasured(cause: &Cause) -> Vec<&str> {
    let Cause::NotMeasured { rules, missing } = cause else { panic!("{cause:?}") };
    assert_eq!(rules.len(), missing.len());
    rules.iter().map(String::as_str).collect()
}

fn enough(above_limit: Option<AboveLimit>) -> Reason {
    Reason::Enough { above_limit, fall: None, missed: None }
}

/// A rate below the threshold, level in all means over an interval.
fn level_in(interval_s: f64) -> Reason {
    let near = NearMedian { share: 1.0, distance_share: 0.05, interval_s: Some(interval_s) };
    Reason::NotEnough(RateShape::Level { is_throttled: false, near })
}

#[test]
fn at_the_limit_is_a_pass() {
    let assessment = judged(test(Aim::VmUncached, level(12_790.0)), UNCACHED);
    let judgement = &assessment.tests[0].judgements[0];
    assert_eq!((assessment.verdict, &judgement.reason), (Verdict::Pass, &enough(None)));
    assert_eq!(judgement.metric.to_string(), "write.iops");
    let threshold = judgement.threshold.as_ref().expect("a threshold");
    assert_eq!((threshold.value, threshold.enough), (12_800.0, 12_800.0 * 0.98));
    assert_eq!(threshold.basis, Basis::Limit { of: "Standard_D8ds_v4 uncached".to_owned() });
    assert!(judgement.interval.is_some_and(|(low, high)| low < 12_790.0 && high > 12_785.0), "{judgement:?}");
    assert!(judgement.ratio().is_some_and(|ratio| (ratio - 0.999).abs() < 1e-3), "{judgement:?}");
    assert_eq!(assessment.expectations[0].words, UNCACHED);
    let limits = &assessment.expectations[0].limits;
    assert!(limits.iter().any(|limit| limit.metric.to_string() == "write.iops" && limit.value == 12_800.0));
    let Cause::Passed { tests: 1, example: Some((name, cause)) } = &assessment.cause else {
        panic!("{:?}", assessment.cause)
    };
    assert!(name == "random-write" && matches!(**cause, Cause::Judgement(_)));
}

#[test]
fn an_interval_that_ends_at_the_threshold_decides_nothing() {
    let on = |enough: f64| {
        let mut whole = assessment(vec![test(Aim::VmUncached, writes(std::iter::repeat_n(10_000.0, 30), 0.1))]);
        judge(&mut whole, &[], &require(&format!("write.iops>={enough}")));
        (whole.verdict, whole.tests[0].judgements[0].interval.expect("an interval"))
    };
    let [low, high] = <[f64; 2]>::from(on(1.0).1);
    assert_eq!(
        [low, high, high + 1.0].map(|enough| on(enough).0),
        [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail]
    );
}

#[test]
fn a_lower_throttle_is_a_fail_with_its_reason() {
    assert_eq!(on(level(9000.0)), (Verdict::Fail, level_in(1.0)));
    let (verdict, reason) = on(writes(std::iter::repeat_n(9000.0, 60), 0.3));
    let Reason::NotEnough(RateShape::Varied { least, most, is_throttled: false, interval_s }) = reason else {
        panic!("{reason:?}")
    };
    assert!(verdict == Verdict::Fail && least < 7000.0 && most > 11_000.0, "{least} {most}");
    assert_eq!(interval_s, Some(1.0));
}

#[test]
fn batches_that_do_not_fit_the_intervals_are_no_noise() {
    // A throttle with slices of 100 ms, seen in intervals of 250 ms.
    let turns = |rate: f64| writes((0..60).map(|at| if at % 2 == 0 { rate * 1.2 } else { rate * 0.8 }), 0.02);
    assert_eq!(on(turns(12_800.0)), (Verdict::Pass, enough(None)));
    // The rate is level in intervals of twice the length.
    assert_eq!(on(turns(9000.0)), (Verdict::Fail, level_in(2.0)));
}

#[test]
fn a_burst_is_recognised() {
    let burst = AboveLimit::Burst { value: 16_000.0, seconds: Some(1800.0) };
    assert_eq!(on(level(16_000.0)), (Verdict::Pass, enough(Some(burst))));
    // The burst ends during the run: the rest is enough, or not.
    let falls = |to: f64| writes((0..60).map(|at| if at < 30 { 16_000.0 } else { to }), 0.002);
    let (verdict, reason) = on(falls(12_800.0));
    let Reason::Enough { fall: Some(fall), .. } = reason else { panic!("{reason:?}") };
    assert!(verdict == Verdict::Pass && (fall.from / 16_000.0 - 1.0).abs() < 0.01, "{fall:?}");
    let (verdict, reason) = on(falls(9000.0));
    assert!(verdict == Verdict::Fail && matches!(reason, Reason::NotEnough(RateShape::Fell(_))), "{reason:?}");
    // No published burst allows this rate.
    assert_eq!(on(level(70_000.0)), (Verdict::Inconclusive, Reason::AboveTarget));
}

#[test]
fn more_small_sequential_ios_than_published_were_merged() {
    let gp3 = |ios: u64, random: bool| {
        let writes = run(&vec![[0, ios]; 60], 4096, random);
        let assessment = judged(test(Aim::DiskIops, writes), "aws:gp3?iops=3000&throughput=125");
        (assessment.verdict, reason(&assessment))
    };
    // 125 MiB/s in blocks of 4 KiB are 32,000 per second.
    assert_eq!(gp3(32_000, false), (Verdict::Pass, enough(Some(AboveLimit::MergedIos))));
    assert_eq!(gp3(40_000, false), (Verdict::Inconclusive, Reason::AboveTarget));
    assert_eq!(gp3(32_000, true), (Verdict::Inconclusive, Reason::AboveTarget));
}

#[test]
fn short_runs_decide_far_from_the_threshold_only() {
    let judged = |rate: f64, rule: &str| {
        let few = writes([rate, rate * 1.5, rate * 1.25].into_iter(), 0.0);
        let mut assessment = assessment(vec![test(Aim::Behaviour, few)]);
        judge(&mut assessment, &[], &require(rule));
        let judgement = assessment.tests.remove(0).judgements.remove(0);
        assert_eq!(judgement.few_intervals, Some(3));
        (judgement.verdict, judgement.interval.expect("a range"))
    };
    let (verdict, (low, high)) = judged(1000.0, "write.iops>=249");
    assert!(verdict == Verdict::Pass && (low - 250.0).abs() < 1.0 && (high - 6000.0).abs() < 20.0, "{low} {high}");
    assert_eq!(judged(1000.0, "write.iops>=252").0, Verdict::Inconclusive);
    assert_eq!(judged(1000.0, "write.iops>=5900").0, Verdict::Inconclusive);
    assert_eq!(judged(1000.0, "write.iops>=6100").0, Verdict::Fail);
    assert_eq!(judged(1000.0, "write.iops<=5900").0, Verdict::Inconclusive);
    assert_eq!(judged(1000.0, "write.iops<=6100").0, Verdict::Pass);
}

#[test]
fn a_percentile_of_few_independent_ios_decides_far_from_the_threshold_only() {
    // Three levels that last for a third of the run each have the information of few independent I/Os.
    let judged = |rule: &str| {
        let mut test = test(Aim::LatencyFloor, level(900.0));
        add_latencies(&mut test.rounds[0].record, &Of::Clat, 54_000, |at| 20_000 + at / 18_000 * 20_000);
        let mut assessment = assessment(vec![test]);
        judge(&mut assessment, &[], &require(rule));
        assessment.tests.remove(0).judgements.remove(0)
    };
    let far = judged("write.clat.p99<=10ms");
    assert_eq!((far.verdict, far.few_intervals), (Verdict::Pass, Some(60)), "{far:?}");
    assert_eq!(judged("write.clat.p99<=1us").verdict, Verdict::Fail);
    let near = judged("write.clat.p99<=200us");
    assert_eq!((near.verdict, near.reason), (Verdict::Inconclusive, Reason::TooFewIos { ios: 54_000 }));
}

#[test]
fn short_rising_and_noisy_runs_are_inconclusive() {
    let few = writes(std::iter::repeat_n(12_800.0, 3), 0.0);
    assert_eq!(on(few), (Verdict::Inconclusive, Reason::TooFewIntervals { intervals: 3 }));
    assert_eq!(on(writes(std::iter::repeat_n(3200.0, 2), 0.0)).0, Verdict::Inconclusive);
    assert_eq!(on(writes(std::iter::repeat_n(3000.0, 3), 0.0)).0, Verdict::Fail);
    let (verdict, reason) = on(writes((0..60).map(|at| 5000.0 + 100.0 * f64::from(at)), 0.01));
    assert!(verdict == Verdict::Inconclusive && matches!(reason, Reason::StillRising(_)), "{reason:?}");
    // Ten times the rise of this run would not be enough.
    let (verdict, reason) = on(writes((0..60).map(|at| 1000.0 + 4.0 * f64::from(at)), 0.001));
    assert!(verdict == Verdict::Fail && matches!(reason, Reason::NotEnough(RateShape::Unknown)), "{reason:?}");
    let (verdict, reason) = on(writes(std::iter::repeat_n(12_544.0, 60), 0.3));
    let undecided = Reason::Undecided { fall: None, cpu_wait_share: None };
    assert_eq!((verdict, reason), (Verdict::Inconclusive, undecided));
}

#[test]
fn rounds_before_the_steady_state_do_not_count() {
    let mut rounds = test(Aim::DiskIops, level(30_000.0));
    let more = [20_000.0, 12_800.0, 12_790.0, 12_810.0, 12_800.0, 12_800.0].map(level);
    rounds.rounds.extend(more.map(|record| Round { at: Vec::new(), record }));
    let values = vec![30e3, 20e3, 12.8e3, 12.79e3, 12.81e3, 12.8e3, 12.8e3];
    let state = SteadyState::Window { first: 3, last: 7, range_share: 0.01, slope_share: 0.01 };
    rounds.steady = vec![steady(values, Some(2), state)];
    let assessment = judged(rounds, UNCACHED);
    let judgement = &assessment.tests[0].judgements[0];
    assert_eq!((judgement.verdict, (judgement.measured / 100.0).round()), (Verdict::Pass, 128.0), "{judgement:?}");
}

#[test]
fn each_combination_of_settings_has_its_own_steady_rounds() {
    let at = |depth: &str| vec![("iodepth".to_owned(), depth.to_owned())];
    let mut varied = test(Aim::DiskIops, level(20_000.0));
    varied.rounds.clear();
    // Depth 1 is steady from its second round on, depth 16 from its first one on.
    let both = [("1", vec![20_000.0, 12_800.0, 12_800.0]), ("16", vec![14_000.0, 13_000.0, 14_000.0])];
    for (depth, rates) in &both {
        varied.rounds.extend(rates.iter().map(|rate| Round { at: at(depth), record: level(*rate) }));
    }
    let state = || SteadyState::Window { first: 1, last: 5, range_share: 0.01, slope_share: 0.01 };
    let of = |depth: &str, values: &[f64], from: usize| assessment::Steady {
        at: Some(at(depth)),
        ..steady(values.to_vec(), Some(from), state())
    };
    varied.steady = vec![of("1", &both[0].1, 1), of("16", &both[1].1, 0)];
    let assessment = judged(varied, UNCACHED);
    let judgements = &assessment.tests[0].judgements;
    let measured: Vec<f64> = judgements.iter().map(|judgement| (judgement.measured / 100.0).round()).collect();
    assert_eq!(measured, [128.0, 140.0], "{judgements:?}");
}

#[test]
fn bandwidth_is_compared_with_bandwidth() {
    // 192 MB/s are 2,930 blocks of 64 KiB.
    let at = |ios: u64| judged(test(Aim::DiskBandwidth, run(&vec![[ios, 0]; 60], 65536, false)), UNCACHED);
    let passed = at(2929);
    let judgement = &passed.tests[0].judgements[0];
    assert_eq!((passed.verdict, judgement.metric), (Verdict::Pass, metric("read.bw")));
    assert_eq!(judgement.threshold.as_ref().map(|threshold| threshold.value), Some(192e6));
    assert_eq!(at(2000).verdict, Verdict::Fail);
}

#[test]
fn reads_and_writes_share_a_limit() {
    let mixed = |reads: u64, writes: u64| {
        let assessment = judged(test(Aim::DiskIops, run(&vec![[reads, writes]; 60], 4096, true)), UNCACHED);
        (assessment.verdict, assessment.tests[0].judgements.clone())
    };
    let (verdict, judgements) = mixed(8960, 3840);
    assert_eq!((verdict, judgements.len()), (Verdict::Pass, 1));
    let value = judgements[0].threshold.as_ref().map(|threshold| threshold.value.round());
    assert_eq!((judgements[0].metric, value), (Metric::IOPS, Some(12_800.0)));
    assert_eq!(mixed(6000, 3000).0, Verdict::Fail);
    // The burst limit of one direction does not apply to both together.
    let above = mixed(11_200, 4800).1[0].reason.clone();
    assert!(matches!(above, Reason::Enough { above_limit: Some(AboveLimit::Unpublished), .. }), "{above:?}");
    // I/O that the cache serves has a separate limit.
    let both = test(Aim::VmCached, run(&vec![[77_000, 12_800]; 60], 4096, true));
    let assessment = judged(both, "azure:Standard_D8ds_v4");
    assert_eq!(
        (assessment.verdict, assessment.tests[0].judgements.len()),
        (Verdict::Pass, 2),
        "{:?}",
        assessment.cause
    );
}

#[test]
fn an_expectation_of_a_volume_applies_to_its_io() {
    let used = |name: &str, reads: bool, writes: bool| VolumeUse { name: name.to_owned(), reads, writes };
    let both = |volumes: Vec<VolumeUse>, words: &str| {
        let load = run(&vec![[77_000, 12_800]; 60], 4096, true);
        let assessment = judged(Test { volumes, ..test(Aim::VmCached, load) }, words);
        assessment.tests[0].judgements.iter().map(|one| one.metric.to_string()).collect::<Vec<_>>()
    };
    let apart = || vec![used("readcache", true, false), used("nocache", false, true)];
    assert_eq!(both(apart(), "nocache=azure:P30x3+Standard_D8ds_v4"), ["write.iops"]);
    assert_eq!(both(apart(), "readcache=azure:Standard_D8ds_v4"), ["read.iops"]);
    assert_eq!(both(apart(), "azure:Standard_D8ds_v4"), ["read.iops", "write.iops"]);
    assert!(both(apart(), "log=azure:Standard_D8ds_v4").is_empty());
    // A figure that combines writes to two volumes belongs to neither.
    let mixed = vec![used("readcache", true, true), used("nocache", false, true)];
    assert_eq!(both(mixed, "readcache=azure:Standard_D8ds_v4"), ["read.iops"]);
}

#[test]
fn the_limits_of_the_tests_are_listed() {
    let judged = |aim: Aim, rates: [u64; 2]| {
        let assessment = judged(test(aim, run(&vec![rates; 60], 4096, true)), "azure:Standard_D8ds_v4");
        let limits = &assessment.expectations[0].limits;
        limits.iter().map(|limit| (limit.metric.to_string(), limit.value)).collect::<Vec<_>>()
    };
    let [read_iops, read_bw] = ["read.iops", "read.bw"].map(str::to_owned);
    let [write_iops, write_bw] = ["write.iops", "write.bw"].map(str::to_owned);
    let (reads, writes) = ([(read_iops, 77_000.0), (read_bw, 485e6)], [(write_iops, 12_800.0), (write_bw, 192e6)]);
    assert_eq!(judged(Aim::VmCached, [77_000, 12_800]), [reads, writes.clone()].concat());
    assert_eq!(judged(Aim::VmUncached, [0, 12_800]), writes);
}

#[test]
fn a_requirement_of_a_volume_applies_to_its_io() {
    let used = |name: &str, reads: bool, writes: bool| VolumeUse { name: name.to_owned(), reads, writes };
    let on = |name: &str, volumes: Vec<VolumeUse>, rates: [u64; 2]| {
        let load = run(&vec![rates; 60], 4096, true);
        Test { name: name.to_owned(), volumes, ..test(Aim::VmCached, load) }
    };
    let with = |words: &str| {
        let writes = on("writes", vec![used("nocache", false, true)], [0, 12_800]);
        let apart = vec![used("readcache", true, false), used("nocache", false, true)];
        let mut assessment = assessment(vec![writes, on("both", apart, [77_000, 12_000])]);
        judge(&mut assessment, &[], &require(words));
        let all = assessment.tests.iter().flat_map(|test| &test.judgements);
        let all = all.map(|one| (one.metric.to_string(), one.measured)).collect::<Vec<_>>();
        (all, assessment.verdict, assessment.cause)
    };
    let all =
        |expected: &[(&str, f64)]| expected.iter().map(|(name, rate)| ((*name).to_owned(), *rate)).collect::<Vec<_>>();
    assert_eq!(with("nocache:write.iops>=5000").0, all(&[("write.iops", 12_800.0), ("write.iops", 12_000.0)]));
    assert_eq!(with("readcache:read.iops>=5000").0, all(&[("read.iops", 77_000.0)]));
    // A figure of all directions counts only without I/O on other volumes.
    assert_eq!(with("nocache:iops>=5000").0, all(&[("iops", 12_800.0)]));
    let (_, verdict, cause) = with("nocache:write.iops>=20000");
    let Cause::Test { cause, .. } = cause else { panic!("{cause:?}") };
    let Cause::Judgement(judgement) = *cause else { panic!("{cause:?}") };
    let basis = judgement.threshold.map(|threshold| threshold.basis);
    let on_volume = Basis::Requirement { volume: Some("nocache".to_owned()), application: None, is_unconfirmed: false };
    assert_eq!((verdict, basis), (Verdict::Fail, Some(on_volume)));
    let (judged, verdict, cause) = with("readcache:write.iops>=1");
    assert!(judged.is_empty() && verdict == Verdict::Inconclusive, "{cause:?}");
    assert_eq!(unmeasured(&cause), ["readcache:write.iops>=1"]);
}

#[test]
fn a_batch_at_the_start_is_no_fall() {
    let batches = [3946, 1815, 2708, 1800, 2700, 1800, 2700, 1800, 2700, 1800, 2700, 1800, 2700, 1775, 2725, 2824];
    let (verdict, cause) = on(writes(batches.iter().map(|ios| f64::from(*ios) * 4.0), 0.0));
    assert_eq!((verdict, cause), (Verdict::Fail, level_in(2.0)));
}

#[test]
fn the_ends_of_a_short_run_make_no_level() {
    let ended = |level: f64, end: f64| {
        let rates = [end].into_iter().chain(std::iter::repeat_n(level, 18)).chain([end]);
        let mut record = writes(rates, 0.0);
        // The I/Os in flight at the end completed after the last interval.
        record.workers[0].stats.ddirs[1].ios += 4000;
        on(record)
    };
    let (verdict, reason) = ended(12_800.0, 15_000.0);
    let Reason::Enough { above_limit: Some(AboveLimit::StartAndEnd { level }), .. } = reason else {
        panic!("{reason:?}")
    };
    assert_eq!((verdict, level), (Verdict::Pass, 12_800.0));
    // The last I/Os were waited for: the surplus of the first interval does not make the others less certain.
    let mut waited = writes([15_000.0].into_iter().chain(std::iter::repeat_n(12_600.0, 19)), 0.0);
    waited.workers[0].stats.ddirs[1].runtime_ns = 20_200_000_000;
    let assessment = judged(test(Aim::VmUncached, waited), UNCACHED);
    let judgement = &assessment.tests[0].judgements[0];
    assert_eq!((judgement.verdict, judgement.measured.round()), (Verdict::Pass, 12_594.0), "{judgement:?}");
    let (verdict, reason) = ended(12_400.0, 12_500.0);
    assert_eq!((verdict, reason), (Verdict::Inconclusive, Reason::OnlyWithStartAndEnd { level: 12_400.0 }));
}

#[test]
fn a_batch_in_the_next_interval_is_not_missed() {
    let with = |at: &[(usize, f64)]| {
        let rate = |nth: usize| at.iter().find(|(place, _)| *place == nth).map_or(12_800.0, |(_, rate)| *rate);
        // The promise is about disks.
        let disk = "azure:premium-v2?iops=12800&size=100";
        let judged = judged(test(Aim::DiskIops, writes((0..40).map(rate), 0.002)), disk);
        let judgement = &judged.tests[0].judgements[0];
        (judgement.verdict, judgement.reason.clone())
    };
    let missed = |rates: &[(usize, f64)]| match with(rates) {
        (Verdict::Pass, Reason::Enough { missed, .. }) => missed,
        other => panic!("{other:?}"),
    };
    assert_eq!(missed(&[(11, 10_240.0), (12, 15_360.0), (30, 15_360.0), (31, 10_240.0)]), None);
    assert_eq!(missed(&[(11, 11_000.0)]).map(|missed| missed.promised_share), Some(0.999));
    // An interval that is enough counts as enough, whatever its neighbours are.
    let around = missed(&[(11, 11_900.0), (13, 11_900.0)]);
    assert_eq!(around.map(|missed| missed.below_share), Some(2.0 / 40.0));
}

#[test]
fn a_latency_is_compared_with_the_published_one() {
    let alone = |ns: u64| {
        let mut record = level(500.0);
        add_latencies(&mut record, &Of::Lat, 30_000, |at| ns + at % 1000);
        judged(test(Aim::LatencyFloor, record), "alibaba:essd-pl1?size=500")
    };
    let assessment = alone(180_000);
    assert_eq!(assessment.verdict, Verdict::Pass, "{:?}", assessment.cause);
    assert_eq!(assessment.tests[0].judgements[0].metric, metric("write.lat.mean"));
    assert_eq!(alone(900_000).verdict, Verdict::Fail);
}

#[test]
fn the_interval_of_a_latency_covers_all_rounds() {
    let with = |each: [u64; 3]| {
        let mut rounds = test(Aim::LatencyFloor, level(500.0));
        let round = |ns: u64| {
            let mut record = level(500.0);
            add_latencies(&mut record, &Of::Lat, 30_000, |at| ns + at % 1000);
            Round { at: Vec::new(), record }
        };
        rounds.rounds = each.map(round).into();
        let mut assessment = assessment(vec![rounds]);
        judge(&mut assessment, &[], &require("write.lat.p99<=200us"));
        assessment.verdict
    };
    let verdicts = [[180_000, 185_000, 190_000], [180_000, 185_000, 300_000], [300_000; 3]].map(with);
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail]);
}

#[test]
fn requirements_apply_to_tests_with_their_aim() {
    let mut slow = test(Aim::LatencyFloor, level(900.0));
    slow.name = "latency".to_owned();
    add_latencies(&mut slow.rounds[0].record, &Of::Clat, 54_000, |_| 1_000_000);
    let fast = test(Aim::DiskIops, level(9000.0));
    let with = |words: &str| {
        let mut assessment = assessment(vec![slow.clone(), fast.clone()]);
        judge(&mut assessment, &[], &require(words));
        let counts: Vec<usize> = assessment.tests.iter().map(|test| test.judgements.len()).collect();
        (assessment.verdict, counts, assessment.cause)
    };
    let (verdict, counts, cause) = with("write.iops>=5000,write.clat.p99<=10ms");
    assert_eq!((verdict, counts), (Verdict::Pass, vec![1, 1]), "{cause:?}");
    assert_eq!(with("write.iops>=10000").0, Verdict::Fail);
    assert_eq!(with("write.clat.p99<=500us").0, Verdict::Fail);
    let (verdict, _, cause) = with("fsync.p99<=10ms");
    assert_eq!((verdict, unmeasured(&cause)), (Verdict::Inconclusive, vec!["fsync.p99<=10ms"]));
    // Too few I/Os lie beyond this percentile.
    let (verdict, _, cause) = with("write.clat.p99.999<=10ms");
    let Cause::Test { cause, .. } = cause else { panic!("{cause:?}") };
    let Cause::Judgement(judgement) = *cause else { panic!("{cause:?}") };
    assert_eq!((verdict, judgement.reason), (Verdict::Inconclusive, Reason::TooFewIos { ios: 54_000 }));
}

#[test]
fn applications_have_their_flushes_judged() {
    let etcd = |ns: u64| {
        let mut assessment = assessment(vec![flushes(400.0, ns)]);
        let etcd =
            Requirements::of_application(&Source::new("--for", "etcd")).unwrap_or_else(|wrong| panic!("{wrong}"));
        judge(&mut assessment, &[], &[etcd]);
        (assessment.verdict, assessment.tests[0].judgements.len())
    };
    assert_eq!(etcd(2_000_000), (Verdict::Pass, 2));
    assert_eq!(etcd(20_000_000), (Verdict::Fail, 2));
}

#[test]
fn applications_are_judged_by_the_measured_figures() {
    let judged = |tests: &[Test]| {
        let known = judge::applications::judge(tests).into_iter();
        known.map(|one| (one.name.clone(), (one.verdict, one.cause))).collect::<BTreeMap<_, _>>()
    };
    let known = judged(&[flushes(400.0, 3_000_000)]);
    assert_eq!(known["etcd"], (Verdict::Pass, Cause::RequirementsMet));
    let rule = |name: &str| match &known[name].1 {
        Cause::Rule(judgement) => (judgement.metric.to_string(), judgement.measured),
        other => panic!("{other:?}"),
    };
    let (name, measured) = rule("k3s");
    assert!(known["k3s"].0 == Verdict::Pass && name == "fsync.p99" && (measured / 3e6 - 1.0).abs() < 0.02);
    assert_eq!(rule("etcd-heavy"), ("write.iops".to_owned(), 400.0));
    // Other loads are no figures of these.
    assert!(!["sql-server", "sap-hana"].iter().any(|name| known.contains_key(*name)), "{known:?}");
    // Writes without syncs are not those of a journal.
    let unsafe_writes = judged(&[test(Aim::DiskIops, level(20_000.0))]);
    assert!(!unsafe_writes.contains_key("gke-on-prem") && !unsafe_writes.contains_key("etcd"), "{unsafe_writes:?}");
    // Writes of a file that is opened with O_DSYNC are those of a journal.
    let mut durable = flushes(400.0, 3_000_000);
    let worker = &mut Arc::make_mut(&mut durable.rounds[0].record.plan).workers[0];
    worker.job_mut().unwrap().access.syncs = plan::Syncs::default();
    worker.job_mut().unwrap().targets.open.sync = plan::SyncMode::Dsync;
    let (durable, mut lost) = (judged(std::slice::from_ref(&durable)), durable);
    assert!(durable.contains_key("etcd-heavy"), "{durable:?}");
    Arc::make_mut(&mut lost.rounds[0].record.plan).workers[0].job_mut().unwrap().targets.open.sync =
        plan::SyncMode::None;
    assert!(!judged(&[lost]).contains_key("etcd-heavy"));
    // The most important figure was not measured.
    let mut synced = flushes(400.0, 3_000_000);
    synced.rounds[0].record.workers[0].stats.sync_lat = record::Latency::default();
    let judged = judged(&[synced]);
    let (verdict, cause) = &judged["etcd"];
    assert_eq!((*verdict, unmeasured(cause)), (Verdict::Inconclusive, vec!["fsync.p99<=10ms"]));
}

#[test]
fn a_threshold_that_no_document_confirms_decides_no_fail() {
    let limits = |confidence: &str| {
        let text = format!(
            r#"schema = "fathom.limits/1"
            provider = "mine"
            title = "Our own storage"
            default_path = "san"
            machine_parameters = []
            [[group]]
            title = "Volumes"
            kind = "disk"
            name = "gold"
            source = "a message"
            date = "2026-11-26"
            confidence = "{confidence}"
            limit = {{ iops = "10000" }}"#
        );
        let mut catalogue = Catalogue::default();
        catalogue.add(&Source::new("mine.toml", text)).unwrap_or_else(|wrong| panic!("{wrong}"));
        catalogue.expect(&Source::new("--expect", "mine:gold")).unwrap_or_else(|wrong| panic!("{wrong}"))
    };
    let rules = |confidence: &str| {
        let text = format!(
            r#"schema = "fathom.requirements/1"
            title = "Our database"
            source = "a message"
            date = "2026-11-26"
            confidence = "{confidence}"
            [[require]]
            rule = "write.iops>=10000""#
        );
        Requirements::read(&Source::new("own.toml", text)).unwrap_or_else(|wrong| panic!("{wrong}"))
    };
    let on = |rate: f64, expectations: &[Expectation], rules: &[Requirements]| {
        let mut assessment = assessment(vec![test(Aim::DiskIops, level(rate))]);
        judge(&mut assessment, expectations, rules);
        (assessment.verdict, matches!(reason(&assessment), Reason::NotConfirmed(RateShape::Level { .. })))
    };
    let both =
        |rate: f64, confidence: &str| [on(rate, &[limits(confidence)], &[]), on(rate, &[], &[rules(confidence)])];
    assert_eq!(both(5000.0, "medium"), [(Verdict::Fail, false); 2]);
    assert_eq!(both(5000.0, "low"), [(Verdict::Inconclusive, true); 2]);
    assert_eq!(both(10_100.0, "low"), [(Verdict::Pass, false); 2]);
}

#[test]
fn the_worst_of_the_tests_is_the_verdict() {
    let mut bad = test(Aim::VmUncached, level(9000.0));
    bad.name = "second".to_owned();
    let good = || test(Aim::VmUncached, level(12_800.0));
    let mut whole = assessment(vec![good(), bad, good()]);
    judge(&mut whole, &expect(UNCACHED), &[]);
    let is_second = matches!(&whole.cause, Cause::Test { name, others: 0, tests: 3, .. } if name == "second");
    assert!(whole.verdict == Verdict::Fail && is_second, "{:?}", whole.cause);
    whole.stopped = true;
    judge(&mut whole, &expect(UNCACHED), &[]);
    assert_eq!(whole.verdict, Verdict::Fail);
    let mut stopped = assessment(vec![good()]);
    stopped.stopped = true;
    judge(&mut stopped, &expect(UNCACHED), &[]);
    assert_eq!((stopped.verdict, stopped.cause), (Verdict::Inconclusive, Cause::Stopped { measured: 1, tests: None }));
    let mut nothing = assessment(vec![test(Aim::Behaviour, level(10.0))]);
    judge(&mut nothing, &[], &[]);
    assert_eq!((nothing.verdict, &nothing.cause), (Verdict::Measured, &Cause::NothingExpected));
    judge(&mut nothing, &expect(UNCACHED), &[]);
    assert_eq!((nothing.verdict, &nothing.cause), (Verdict::Inconclusive, &Cause::NoLimitTested));
    judge(&mut assessment(Vec::new()), &[], &[]);
}

fn only(rate: f64, noise: f64) -> Judgement {
    let record = writes(std::iter::repeat_n(rate, 40), noise);
    judged(test(Aim::VmUncached, record), UNCACHED).tests.remove(0).judgements.remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn more_is_never_worse(rate in 3000.0f64..15_000.0, more in 1.0f64..1.05, noise in 0.0f64..0.2) {
        let rank = |verdict: Verdict| match verdict {
            Verdict::Fail | Verdict::Invalid => 0,
            Verdict::Inconclusive | Verdict::Skipped => 1,
            Verdict::Pass | Verdict::Measured => 2,
        };
        let (less, more) = (only(rate, noise), only(rate * more, noise));
        prop_assert!(rank(more.verdict) >= rank(less.verdict), "{:?} / {:?}", less.reason, more.reason);
    }

    #[test]
    fn the_figures_of_a_judgement_agree(rate in 1000.0f64..30_000.0, noise in 0.0f64..0.3) {
        let judgement = only(rate, noise);
        let expected = judgement.threshold.as_ref().map_or(0.0, |threshold| threshold.value);
        let (low, high) = judgement.interval.unwrap_or_default();
        prop_assert!(low <= judgement.measured * 1.001 && high >= judgement.measured * 0.999);
        match judgement.verdict {
            Verdict::Pass => prop_assert!(low >= expected * 0.98),
            Verdict::Fail => prop_assert!(high < expected * 0.98),
            _ => {}
        }
    }
}

#[test]
fn a_failed_run_fails_a_study_and_leaves_a_suites_question_open() {
    let ended = |verdict: Verdict, study: Study, error: Option<Failure>| {
        let tests = vec![Test { error, ..test(Aim::DiskIops, level(1000.0)) }];
        conclusion(&Assessment { verdict, study, ..assessment(tests) })
    };
    let failed = || Some(Failure::NoIo);
    let suite = Study::default;
    assert_eq!(ended(Verdict::Inconclusive, Study::Single, failed()), Conclusion::Failed);
    assert_eq!(ended(Verdict::Inconclusive, Study::Single, None), Conclusion::Inconclusive);
    assert_eq!(ended(Verdict::Inconclusive, suite(), failed()), Conclusion::Inconclusive);
    assert_eq!(ended(Verdict::Fail, suite(), None), Conclusion::Failed);
    assert_eq!(ended(Verdict::Invalid, Study::Single, failed()), Conclusion::Invalid);
    assert_eq!([Verdict::Pass, Verdict::Measured].map(|verdict| ended(verdict, suite(), None)), [Conclusion::Done; 2]);
}

#[test]
fn the_title_of_a_diskspd_run_has_its_switches_without_splitting_the_line() {
    let run = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let command_line = "diskspd -b4K -d5 my file".to_owned();
        let origin = Origin::DiskSpd { command_line, args, profile_xml: String::new() };
        Record::new(Arc::new(Plan { origin, ..Plan::default() }), 0)
    };
    let (whole, old) = (run(&["-b4K", "-d5", "my file"]), run(&[]));
    assert_eq!((single::title(&whole), single::title(&old)), ("-b4K -d5".into(), "diskspd -b4K -d5 my file".into()));
    assert_eq!(single::assessment(&whole).command, ["fathom", "diskspd", "-b4K", "-d5", "my file"]);
    assert_eq!(single::assessment(&old).command, ["fathom", "diskspd -b4K -d5 my file"]);
}
