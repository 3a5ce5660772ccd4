//! What a device does over time is found in the record of a run, and dated.

use assessment::{Finding, FindingKind};
use sim::{DeviceModel, Limit};

use crate::harness::{MS, Run, S, Script, US, device, fio, fio_by};

const JOB: &str = "--name=a --rw=randread --time_based --iodepth=16";
/// Findings on the course of a rate.
const COURSE: [&str; 4] = ["step-down", "step-up", "levels", "not-steady"];
/// The period of a kernel's throttle.
const PERIOD_NS: u64 = 100 * MS;
const SERVICE_NS: u64 = 40 * US;

/// Returns a device whose throttle lets the I/Os of 100 ms through at once, and then none until the next 100 ms. Each
/// part of the time has its own rate: IOPS, and the number of periods.
fn throttled(parts: &[(u64, u64)]) -> DeviceModel {
    let rates = parts.iter().flat_map(|&(iops, periods)| (0..periods).map(move |_| iops));
    let stalls = (0..).zip(rates).map(|(nth, iops)| {
        let start_ns = nth * PERIOD_NS;
        start_ns + iops * PERIOD_NS / S * SERVICE_NS..start_ns + PERIOD_NS
    });
    DeviceModel { stalls: stalls.collect(), ..device(SERVICE_NS, 1) }
}

/// Reads for 15 s of a minute, in speriods of a second.
fn stopped_after_15_s(model: DeviceModel) -> Run {
    fio_by(model, &format!("{JOB} --runtime=60"), Script { stop_ns: Some(15_130 * MS), ..Script::default() })
}

fn findings(run: &Run) -> Vec<Finding> {
    judge::findings(&run.record)
}

fn has(run: &Run, id: &str) -> bool {
    findings(run).iter().any(|finding| finding.kind.name() == id)
}

/// Checks that of all findings on the course of a rate, a run has this one only.
fn assert_course(run: &Run, expected: Option<&str>) {
    let found: Vec<&str> = COURSE.into_iter().filter(|id| has(run, id)).collect();
    let rates = run.record.timeline[0].ios_per_s(None);
    assert_eq!(found, Vec::from_iter(expected), "{:?} of {rates:?}", findings(run));
}

#[test]
fn a_throttle_that_steps_down_is_found_and_dated_within_one_slot() {
    // The credit lasts for 7.63 s.
    let even =
        DeviceModel { limits: vec![Limit::iops(4000), Limit::iops(3200).with_credit(6104)], ..device(SERVICE_NS, 1) };
    for (model, step_s) in [(even, 7.63), (throttled(&[(4000, 76), (3200, 80)]), 7.6)] {
        let run = stopped_after_15_s(model);
        assert_course(&run, Some("step-down"));
        let step = findings(&run).into_iter().find_map(|finding| match finding.kind {
            FindingKind::StepDown(levels) => Some(levels),
            _ => None,
        });
        let step = step.unwrap();
        let [before, after] = step.levels.as_slice() else { panic!("{step:?}") };
        let slot_s = run.record.timeline[0].interval_ns as f64 / S as f64;
        assert!((before.until_s.unwrap() - step_s).abs() <= slot_s, "at {step_s} s: {step:?}");
        let drop = 1.0 - after.rate / before.rate;
        assert!((0.195..0.205).contains(&drop), "{step:?}");
    }
}

#[test]
fn a_throttle_that_stays_is_no_step() {
    let even = DeviceModel { limits: vec![Limit::iops(4000)], ..device(SERVICE_NS, 1) };
    assert_course(&stopped_after_15_s(even), None);
    assert_course(&stopped_after_15_s(throttled(&[(4000, 160)])), None);
}

#[test]
fn a_throttle_that_is_lifted_is_a_step_up_and_one_that_comes_and_goes_makes_levels() {
    let run =
        |parts: &[(u64, u64)], runtime_s| fio(throttled(parts), &format!("{JOB} --iodepth=1 --runtime={runtime_s}"));
    assert_course(&run(&[(50, 25), (20_000, 25)], 5), Some("step-up"));
    assert_course(&run(&[(50, 20), (20_000, 20), (50, 20)], 6), Some("levels"));
}

#[test]
fn a_rate_that_wanders_is_not_steady() {
    let parts = [4000, 1250, 2750, 750, 3500, 1750, 2250].map(|iops| (iops, 11)).repeat(2);
    assert_course(&fio(throttled(&parts), &format!("{JOB} --runtime=12")), Some("not-steady"));
}

#[test]
fn a_throttle_leaves_its_signature_and_a_requested_rate_does_not() {
    let run = fio(throttled(&[(2000, 90)]), &format!("{JOB} --runtime=9"));
    assert!(has(&run, "throttled"), "{:?}", findings(&run));
    let run = fio(device(SERVICE_NS, 1), &format!("{JOB} --runtime=9 --rate_iops=2000"));
    for id in ["throttled", "too-short", "not-steady"] {
        assert!(!has(&run, id), "{:?}", findings(&run));
    }
}
