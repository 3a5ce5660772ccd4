//! Facts that weaken a conclusion have a bound: a figure far from its threshold is decided in spite of them.

use std::sync::Arc;

use assessment::{
    Aim, Assessment, Confounder, DeviceBytes, FindingKind, Judgement, LimitReason, LoadPattern, PageCache, Reason,
    Severity, Verdict,
};
use judge::requirements::Requirements;
use judge::verdict::{judge, required};
use plan::{Ddir, Plan};
use proptest::prelude::*;
use record::{DiskSlot, Record, TargetFacts};
use units::diagnostic::Source;

use crate::known_runs::{
    Of, add_latencies, assessment, finding, flushes, level, load_generator_limit, require, run, test, writes,
};

const MIB: u64 = 1 << 20;

/// Judges a test of writes by a rule.
fn by_rule(mut test: assessment::Test, rule: &str, findings: &[FindingKind]) -> Judgement {
    test.findings = findings.iter().map(|kind| finding(kind.clone(), Severity::Warning)).collect();
    let mut whole = assessment(vec![test]);
    judge(&mut whole, &[], &require(rule));
    whole.tests.remove(0).judgements.remove(0)
}

/// Writes of 4 KiB to a device that counts this load of other programs in each second.
fn beside(rate: f64, ios: u64, bytes: u64) -> (Record, FindingKind) {
    let mut record = level(rate);
    let mut plan = Plan::clone(&record.plan);
    plan.workers[0].job_mut().expect("a job").targets.paths = vec!["/dev/x".to_owned()];
    plan.workers[0].job_mut().expect("a job").targets.open.direct = true;
    plan.workers[0].measure.disk_util = true;
    record.plan = Arc::new(plan);
    let facts = TargetFacts { path: "/dev/x".to_owned(), disks: vec!["x".to_owned()], ..TargetFacts::default() };
    record.targets = vec![TargetFacts { is_device: true, ..facts }];
    let timeline = &mut record.timeline[0];
    timeline.disks = vec!["x".to_owned()];
    let (mut requested_bytes, mut device_bytes) = (0, 0);
    for slot in &mut timeline.slots {
        let own = &slot.ddirs[Ddir::Write as usize];
        slot.disks = vec![DiskSlot { ios: [0, own.ios + ios], bytes: [0, own.bytes + bytes] }];
        requested_bytes += own.bytes;
        device_bytes += own.bytes + bytes;
    }
    let devices = vec!["x".to_owned()];
    let load = DeviceBytes { direction: Ddir::Write, devices, requested_bytes, device_bytes };
    (record, FindingKind::OtherLoad(vec![load]))
}

fn figure(judgement: &Judgement) -> f64 {
    judgement.correction.as_ref().expect("a correction").figure
}

#[test]
fn other_load_explains_at_most_its_ios_and_bytes() {
    // 300 IOPS, beside 16 I/Os of 96 KiB per second: they take the place of 400 I/Os of 4 KiB at most.
    let (record, other_load) = beside(300.0, 16, 16 * 96 * 1024);
    let far = by_rule(test(Aim::DiskIops, record.clone()), "write.iops>=53000", std::slice::from_ref(&other_load));
    assert!(far.verdict == Verdict::Fail && matches!(far.reason, Reason::NotEnough(_)), "{far:?}");
    let expected = 300.0 + 16.0 + 16.0 * 24.0;
    assert!((figure(&far) / expected - 1.0).abs() < 0.02, "{far:?}");
    let near = by_rule(test(Aim::DiskIops, record), "write.iops>=600", &[other_load]);
    let is_confounded = matches!(near.reason, Reason::Confounded(Confounder::Finding(_)));
    assert!(near.verdict == Verdict::Inconclusive && is_confounded && figure(&near) > 600.0, "{near:?}");
}

#[test]
fn a_load_too_small_for_a_warning_decides_near_the_threshold() {
    // A disk of 5,000 IOPS: the run had 92 % and another program 7 %.
    let judged = |others: u64, rule: &str| {
        let (record, _) = beside(4600.0, others, others * 4096);
        let mut test = test(Aim::DiskIops, record);
        let is_other = |finding: &assessment::Finding| matches!(finding.kind, FindingKind::OtherLoad(_));
        test.findings = judge::findings(&test.rounds[0].record).into_iter().filter(is_other).collect();
        let severity = test.findings.first().map(|finding| finding.severity);
        let mut whole = assessment(vec![test]);
        judge(&mut whole, &[], &require(rule));
        let test = whole.tests.remove(0);
        // It is no disturbance: no interval has evidence of it.
        assert_eq!(test.disturbance, None);
        (severity, test.judgements[0].verdict, test.judgements[0].reason.clone())
    };
    let (severity, verdict, reason) = judged(350, "write.iops>=4900");
    let is_other_load = |reason: &Reason| matches!(reason, Reason::Confounded(Confounder::Finding(finding)) if finding.kind.name() == "other-load");
    assert_eq!((severity, verdict), (Some(Severity::Info), Verdict::Inconclusive));
    assert!(is_other_load(&reason), "{reason:?}");
    assert_eq!(judged(350, "write.iops>=5500").1, Verdict::Fail);
    // It does not weaken a PASS.
    assert_eq!(judged(350, "write.iops>=4000").1, Verdict::Pass);
    // Less than 1 % is no finding: the same rate is a FAIL.
    for others in [0, 40] {
        let (severity, verdict, _) = judged(others, "write.iops>=4900");
        assert_eq!((severity, verdict), (None, Verdict::Fail));
    }
}

#[test]
fn littles_law_bounds_what_a_deeper_queue_can_reach() {
    let shallow = FindingKind::DepthNotReached {
        depth: 32,
        mean_in_flight: 4.0,
        workers: 1,
        of_workers: 1,
        is_direct: true,
        is_trim: false,
    };
    let on = |rule: &str| by_rule(test(Aim::DiskIops, level(1000.0)), rule, std::slice::from_ref(&shallow));
    let (far, near) = (on("write.iops>=9000"), on("write.iops>=7000"));
    assert_eq!((far.verdict, near.verdict), (Verdict::Fail, Verdict::Inconclusive));
    assert!((figure(&far) / 8000.0 - 1.0).abs() < 0.01, "{far:?}");
    // A queue that was not full does not make latencies longer.
    let mut slow = test(Aim::LatencyFloor, level(1000.0));
    add_latencies(&mut slow.rounds[0].record, &Of::Clat, 60_000, |_| 9_000_000);
    assert_eq!(by_rule(slow, "write.clat.p99<=5ms", &[shallow]).verdict, Verdict::Fail);
}

#[test]
fn a_load_generator_that_never_slept_explains_any_rate() {
    let on = |rule: &str| {
        by_rule(test(Aim::DiskIops, level(1000.0)), rule, &[load_generator_limit(LimitReason::NeverSlept)])
    };
    assert_eq!(on("write.iops>=1000000").verdict, Verdict::Inconclusive);
    assert_eq!(on("write.iops>=900").verdict, Verdict::Pass);
    // A synchronous thread that is in user mode for half of the time reaches twice the rate without it.
    let mut record = level(1000.0);
    let stats = &mut record.workers[0].stats;
    (stats.runtime_ns, stats.usage.user_ns, stats.usage.system_ns) = (60_000_000_000, 30_000_000_000, 29_500_000_000);
    let on =
        |rule: &str| by_rule(test(Aim::DiskIops, record.clone()), rule, &[load_generator_limit(LimitReason::OwnTime)]);
    let (far, near) = (on("write.iops>=2100"), on("write.iops>=1900"));
    assert_eq!((far.verdict, near.verdict), (Verdict::Fail, Verdict::Inconclusive), "{far:?}");
}

#[test]
fn rates_that_rise_and_runs_that_ended_early_are_decided_far_below() {
    let rising = || writes((0..60).map(|at| 500.0 + 10.0 * f64::from(at)), 0.01);
    let on = |rule: &str| by_rule(test(Aim::DiskIops, rising()), rule, &[]);
    assert_eq!(on("write.iops>=100000").verdict, Verdict::Fail);
    let near = on("write.iops>=2000");
    assert!(near.verdict == Verdict::Inconclusive && matches!(near.reason, Reason::StillRising(_)), "{near:?}");
    let early = FindingKind::EndedEarly { runtime_s: 600.0, ran_s: 60.0, moved_bytes: MIB, jobs: 1 };
    let on = |rule: &str| by_rule(test(Aim::DiskIops, level(1000.0)), rule, std::slice::from_ref(&early));
    assert_eq!(on("write.iops>=2000").verdict, Verdict::Fail);
    assert_eq!(on("write.iops>=900").verdict, Verdict::Inconclusive);
}

#[test]
fn a_rate_with_a_share_that_no_device_counted_passes_without_it_only() {
    let partly = FindingKind::DeviceDisagrees(DeviceBytes {
        direction: Ddir::Write,
        devices: vec!["x".to_owned()],
        requested_bytes: 100,
        device_bytes: 80,
    });
    let on = |rule: &str| by_rule(test(Aim::DiskIops, level(1000.0)), rule, std::slice::from_ref(&partly));
    assert_eq!(on("write.iops>=790").verdict, Verdict::Pass);
    assert_eq!(on("write.iops>=900").verdict, Verdict::Inconclusive);
    assert_eq!(on("write.iops>=1100").verdict, Verdict::Fail);
}

#[test]
fn a_job_below_its_requested_rate_was_not_held_back_by_it() {
    let on = |requested: u64, rule: &str| {
        let mut record = level(1000.0);
        let mut plan = Plan::clone(&record.plan);
        plan.workers[0].job_mut().unwrap().access.pattern.writes = true;
        plan.workers[0].job_mut().unwrap().rate.ios_per_s[Ddir::Write] = requested;
        record.plan = Arc::new(plan);
        by_rule(test(Aim::DiskIops, record), rule, &[]).verdict
    };
    // A figure of all directions is held back by the rates of all of them.
    for rule in ["write.iops>=5000", "iops>=5000"] {
        assert_eq!([on(1000, rule), on(3000, rule)], [Verdict::Inconclusive, Verdict::Fail], "{rule}");
    }
}

#[test]
fn requested_rates_of_jobs_one_after_another_are_not_added() {
    let mut record = level(500.0);
    let mut plan = Plan::clone(&record.plan);
    plan.workers[0].job_mut().unwrap().access.pattern.writes = true;
    plan.workers[0].job_mut().unwrap().rate.ios_per_s[Ddir::Write] = 500;
    plan.workers = vec![plan.workers[0].clone(); 2];
    record.plan = Arc::new(plan);
    let first = &mut record.workers[0].stats;
    first.measured_from_unix_us = 1_000_000;
    let runtime_us = first.ddirs[Ddir::Write as usize].runtime_ns / 1000;
    let mut second = record.workers[0].clone();
    second.stats.measured_from_unix_us += runtime_us;
    record.workers.push(second);
    assert_eq!(by_rule(test(Aim::DiskIops, record), "iops>=800", &[]).verdict, Verdict::Inconclusive);
}

#[test]
fn unwritten_blocks_bound_a_figure_by_their_share_of_the_reads() {
    let with_unwritten = |unwritten_bytes: u64, rule: &str| {
        let mut record = run(&vec![[1000, 0]; 30], 4096, false);
        let path = "a".to_owned();
        let mut plan = Plan::clone(&record.plan);
        plan.workers[0].job_mut().unwrap().targets.paths = vec![path.clone()];
        plan.workers[0].job_mut().unwrap().access.pattern.random = true;
        record.plan = Arc::new(plan);
        let facts = TargetFacts { path, size_bytes: Some(1 << 20), ..TargetFacts::default() };
        record.targets = vec![TargetFacts { unwritten_bytes: Some(unwritten_bytes), ..facts }];
        let mut read = test(Aim::DiskIops, record);
        read.findings = ::judge::findings(&read.rounds[0].record);
        let mut whole = assessment(vec![read]);
        judge(&mut whole, &[], &require(rule));
        whole.verdict
    };
    assert_eq!(with_unwritten(4096, "read.iops>=900"), Verdict::Pass);
    assert_eq!(with_unwritten(200 << 10, "read.iops>=700"), Verdict::Pass);
    assert_eq!(with_unwritten(200 << 10, "read.iops>=900"), Verdict::Inconclusive);
    assert_eq!(with_unwritten(700 << 10, "read.iops>=10"), Verdict::Invalid);
}

#[test]
fn cached_ios_bound_a_latency_by_their_share() {
    // Latencies from 100 us to 199 us, evenly distributed. The median of the slowest 80 % is 160 us.
    let with = |rule: &str, kind: fn(DeviceBytes) -> FindingKind, direction: Ddir| {
        let mut record = level(500.0);
        add_latencies(&mut record, &Of::Lat, 30_000, |at| 100_000 + at % 100 * 1000);
        let bytes = DeviceBytes { direction, devices: Vec::new(), requested_bytes: 100, device_bytes: 80 };
        by_rule(test(Aim::LatencyFloor, record), rule, &[kind(bytes)]).verdict
    };
    let buffered = |bytes| FindingKind::PageCache(PageCache::Counted(bytes));
    assert_eq!(with("write.lat.p50<=155us", FindingKind::DeviceDisagrees, Ddir::Write), Verdict::Inconclusive);
    assert_eq!(with("write.lat.p50<=170us", FindingKind::DeviceDisagrees, Ddir::Write), Verdict::Pass);
    assert_eq!(with("lat.mean<=155us", buffered, Ddir::Read), Verdict::Inconclusive);
    assert_eq!(with("lat.mean<=200us", buffered, Ddir::Read), Verdict::Pass);
    // The page cache takes all writes, and the latencies of the device are not known.
    assert_eq!(with("write.lat.p50<=1s", buffered, Ddir::Write), Verdict::Inconclusive);
    assert_eq!(with("write.lat.p50<=155us", buffered, Ddir::Read), Verdict::Pass);
    // A latency that is too high is not explained by a cache.
    assert_eq!(with("write.lat.p50<=50us", FindingKind::DeviceDisagrees, Ddir::Write), Verdict::Fail);
}

#[test]
fn other_causes_of_the_slowest_ios_explain_high_percentiles_of_their_direction() {
    let with = |rule: &str, direction: Ddir| {
        let mut record = level(500.0);
        add_latencies(&mut record, &Of::Lat, 30_000, |at| 100_000 + at % 100 * 1000);
        let disturbed = FindingKind::TailDisturbed { direction, ios: 30, from_ns: 199_000, parts: Vec::new() };
        by_rule(test(Aim::LatencyFloor, record), rule, &[disturbed]).verdict
    };
    assert_eq!(with("write.lat.p99.9<=150us", Ddir::Write), Verdict::Inconclusive);
    assert_eq!(with("write.lat.max<=150us", Ddir::Write), Verdict::Inconclusive);
    assert_eq!(with("write.lat.p99.9<=150us", Ddir::Read), Verdict::Fail);
    assert_eq!(with("write.lat.p50<=50us", Ddir::Write), Verdict::Fail);
    assert_eq!(with("write.lat.p99.9<=300us", Ddir::Write), Verdict::Pass);
}

/// Flushes of 40 ms, by a thread that waited for a CPU for this share of 60 s.
fn waited(share: f64, rule: &str) -> Judgement {
    let mut flushes = flushes(25.0, 40_000_000);
    let stats = &mut flushes.rounds[0].record.workers[0].stats;
    (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some((60e9 * share) as u64));
    by_rule(flushes, rule, &[])
}

#[test]
fn waits_for_a_cpu_explain_a_latency_by_their_sum() {
    // 5000 flushes of 40 ms: 30 s of waiting are 6 ms of each.
    let (far, near) = (waited(0.5, "fsync.mean<=10ms"), waited(0.5, "fsync.mean<=35ms"));
    assert_eq!((far.verdict, near.verdict), (Verdict::Fail, Verdict::Inconclusive), "{far:?} {near:?}");
    assert!((figure(&far) / 34e6 - 1.0).abs() < 0.05, "{far:?}");
    assert_eq!(waited(0.5, "fsync.p99<=10ms").verdict, Verdict::Fail);
}

#[test]
fn rules_are_judged_in_tests_with_their_load() {
    let indexer = "schema = \"fathom.requirements/1\"\ntitle = \"indexer\"\n[[require]]\nrule = \"iops>=800\"\n\
                   pattern = [\"randread\", \"randwrite\", \"randrw\"]\nblocks = [\"4k..16k\"]\ndepth = \"8..\"\n\
                   duration = \"5s\"\n";
    let indexer = Requirements::read(&Source::new("mine.toml", indexer)).unwrap_or_else(|wrong| panic!("{wrong}"));
    let rule = &indexer.list[0];
    assert_eq!(rule.load.patterns, [LoadPattern::RandRead, LoadPattern::RandWrite, LoadPattern::RandRw]);
    let deep = |record: Record, depth: u32| {
        let mut plan = Plan::clone(&record.plan);
        plan.workers[0].engine = plan::Engine::Posixaio;
        plan.workers[0].job_mut().unwrap().iodepth = depth;
        let runtime_ns = record.timeline[0].until_ns;
        let mut record = Record { plan: Arc::new(plan), ..record };
        record.workers[0].stats.runtime_ns = runtime_ns;
        test(Aim::DiskIops, record)
    };
    let seconds = vec![[900, 0]; 60];
    assert_eq!(required(&deep(run(&seconds, 4096, true), 32), rule).len(), 1);
    // A sequential test, large blocks, one I/O at a time, and a short run are other loads.
    for other in [
        deep(run(&seconds, 4096, false), 32),
        deep(run(&seconds, MIB, true), 32),
        deep(run(&seconds, 4096, true), 1),
        deep(run(&seconds[..3], 4096, true), 32),
    ] {
        assert!(required(&other, rule).is_empty());
    }
    let mut whole: Assessment = assessment(vec![deep(run(&seconds, MIB, false), 16)]);
    judge(&mut whole, &[], std::slice::from_ref(&indexer));
    assert_eq!(whole.verdict, Verdict::Inconclusive);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A FAIL in spite of confounders is a FAIL for the figure that they allow at best.
    #[test]
    fn a_fail_is_one_after_the_correction(
        rate in 100.0f64..5000.0,
        required in 100.0f64..50_000.0,
        depth in 1u32..64,
        mean in 1.0f64..32.0,
        (ios, io_kib) in (0u64..2000, 1u64..256),
        share in 0.0f64..0.9,
    ) {
        let (mut record, other_load) = beside(rate, ios, ios * io_kib * 1024);
        let stats = &mut record.workers[0].stats;
        (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some((60e9 * share) as u64));
        let shallow = FindingKind::DepthNotReached {
            depth: depth.max(mean.ceil() as u32), mean_in_flight: mean, workers: 1, of_workers: 1, is_direct: true,
            is_trim: false,
        };
        let rule = format!("write.iops>={required:.0}");
        let judgement = by_rule(test(Aim::DiskIops, record), &rule, &[other_load, shallow]);
        let enough = judgement.threshold.as_ref().map_or(0.0, |threshold| threshold.enough);
        let corrected = judgement.correction.as_ref().map(|correction| correction.figure);
        let (_, high) = judgement.interval.unwrap_or_default();
        match judgement.verdict {
            Verdict::Fail => {
                prop_assert!(corrected.is_some_and(|figure| figure < enough && figure >= high), "{judgement:?}");
                // The corrected rate, measured without confounders, fails as well.
                let clean = by_rule(test(Aim::DiskIops, level(corrected.unwrap_or(rate))), &rule, &[]);
                prop_assert!(clean.verdict != Verdict::Pass, "{clean:?}");
            }
            Verdict::Inconclusive => {
                prop_assert!(high < enough || corrected.is_none(), "{judgement:?}");
                prop_assert!(corrected.is_none_or(|figure| figure >= enough), "{judgement:?}");
            }
            _ => {}
        }
    }

    /// Whatever share of the time a thread waited for a CPU, a latency fails only if the wait cannot explain it.
    #[test]
    fn a_latency_fails_only_beyond_the_waits(share in 0.0f64..1.0, allowed_ms in 1u32..60) {
        let judgement = waited(share, &format!("fsync.mean<={allowed_ms}ms"));
        let least_ms = 40.0 - 60e3 * share / 5000.0;
        if judgement.verdict == Verdict::Fail && share >= 0.1 {
            prop_assert!(least_ms * 1.02 > f64::from(allowed_ms), "{judgement:?}");
        }
        prop_assert!(judgement.verdict != Verdict::Pass || allowed_ms >= 39, "{judgement:?}");
    }
}
