//! Facts that make a test inconclusive or invalid: findings, failures, requested rates, waits for CPUs.

use std::sync::Arc;

use assessment::{
    Aim, Cause, Confounder, Failure, FindingKind, LimitReason, PageCache, RateShape, Reason, Severity, SteadyState,
    Verdict,
};
use judge::verdict::judge;
use plan::{Ddir, Plan};
use record::Record;

use crate::known_runs::{
    Of, UNCACHED, add_latencies, assessment, finding, judged, level, load_generator_limit, on, reason, require, steady,
    test, writes,
};

#[test]
fn findings_and_failures_keep_a_figure_from_deciding() {
    let with = |kind: FindingKind, severity: Severity, record: Record| {
        let mut test = test(Aim::VmUncached, record);
        test.findings.push(finding(kind, severity));
        judged(test, UNCACHED)
    };
    let early = FindingKind::EndedEarly { runtime_s: 60.0, ran_s: 1.0, moved_bytes: 1, jobs: 1 };
    let assessment = with(early.clone(), Severity::Warning, level(12_800.0));
    let confounder = Confounder::Finding(Box::new(finding(early, Severity::Warning)));
    assert_eq!((assessment.verdict, reason(&assessment)), (Verdict::Inconclusive, Reason::Confounded(confounder)));

    let limited = |rate| with(load_generator_limit(LimitReason::NeverSlept), Severity::Warning, level(rate)).verdict;
    assert_eq!((limited(9000.0), limited(12_800.0)), (Verdict::Inconclusive, Verdict::Pass));

    let (passed_ns, held_ns) = (1000, 1_000_000);
    let direction = Ddir::Write;
    let throttle =
        FindingKind::Throttled { direction, iops: 9000.0, passed_share: 0.5, passed_ns, held_share: 0.5, held_ns };
    let throttled = with(throttle, Severity::Info, writes(std::iter::repeat_n(9000.0, 60), 0.3));
    let is_throttled = matches!(reason(&throttled), Reason::NotEnough(RateShape::Varied { is_throttled: true, .. }));
    assert!(is_throttled, "{:?}", reason(&throttled));

    let mut unsteady = test(Aim::VmUncached, level(12_800.0));
    let state = SteadyState::Window { first: 21, last: 25, range_share: 0.3, slope_share: 0.1 };
    unsteady.steady = vec![steady(vec![1.0], None, state.clone())];
    let assessment = judged(unsteady, UNCACHED);
    assert_eq!(reason(&assessment), Reason::Confounded(Confounder::NotSteady(state)));

    let mut stopped = test(Aim::VmUncached, level(12_800.0));
    stopped.error = Some(Failure::Stopped);
    let assessment = judged(stopped, UNCACHED);
    assert_eq!((assessment.verdict, assessment.tests[0].verdict), (Verdict::Inconclusive, Verdict::Skipped));
    assert_eq!(assessment.tests[0].judgements[0].verdict, Verdict::Skipped);
    let Cause::Test { cause, .. } = &assessment.cause else { panic!("{:?}", assessment.cause) };
    assert!(matches!(&**cause, Cause::JudgementAndFailure { failure: Failure::Stopped, .. }), "{cause:?}");
}

#[test]
fn a_job_that_requests_less_shows_nothing_of_the_target() {
    let at_rate = |rate: u64, measured: f64| {
        let mut record = level(measured);
        let mut plan = (*record.plan).clone();
        plan.workers[0].job_mut().unwrap().access.pattern.writes = true;
        plan.workers[0].job_mut().unwrap().rate.ios_per_s[Ddir::Write] = rate;
        record.plan = Arc::new(plan);
        on(record)
    };
    let requested = Reason::Confounded(Confounder::RequestedRate { rate: 3200.0 });
    assert_eq!(at_rate(3200, 3200.0), (Verdict::Inconclusive, requested));
    assert_eq!(at_rate(12_800, 12_795.0).0, Verdict::Pass);
    assert_eq!(at_rate(12_800, 9000.0).0, Verdict::Fail);
}

#[test]
fn an_invalid_finding_makes_the_test_invalid() {
    let mut cached = test(Aim::VmUncached, level(9000.0));
    let page_cache = PageCache::FitsMemory { used_bytes: 1, memory_bytes: 2, counted: None };
    let page_cache = finding(FindingKind::PageCache(page_cache), Severity::Invalid);
    cached.findings.push(page_cache.clone());
    let assessment = judged(cached, UNCACHED);
    let cause = Box::new(Cause::Finding(Box::new(page_cache)));
    let expected = Cause::Test { name: "random-write".to_owned(), cause, others: 0, tests: 1 };
    assert_eq!((assessment.verdict, assessment.cause), (Verdict::Invalid, expected));
    assert_eq!(assessment.tests[0].judgements[0].verdict, Verdict::Invalid);
}

#[test]
fn waits_for_a_cpu_excuse_their_share_of_the_rate() {
    let starved = |rate: f64, share: f64| {
        let mut record = level(rate);
        let stats = &mut record.workers[0].stats;
        stats.runtime_ns = 60_000_000_000;
        stats.usage.run_delay_ns = Some((60e9 * share) as u64);
        on(record)
    };
    let waited = |share: f64| Reason::Confounded(Confounder::WaitedForCpu { share });
    assert_eq!(starved(9000.0, 0.62), (Verdict::Inconclusive, waited(0.62)));
    // The rate would be below 12,800 without the waits, too.
    assert_eq!(starved(9000.0, 0.2).0, Verdict::Fail);
    assert_eq!(starved(12_400.0, 0.05).0, Verdict::Fail);
    assert_eq!(starved(12_800.0, 0.62).0, Verdict::Pass);
    let mut unsure = writes(std::iter::repeat_n(12_544.0, 60), 0.3);
    let stats = &mut unsure.workers[0].stats;
    (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some(20_000_000_000));
    let undecided = Reason::Undecided { fall: None, cpu_wait_share: Some(1.0 / 3.0) };
    assert_eq!(on(unsure), (Verdict::Inconclusive, undecided));
    // The queue was not full because of the wait.
    let mut shallow = test(Aim::VmUncached, level(9000.0));
    let kind = FindingKind::DepthNotReached {
        depth: 32,
        mean_in_flight: 4.0,
        workers: 1,
        of_workers: 1,
        is_direct: true,
        is_trim: false,
    };
    shallow.findings.push(finding(kind, Severity::Warning));
    let stats = &mut shallow.rounds[0].record.workers[0].stats;
    (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some(40_000_000_000));
    assert_eq!(reason(&judged(shallow, UNCACHED)), waited(2.0 / 3.0));
    // A load generator that waited for CPUs is no further reason.
    for (waits_s, verdict) in [(12, Verdict::Fail), (0, Verdict::Inconclusive)] {
        let mut slow = test(Aim::VmUncached, level(9000.0));
        slow.findings.push(finding(load_generator_limit(LimitReason::WaitedForCpu), Severity::Warning));
        let stats = &mut slow.rounds[0].record.workers[0].stats;
        (stats.runtime_ns, stats.usage.run_delay_ns) = (60_000_000_000, Some(waits_s * 1_000_000_000));
        assert_eq!(judged(slow, UNCACHED).verdict, verdict, "{waits_s} s");
    }
}

#[test]
fn waits_for_a_cpu_excuse_their_share_of_a_latency() {
    let judged = |depth: u32, reasons: &[LimitReason]| {
        let mut record = level(1000.0);
        add_latencies(&mut record, &Of::Lat, 20_000, |_| 2_000_000);
        let mut plan = Plan::clone(&record.plan);
        plan.workers[0].engine = plan::Engine::Posixaio;
        plan.workers[0].job_mut().unwrap().iodepth = depth;
        record.plan = Arc::new(plan);
        // A tenth of 60 s: 0.3 ms for each I/O, times the I/Os in flight.
        record.workers[0].stats.usage.run_delay_ns = Some(6_000_000_000);
        let mut slow = test(Aim::LatencyFloor, record);
        slow.findings = reasons.iter().map(|why| finding(load_generator_limit(*why), Severity::Warning)).collect();
        let mut whole = assessment(vec![slow]);
        judge(&mut whole, &[], &require("write.lat.mean<=1ms"));
        (whole.verdict, reason(&whole))
    };
    let waited = Reason::Confounded(Confounder::WaitedForCpu { share: 0.1 });
    assert_eq!(judged(1, &[]).0, Verdict::Fail);
    assert_eq!(judged(4, &[]), (Verdict::Inconclusive, waited.clone()));
    assert_eq!(judged(1, &[LimitReason::WaitedForCpu]).0, Verdict::Fail);
    assert_eq!(judged(1, &[LimitReason::OwnTime]), (Verdict::Inconclusive, waited));
}
