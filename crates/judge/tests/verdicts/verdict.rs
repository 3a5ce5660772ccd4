//! Verdicts on runs that are made to be known: at a limit, below it, above it, unsteady, cut short, invalid.

use std::collections::BTreeMap;
use std::sync::Arc;

use assessment::{
    Aim, Assessment, Finding, Judgement, Round, SCHEMA, Severity, Steady, Study, Target, Test, Verdict, VolumeUse,
};
use judge::limits::{Catalogue, Expectation};
use judge::requirements::Requirements;
use judge::verdict::judge;
use plan::{Ddir, Pattern, Plan, Worker};
use proptest::prelude::*;
use record::{Machine, PhaseRecord, Record, Timeline};
use units::diagnostic::Source;

const UNCACHED: &str = "azure:Standard_D8ds_v4/uncached";

/// A run of so many I/Os in each second, by direction, of that block size.
fn run(seconds: &[[u64; 2]], block: u64, random: bool) -> Record {
    let mut worker = Worker::default();
    worker.access.pattern.random = random;
    let plan = Plan { workers: vec![worker], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 0);
    let mut timeline = Timeline::new(0, 1_000_000_000, Vec::new());
    let length_ns = seconds.len() as u64 * 1_000_000_000;
    for (at, ios) in seconds.iter().enumerate() {
        let from = at as u64 * 1_000_000_000;
        for ddir in [Ddir::Read, Ddir::Write] {
            let ios = ios[ddir as usize];
            timeline.count((from, from + 1_000_000_000), ddir, ios, ios * block);
            let stats = &mut record.workers[0].stats.ddirs[ddir as usize];
            stats.ios += ios;
            stats.bytes += ios * block;
            stats.runtime_ns = length_ns;
        }
    }
    timeline.until_ns = length_ns;
    timeline.slots.iter_mut().for_each(|slot| slot.workers = 1);
    record.timeline.push(timeline);
    record.phases.push(PhaseRecord { measured_ns: length_ns, ..PhaseRecord::default() });
    record
}

/// Random writes of 4 KiB at that rate, with noise of that part of it.
fn writes(rates: impl Iterator<Item = f64>, noise: f64) -> Record {
    let mut state = 1u64;
    let seconds: Vec<[u64; 2]> = rates
        .map(|rate| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            [0, (rate * (1.0 + noise * draw)).round() as u64]
        })
        .collect();
    run(&seconds, 4096, true)
}

fn level(rate: f64) -> Record {
    writes(std::iter::repeat_n(rate, 60), 0.002)
}

fn test(aim: Aim, record: Record) -> Test {
    Test {
        name: "random-write".to_owned(),
        title: String::new(),
        aim,
        volumes: Vec::new(),
        job: String::new(),
        rounds: vec![Round { at: Vec::new(), record }],
        steady: None,
        findings: Vec::new(),
        judgements: Vec::new(),
        verdict: Verdict::Pass,
        cause: String::new(),
        error: None,
    }
}

/// Writes one after another, each flushed in that time.
fn flushes(rate: f64, ns: u64) -> Test {
    let mut test = test(Aim::FlushLatency, level(rate));
    let record = &mut test.rounds[0].record;
    let mut plan = Plan::clone(&record.plan);
    let access = &mut plan.workers[0].access;
    access.pattern = Pattern { reads: false, writes: true, ..Pattern::default() };
    access.syncs.fdatasync_every_writes = 1;
    record.plan = Arc::new(plan);
    (0..5000).for_each(|_| record.workers[0].stats.sync_lat.record(ns));
    (0..5000).for_each(|_| record.workers[0].stats.ddirs[Ddir::Write as usize].lat.record(8000));
    test
}

fn assessment(tests: Vec<Test>) -> Assessment {
    Assessment {
        schema: SCHEMA.to_owned(),
        fathom: String::new(),
        command: Vec::new(),
        started_unix_ms: 0,
        ended_unix_ms: 0,
        utc_offset_s: 0,
        suite: String::new(),
        title: String::new(),
        target: Target::default(),
        volumes: Vec::new(),
        machine: Machine::default(),
        tags: Vec::new(),
        preparation: Vec::new(),
        tests,
        expectations: Vec::new(),
        applications: Vec::new(),
        verdict: Verdict::Pass,
        cause: String::new(),
        stopped: false,
        study: Study::default(),
    }
}

fn expect(words: &str) -> Vec<Expectation> {
    vec![Catalogue::built_in().expect(&Source::new("--expect", words)).unwrap_or_else(|wrong| panic!("{wrong}"))]
}

fn require(words: &str) -> Vec<Requirements> {
    vec![Requirements::parse(&Source::new("--require", words)).unwrap_or_else(|wrong| panic!("{wrong}"))]
}

fn judged(test: Test, words: &str) -> Assessment {
    let mut assessment = assessment(vec![test]);
    judge(&mut assessment, &expect(words), &[]);
    assessment
}

/// The verdict on a run of writes against the VM's uncached limit of 12,800.
fn on(record: Record) -> (Verdict, String) {
    let assessment = judged(test(Aim::VmUncached, record), UNCACHED);
    (assessment.verdict, assessment.cause)
}

fn finding(id: &str, severity: Severity) -> Finding {
    let text = |what: &str| format!("{what} of {id}");
    Finding { id: id.to_owned(), severity, what: text("what"), evidence: String::new(), advice: String::new() }
}

#[test]
fn at_the_limit_is_a_pass() {
    let (verdict, cause) = on(level(12_790.0));
    assert_eq!(verdict, Verdict::Pass, "{cause}");
    assert!(cause.contains("99.9 % of the 12,800 IOPS of Standard_D8ds_v4 uncached"), "{cause}");
    let assessment = judged(test(Aim::VmUncached, level(12_790.0)), UNCACHED);
    let judgement = &assessment.tests[0].judgements[0];
    assert_eq!((judgement.metric.as_str(), judgement.unit.as_str()), ("write.iops", "IOPS"));
    assert_eq!(judgement.expected, Some(12_800.0));
    assert!(judgement.interval.is_some_and(|(low, high)| low < 12_790.0 && high > 12_785.0), "{judgement:?}");
    assert_eq!(assessment.expectations[0].words, UNCACHED);
    assert!(
        assessment.expectations[0].limits.iter().any(|limit| limit.metric == "write.iops" && limit.value == 12_800.0)
    );
}

#[test]
fn a_lower_throttle_is_a_fail_with_its_cause() {
    let (verdict, cause) = on(level(9000.0));
    assert_eq!(verdict, Verdict::Fail);
    assert!(cause.contains(" IOPS, 70.3 % of the 12,800 IOPS of Standard_D8ds_v4 uncached"), "{cause}");
    assert!(cause.contains("steady at that level in all intervals, as a throttle does"), "{cause}");
    let (verdict, cause) = on(writes(std::iter::repeat_n(9000.0, 60), 0.3));
    assert!(verdict == Verdict::Fail && cause.contains("as a target at its own limit does"), "{cause}");
}

#[test]
fn batches_that_do_not_fit_the_intervals_are_no_noise() {
    // As a throttle with slices of 100 ms shows in intervals of 250 ms.
    let turns = |rate: f64| writes((0..60).map(|at| if at % 2 == 0 { rate * 1.2 } else { rate * 0.8 }), 0.02);
    let (verdict, cause) = on(turns(12_800.0));
    assert_eq!(verdict, Verdict::Pass, "{cause}");
    let (verdict, cause) = on(turns(9000.0));
    assert!(verdict == Verdict::Fail && cause.contains("as a throttle does"), "{cause}");
}

#[test]
fn a_burst_is_said_to_be_one() {
    let (verdict, cause) = on(level(16_000.0));
    assert_eq!(verdict, Verdict::Pass);
    assert!(cause.contains("a burst, up to 16,000 IOPS for 30 minutes"), "{cause}");
    // The burst ends in mid-run: what is left is enough, or is not.
    let falls = |to: f64| writes((0..60).map(|at| if at < 30 { 16_000.0 } else { to }), 0.002);
    let (verdict, cause) = on(falls(12_800.0));
    assert!(verdict == Verdict::Pass && cause.contains("fell from 16,0") && cause.contains("is enough"), "{cause}");
    let (verdict, cause) = on(falls(9000.0));
    assert!(verdict == Verdict::Fail && cause.contains("fell from"), "{cause}");
    // Nothing that is published allows this.
    let (verdict, cause) = on(level(70_000.0));
    assert!(verdict == Verdict::Inconclusive && cause.contains("a cache answered"), "{cause}");
}

#[test]
fn what_does_not_decide_it_is_inconclusive() {
    let few = writes(std::iter::repeat_n(12_800.0, 3), 0.0);
    assert!(matches!(on(few), (Verdict::Inconclusive, cause) if cause.contains("3 whole intervals are too few")));
    let (verdict, cause) = on(writes((0..60).map(|at| 5000.0 + 100.0 * f64::from(at)), 0.01));
    assert!(verdict == Verdict::Inconclusive && cause.contains("still rising"), "{cause}");
    let (verdict, cause) = on(writes(std::iter::repeat_n(12_544.0, 60), 0.3));
    assert!(verdict == Verdict::Inconclusive && cause.contains("with 95 % confidence from"), "{cause}");

    let mut early = test(Aim::VmUncached, level(12_800.0));
    early.findings.push(finding("ended-early", Severity::Warning));
    let assessment = judged(early, UNCACHED);
    assert!(assessment.verdict == Verdict::Inconclusive && assessment.cause.contains("ended-early"));

    let limited = |rate| {
        let mut test = test(Aim::VmUncached, level(rate));
        test.findings.push(finding("generator-limit", Severity::Warning));
        judged(test, UNCACHED).verdict
    };
    let mut throttled = test(Aim::VmUncached, writes(std::iter::repeat_n(9000.0, 60), 0.3));
    throttled.findings.push(finding("throttled", Severity::Info));
    assert!(judged(throttled, UNCACHED).cause.contains("a throttle sets that rate"));
    assert_eq!((limited(9000.0), limited(12_800.0)), (Verdict::Inconclusive, Verdict::Pass));

    let mut unsteady = test(Aim::VmUncached, level(12_800.0));
    let detail = "not steady: the last rounds 21 to 25 differ".to_owned();
    let values = vec![1.0];
    unsteady.steady =
        Some(Steady { rule: "snia".into(), metric: "write.iops".into(), values, from_round: None, detail });
    assert!(judged(unsteady, UNCACHED).cause.contains("rounds 21 to 25"));

    let mut stopped = test(Aim::VmUncached, level(12_800.0));
    stopped.error = Some("it was stopped before its time".to_owned());
    assert_eq!(judged(stopped, UNCACHED).verdict, Verdict::Inconclusive);
}

#[test]
fn a_job_that_asks_for_less_does_not_speak_against_the_target() {
    let asked = |rate: u64, measured: f64| {
        let mut record = level(measured);
        let mut plan = (*record.plan).clone();
        plan.workers[0].access.pattern.writes = true;
        plan.workers[0].rate.ios_per_s[Ddir::Write] = rate;
        record.plan = Arc::new(plan);
        on(record)
    };
    let (verdict, cause) = asked(3200, 3200.0);
    assert!(verdict == Verdict::Inconclusive && cause.contains("no more than 3,200 IOPS were asked for"), "{cause}");
    assert_eq!(asked(12_800, 12_795.0).0, Verdict::Pass);
    assert_eq!(asked(12_800, 9000.0).0, Verdict::Fail);
}

#[test]
fn what_is_not_of_the_disk_is_invalid() {
    let mut cached = test(Aim::VmUncached, level(9000.0));
    cached.findings.push(finding("page-cache", Severity::Invalid));
    let assessment = judged(cached, UNCACHED);
    assert_eq!(assessment.verdict, Verdict::Invalid);
    assert_eq!(assessment.cause, "random-write: what of page-cache");
    assert_eq!(assessment.tests[0].judgements[0].verdict, Verdict::Invalid);
}

#[test]
fn rounds_before_the_steady_state_do_not_count() {
    let mut rounds = test(Aim::DiskIops, level(30_000.0));
    let more = [20_000.0, 12_800.0, 12_790.0, 12_810.0, 12_800.0, 12_800.0].map(level);
    rounds.rounds.extend(more.map(|record| Round { at: Vec::new(), record }));
    let values = vec![30e3, 20e3, 12.8e3, 12.79e3, 12.81e3, 12.8e3, 12.8e3];
    let detail = "steady over rounds 3 to 7".to_owned();
    rounds.steady =
        Some(Steady { rule: "snia".into(), metric: "write.iops".into(), values, from_round: Some(2), detail });
    let assessment = judged(rounds, UNCACHED);
    let judgement = &assessment.tests[0].judgements[0];
    assert_eq!(
        (judgement.verdict, (judgement.measured / 100.0).round()),
        (Verdict::Pass, 128.0),
        "{}",
        judgement.cause
    );
}

#[test]
fn bandwidth_is_held_against_bandwidth() {
    // 192 MB/s are 2,930 blocks of 64 KiB.
    let at = |ios: u64| judged(test(Aim::DiskBandwidth, run(&vec![[ios, 0]; 60], 65536, false)), UNCACHED);
    let passed = at(2929);
    assert_eq!((passed.verdict, passed.tests[0].judgements[0].metric.as_str()), (Verdict::Pass, "read.bw"));
    assert!(passed.cause.contains("of the 183 MiB/s (192 MB/s) of"), "{}", passed.cause);
    assert_eq!(at(2000).verdict, Verdict::Fail);
}

#[test]
fn reads_and_writes_share_what_they_share() {
    let mixed = |reads: u64, writes: u64| {
        let assessment = judged(test(Aim::DiskIops, run(&vec![[reads, writes]; 60], 4096, true)), UNCACHED);
        (assessment.verdict, assessment.tests[0].judgements.clone())
    };
    let (verdict, judgements) = mixed(8960, 3840);
    assert_eq!((verdict, judgements.len()), (Verdict::Pass, 1));
    assert_eq!((judgements[0].metric.as_str(), judgements[0].expected.map(f64::round)), ("iops", Some(12_800.0)));
    assert_eq!(mixed(6000, 3000).0, Verdict::Fail);
    // What a cache answers draws on a budget of its own.
    let both = test(Aim::VmCached, run(&vec![[77_000, 12_800]; 60], 4096, true));
    let assessment = judged(both, "azure:Standard_D8ds_v4");
    assert_eq!((assessment.verdict, assessment.tests[0].judgements.len()), (Verdict::Pass, 2), "{}", assessment.cause);
}

#[test]
fn what_is_expected_of_a_volume_is_held_against_what_is_done_there() {
    let used = |name: &str, reads: bool, writes: bool| VolumeUse { name: name.to_owned(), reads, writes };
    let both = |volumes: Vec<VolumeUse>, words: &str| {
        let load = run(&vec![[77_000, 12_800]; 60], 4096, true);
        let assessment = judged(Test { volumes, ..test(Aim::VmCached, load) }, words);
        assessment.tests[0].judgements.iter().map(|one| one.metric.clone()).collect::<Vec<_>>()
    };
    let apart = || vec![used("readcache", true, false), used("nocache", false, true)];
    assert_eq!(both(apart(), "nocache=azure:P30x3+Standard_D8ds_v4"), ["write.iops"]);
    assert_eq!(both(apart(), "readcache=azure:Standard_D8ds_v4"), ["read.iops"]);
    assert_eq!(both(apart(), "azure:Standard_D8ds_v4"), ["read.iops", "write.iops"]);
    assert!(both(apart(), "log=azure:Standard_D8ds_v4").is_empty());
    // Writes of two volumes in one figure are neither's.
    let mixed = vec![used("readcache", true, true), used("nocache", false, true)];
    assert_eq!(both(mixed, "readcache=azure:Standard_D8ds_v4"), ["read.iops"]);
}

#[test]
fn the_limits_that_the_tests_can_meet_are_told() {
    let told = |aim: Aim, rates: [u64; 2]| {
        let assessment = judged(test(aim, run(&vec![rates; 60], 4096, true)), "azure:Standard_D8ds_v4");
        let limits = &assessment.expectations[0].limits;
        limits.iter().map(|limit| (limit.metric.clone(), limit.value)).collect::<Vec<_>>()
    };
    let [read_iops, read_bw] = ["read.iops", "read.bw"].map(str::to_owned);
    let [write_iops, write_bw] = ["write.iops", "write.bw"].map(str::to_owned);
    let (reads, writes) = ([(read_iops, 77_000.0), (read_bw, 485e6)], [(write_iops, 12_800.0), (write_bw, 192e6)]);
    assert_eq!(told(Aim::VmCached, [77_000, 12_800]), [reads, writes.clone()].concat());
    assert_eq!(told(Aim::VmUncached, [0, 12_800]), writes);
}

#[test]
fn what_is_required_of_a_volume_is_held_against_what_is_done_there() {
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
        let all = all.map(|one| (one.metric.clone(), one.measured)).collect::<Vec<_>>();
        (all, assessment.verdict, assessment.cause)
    };
    let all =
        |expected: &[(&str, f64)]| expected.iter().map(|(name, rate)| ((*name).to_owned(), *rate)).collect::<Vec<_>>();
    assert_eq!(with("nocache:write.iops>=5000").0, all(&[("write.iops", 12_800.0), ("write.iops", 12_000.0)]));
    assert_eq!(with("readcache:read.iops>=5000").0, all(&[("read.iops", 77_000.0)]));
    // Of all directions together only where nothing is done elsewhere.
    assert_eq!(with("nocache:iops>=5000").0, all(&[("iops", 12_800.0)]));
    let (_, verdict, cause) = with("nocache:write.iops>=20000");
    assert!(verdict == Verdict::Fail && cause.contains("20,000 IOPS that are required on nocache at least"), "{cause}");
    let (judged, verdict, cause) = with("readcache:write.iops>=1");
    assert!(judged.is_empty() && verdict == Verdict::Inconclusive, "{cause}");
    assert!(cause.contains("no test measured what is required: readcache:write.iops>=1"), "{cause}");
}

#[test]
fn a_lot_that_a_throttle_lets_through_at_once_at_the_start_is_no_fall() {
    let lots = [3946, 1815, 2708, 1800, 2700, 1800, 2700, 1800, 2700, 1800, 2700, 1800, 2700, 1775, 2725, 2824];
    let (verdict, cause) = on(writes(lots.iter().map(|ios| f64::from(*ios) * 4.0), 0.0));
    assert!(verdict == Verdict::Fail && cause.contains("steady at that level"), "{cause}");
}

#[test]
fn the_ends_of_a_short_run_make_no_level() {
    let ended = |level: f64, end: f64| {
        let rates = [end].into_iter().chain(std::iter::repeat_n(level, 8)).chain([end]);
        let mut record = writes(rates, 0.0);
        // What was in flight at the end came after the last interval.
        record.workers[0].stats.ddirs[1].ios += 4000;
        on(record)
    };
    let (verdict, cause) = ended(12_800.0, 15_000.0);
    assert!(verdict == Verdict::Pass && cause.contains("at the end, it is 12,800 IOPS"), "{cause}");
    // The last I/Os were waited for: what the first interval has too much makes the others no less sure.
    let mut waited = writes([15_000.0].into_iter().chain(std::iter::repeat_n(12_600.0, 9)), 0.0);
    waited.workers[0].stats.ddirs[1].runtime_ns = 10_200_000_000;
    let (verdict, cause) = on(waited);
    assert!(verdict == Verdict::Pass && cause.contains("12,588 IOPS"), "{cause}");
    let (verdict, cause) = ended(12_400.0, 12_500.0);
    assert!(verdict == Verdict::Inconclusive && cause.contains("it is 12,400 IOPS: measure longer"), "{cause}");
}

#[test]
fn a_lot_on_the_other_side_of_a_border_is_not_missed() {
    let with = |at: &[(usize, f64)]| {
        let rate = |nth: usize| at.iter().find(|(place, _)| *place == nth).map_or(12_800.0, |(_, rate)| *rate);
        on(writes((0..40).map(rate), 0.002))
    };
    let (verdict, cause) = with(&[(11, 10_240.0), (12, 15_360.0), (30, 15_360.0), (31, 10_240.0)]);
    assert!(verdict == Verdict::Pass && !cause.contains("were below"), "{cause}");
    let (verdict, cause) = with(&[(11, 11_000.0)]);
    assert!(verdict == Verdict::Pass && cause.contains("of the intervals were below"), "{cause}");
}

#[test]
fn threads_without_a_processor_excuse_as_much_as_they_lost() {
    let starved = |rate: f64, share: f64| {
        let mut record = level(rate);
        let stats = &mut record.workers[0].stats;
        stats.runtime_ns = 60_000_000_000;
        stats.usage.run_delay_ns = Some((60e9 * share) as u64);
        on(record)
    };
    let (verdict, cause) = starved(9000.0, 0.62);
    assert!(verdict == Verdict::Inconclusive && cause.contains("had no processor for 62 % of the time"), "{cause}");
    // Even without the waits it would not have come to 12,800.
    assert_eq!(starved(9000.0, 0.2).0, Verdict::Fail);
    assert_eq!(starved(12_400.0, 0.05).0, Verdict::Fail);
    assert_eq!(starved(12_800.0, 0.62).0, Verdict::Pass);
    let mut unsure = writes(std::iter::repeat_n(12_544.0, 60), 0.3);
    let stats = &mut unsure.workers[0].stats;
    (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some(20_000_000_000));
    assert!(on(unsure).1.contains("had no processor for 33.3 % of the time: end what else runs, or measure longer"));
    // It is why the queue wasn't full.
    let mut shallow = test(Aim::VmUncached, level(9000.0));
    shallow.findings.push(finding("depth-not-reached", Severity::Warning));
    let stats = &mut shallow.rounds[0].record.workers[0].stats;
    (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some(40_000_000_000));
    assert!(judged(shallow, UNCACHED).cause.contains("had no processor for 66.7 % of the time"));
}

#[test]
fn a_latency_is_held_against_what_is_promised_of_it() {
    let alone = |ns: u64| {
        let mut record = level(500.0);
        (0..30_000).for_each(|at| record.workers[0].stats.ddirs[1].lat.record(ns + at % 1000));
        judged(test(Aim::LatencyFloor, record), "alibaba:essd-pl1?size=500")
    };
    let assessment = alone(180_000);
    assert_eq!(assessment.verdict, Verdict::Pass, "{}", assessment.cause);
    assert_eq!(assessment.tests[0].judgements[0].metric, "write.lat.mean");
    assert_eq!(alone(900_000).verdict, Verdict::Fail);
}

#[test]
fn a_latency_of_rounds_is_sure_where_all_of_them_have_it() {
    let with = |each: [u64; 3]| {
        let mut rounds = test(Aim::LatencyFloor, level(500.0));
        let round = |ns: u64| {
            let mut record = level(500.0);
            (0..30_000).for_each(|at| record.workers[0].stats.ddirs[1].lat.record(ns + at % 1000));
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
fn requirements_go_to_the_tests_that_are_made_for_them() {
    let mut slow = test(Aim::LatencyFloor, level(900.0));
    slow.name = "latency".to_owned();
    (0..54_000).for_each(|_| slow.rounds[0].record.workers[0].stats.ddirs[1].clat.record(1_000_000));
    let fast = test(Aim::DiskIops, level(9000.0));
    let with = |words: &str| {
        let mut assessment = assessment(vec![slow.clone(), fast.clone()]);
        judge(&mut assessment, &[], &require(words));
        let counts: Vec<usize> = assessment.tests.iter().map(|test| test.judgements.len()).collect();
        (assessment.verdict, counts, assessment.cause)
    };
    let (verdict, counts, cause) = with("write.iops>=5000,write.clat.p99<=10ms");
    assert_eq!((verdict, counts), (Verdict::Pass, vec![1, 1]), "{cause}");
    assert_eq!(with("write.iops>=10000").0, Verdict::Fail);
    assert_eq!(with("write.clat.p99<=500us").0, Verdict::Fail);
    let (verdict, _, cause) = with("fsync.p99<=10ms");
    assert!(verdict == Verdict::Inconclusive && cause.contains("fsync.p99<=10ms"), "{cause}");
    // Too few I/Os lie beyond such a percentile.
    let (verdict, _, cause) = with("write.clat.p99.999<=10ms");
    assert!(verdict == Verdict::Inconclusive && cause.contains("54,000 I/Os are too few"), "{cause}");
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
fn what_it_would_do_for_is_told_of_what_was_measured() {
    let told = |tests: &[Test]| {
        let known = judge::applications::judge(tests).into_iter();
        known.map(|one| (one.name.clone(), (one.verdict, one.cause))).collect::<BTreeMap<_, _>>()
    };
    let known = told(&[flushes(400.0, 3_000_000)]);
    assert_eq!(known["etcd"], (Verdict::Pass, "all that it needs was reached".to_owned()));
    let (verdict, cause) = &known["k3s"];
    assert!(*verdict == Verdict::Fail && cause.starts_with("fsync.p99 is 3 ms, "), "{cause}");
    assert!(known["etcd-heavy"].1.starts_with("write.iops is 400 IOPS, 80 % of the 500 IOPS"), "{known:?}");
    // Their writes take no time, as memory takes them: this says nothing of a log's.
    assert!(!known.contains_key("exchange") && !known.contains_key("sap-hana"), "{known:?}");
    // Writes that nobody makes safe are no journal's, however many there are.
    let unsafe_writes = told(&[test(Aim::DiskIops, level(20_000.0))]);
    assert!(!unsafe_writes.contains_key("ceph-journal") && !unsafe_writes.contains_key("etcd"), "{unsafe_writes:?}");
    // A figure of another load: what it needs most was not measured.
    let mut synced = flushes(400.0, 3_000_000);
    synced.rounds[0].record.workers[0].stats.sync_lat = record::Latency::default();
    let (verdict, cause) = &told(&[synced])["etcd"];
    assert!(*verdict == Verdict::Inconclusive && cause.contains("no test measured fsync.p99<=10ms"), "{cause}");
}

#[test]
fn the_worst_of_the_tests_is_the_verdict() {
    let mut bad = test(Aim::VmUncached, level(9000.0));
    bad.name = "second".to_owned();
    let good = || test(Aim::VmUncached, level(12_800.0));
    let mut whole = assessment(vec![good(), bad, good()]);
    judge(&mut whole, &expect(UNCACHED), &[]);
    assert!(whole.verdict == Verdict::Fail && whole.cause.starts_with("second: "), "{}", whole.cause);
    whole.stopped = true;
    judge(&mut whole, &expect(UNCACHED), &[]);
    assert_eq!(whole.verdict, Verdict::Fail);
    let mut stopped = assessment(vec![good()]);
    stopped.stopped = true;
    judge(&mut stopped, &expect(UNCACHED), &[]);
    assert!(stopped.verdict == Verdict::Inconclusive && stopped.cause.contains("--resume"), "{}", stopped.cause);
    let mut nothing = assessment(vec![test(Aim::Behaviour, level(10.0))]);
    judge(&mut nothing, &[], &[]);
    assert!(
        nothing.verdict == Verdict::Measured && nothing.cause.contains("nothing was expected"),
        "{}",
        nothing.cause
    );
    judge(&mut nothing, &expect(UNCACHED), &[]);
    assert!(nothing.verdict == Verdict::Inconclusive && nothing.cause.contains("no test was meant"));
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
            Verdict::Inconclusive => 1,
            Verdict::Pass | Verdict::Measured => 2,
        };
        let (less, more) = (only(rate, noise), only(rate * more, noise));
        prop_assert!(rank(more.verdict) >= rank(less.verdict), "{} / {}", less.cause, more.cause);
    }

    #[test]
    fn the_figures_of_a_judgement_agree(rate in 1000.0f64..30_000.0, noise in 0.0f64..0.3) {
        let judgement = only(rate, noise);
        let expected = judgement.expected.unwrap_or_default();
        prop_assert!((judgement.ratio.unwrap_or_default() - judgement.measured / expected).abs() < 1e-12);
        let (low, high) = judgement.interval.unwrap_or_default();
        prop_assert!(low <= judgement.measured * 1.001 && high >= judgement.measured * 0.999);
        match judgement.verdict {
            Verdict::Pass => prop_assert!(low >= expected * 0.98),
            Verdict::Fail => prop_assert!(high < expected * 0.98),
            _ => {}
        }
        prop_assert!(!judgement.cause.is_empty() && judgement.cause.len() < 400);
    }
}
