//! Jobs that ended before their runtime, and phases that are too short for their figures.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, Lack, Severity, Subject};
use plan::{ExitAll, Worker};
use record::{Record, WorkerRecord};

use crate::time_series::{phase_subject, workers};

/// A job that ran for a smaller share of its runtime ended early.
const EARLY_SHARE: f64 = 0.95;
/// A shorter run shows no steady state and no end of a burst.
const SHORT_S: f64 = 5.0;
/// With fewer I/Os the 99.9th percentile is one of the few largest.
const IOS_MIN: u64 = 1000;

/// Finds jobs that ended by size before their runtime.
pub fn early(record: &Record) -> Vec<Finding> {
    // A job that was stopped, by a signal or by another job, did not end by its size.
    let stops_others = record.plan.workers.iter().any(|worker| worker.limits.exit_all != ExitAll::None);
    if record.stopped || stops_others || record.failed() {
        return Vec::new();
    }
    let mut jobs: BTreeMap<(u32, &str), Vec<(&Worker, &WorkerRecord)>> = BTreeMap::new();
    let both = record.plan.workers.iter().zip(&record.workers);
    for (worker, counted) in both.filter(|(worker, counted)| is_early(worker, counted)) {
        jobs.entry((worker.phase, &worker.name)).or_default().push((worker, counted));
    }
    jobs.into_iter().filter_map(|((phase, name), members)| ended_early(phase, name, &members)).collect()
}

/// Finds jobs that ended within their ramp.
pub fn in_ramp(record: &Record) -> Vec<Finding> {
    let mut jobs: BTreeMap<(u32, &str), u64> = BTreeMap::new();
    let both = record.plan.workers.iter().zip(&record.workers);
    for (worker, counted) in both.filter(|(worker, counted)| has_only_ramp(worker, counted)) {
        *jobs.entry((worker.phase, &worker.name)).or_default() +=
            counted.stats.ddirs.iter().map(|ddir| ddir.ios).sum::<u64>();
    }
    let found = |((phase, name), ios): ((u32, &str), u64)| Finding {
        kind: FindingKind::TooShort { measured_s: 0.0, ios, lacks: Lack::Measurement },
        subject: Subject::jobs(phase, std::iter::once(name)),
        severity: Severity::Warning,
    };
    jobs.into_iter().map(found).collect()
}

/// Returns true if the measured time never began: the time of the figures is that since the start.
fn has_only_ramp(worker: &Worker, counted: &WorkerRecord) -> bool {
    let has_ramp = worker.limits.ramp_ns > 0 || worker.limits.ramp_bytes > 0;
    let stats = &counted.stats;
    has_ramp && worker.streams().is_none() && stats.elapsed_ns > 0 && stats.runtime_ns == stats.elapsed_ns
}

fn is_early(worker: &Worker, counted: &WorkerRecord) -> bool {
    let runtime_ns = worker.limits.runtime_ns;
    let by_size = !worker.limits.time_based && worker.job().is_some_and(|job| job.load.latency_target.is_none());
    let ran_ns = counted.stats.runtime_ns;
    by_size
        && !has_only_ramp(worker, counted)
        && counted.ended
        && runtime_ns > 0
        && (ran_ns as f64) < runtime_ns as f64 * EARLY_SHARE
}

fn ended_early(phase: u32, name: &str, members: &[(&Worker, &WorkerRecord)]) -> Option<Finding> {
    let (worker, counted) = members.iter().min_by_key(|(_, counted)| counted.stats.runtime_ns)?;
    Some(Finding {
        kind: FindingKind::EndedEarly {
            runtime_s: worker.limits.runtime_ns as f64 / 1e9,
            ran_s: counted.stats.runtime_ns as f64 / 1e9,
            moved_bytes: counted.stats.ddirs.iter().map(|ddir| ddir.bytes).sum(),
            jobs: members.len() as u64,
        },
        subject: Subject::jobs(phase, std::iter::once(name)),
        severity: Severity::Warning,
    })
}

/// Finds phases with a short measured time or few I/Os.
pub fn short(record: &Record) -> Vec<Finding> {
    record.timeline.iter().filter_map(|timeline| of_phase(record, timeline.phase, timeline.until_ns)).collect()
}

fn of_phase(record: &Record, phase: usize, until_ns: u64) -> Option<Finding> {
    if !workers(record, phase).any(|worker| worker.engine.moves_data()) {
        return None;
    }
    let measured_s = until_ns as f64 / 1e9;
    let both = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.phase as usize == phase);
    let ios: u64 = both.flat_map(|(_, counted)| &counted.stats.ddirs).map(|ddir| ddir.ios).sum();
    let lacks = match measured_s {
        ..SHORT_S => Lack::Time,
        _ if ios < IOS_MIN => Lack::Ios,
        _ => return None,
    };
    let kind = FindingKind::TooShort { measured_s, ios, lacks };
    Some(Finding { kind, subject: phase_subject(record, phase), severity: Severity::Info })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::{run, with};

    fn ran(change: impl FnOnce(&mut Worker)) -> Record {
        with(run(&[5000.0; 20]), change)
    }

    #[test]
    fn a_job_that_ends_by_size_before_its_runtime_is_found() {
        let record = ran(|worker| worker.limits.runtime_ns = 60_000_000_000);
        let kind = FindingKind::EndedEarly { runtime_s: 60.0, ran_s: 20.0, moved_bytes: 20 * 5000 * 4096, jobs: 1 };
        let subject = Subject::Jobs { phase: 0, names: vec!["job".to_owned()] };
        assert_eq!(early(&record), [Finding { kind, subject, severity: Severity::Warning }]);
        let mut stopped = record.clone();
        stopped.stopped = true;
        assert_eq!(early(&stopped), []);
    }

    #[test]
    fn a_job_that_ends_within_its_ramp_is_found() {
        let mut record = ran(|worker| {
            (worker.limits.runtime_ns, worker.limits.ramp_ns) = (60_000_000_000, 30_000_000_000);
        });
        record.workers[0].stats.elapsed_ns = record.workers[0].stats.runtime_ns;
        let kind = FindingKind::TooShort { measured_s: 0.0, ios: 100_000, lacks: Lack::Measurement };
        let subject = Subject::Jobs { phase: 0, names: vec!["job".to_owned()] };
        assert_eq!(in_ramp(&record), [Finding { kind, subject, severity: Severity::Warning }]);
        assert_eq!(early(&record), []);
        record.workers[0].stats.elapsed_ns += 30_000_000_000;
        assert_eq!((in_ramp(&record), early(&record).len()), (Vec::new(), 1));
    }

    #[test]
    fn a_job_that_ran_its_time_or_has_none_is_no_finding() {
        assert_eq!(early(&ran(|worker| worker.limits.runtime_ns = 20_000_000_000)), []);
        assert_eq!(early(&ran(|_| {})), []);
        let based = ran(|worker| (worker.limits.runtime_ns, worker.limits.time_based) = (60_000_000_000, true));
        assert_eq!(early(&based), []);
    }

    #[test]
    fn short_times_and_few_ios_are_found() {
        assert_eq!(short(&run(&[5000.0; 20])), []);
        let kind = |rates: &[f64]| short(&run(rates)).remove(0).kind;
        assert_eq!(kind(&[5000.0; 2]), FindingKind::TooShort { measured_s: 2.0, ios: 10_000, lacks: Lack::Time });
        assert_eq!(kind(&[20.0; 20]), FindingKind::TooShort { measured_s: 20.0, ios: 400, lacks: Lack::Ios });
        assert_eq!(short(&with(run(&[9.0]), |worker| worker.engine = plan::Engine::Null)), []);
    }

    #[test]
    fn a_job_ends_early_below_95_percent_of_its_runtime() {
        let of = |ran_ns: u64| {
            let mut record = ran(|worker| worker.limits.runtime_ns = 100_000_000_000);
            record.workers[0].stats.runtime_ns = ran_ns;
            early(&record).len()
        };
        assert_eq!((of(94_999_999_999), of(95_000_000_000)), (1, 0));
    }

    #[test]
    fn jobs_that_did_not_end_by_their_size_are_no_finding() {
        let cut = || ran(|worker| worker.limits.runtime_ns = 60_000_000_000);
        let mut still_running = cut();
        still_running.workers[0].ended = false;
        assert_eq!(early(&still_running), []);
        for exit_all in [ExitAll::Group, ExitAll::Phase, ExitAll::All] {
            assert_eq!(early(&with(cut(), |worker| worker.limits.exit_all = exit_all)), []);
        }
        let target = plan::LatencyTarget { target_ns: 1, window_ns: 1, percentile: 100.0, keep_running: false };
        assert_eq!(early(&with(cut(), |worker| worker.job_mut().unwrap().latency_target = Some(target))), []);
    }

    #[test]
    fn five_seconds_and_a_thousand_ios_are_enough() {
        let of = |until_ns: u64, ios: u64| {
            let mut record = run(&[5000.0; 5]);
            record.timeline[0].until_ns = until_ns;
            record.workers[0].stats.ddirs[0].ios = ios;
            short(&record).len()
        };
        assert_eq!((of(5_000_000_000, 1000), of(4_999_999_999, 1000), of(5_000_000_000, 999)), (0, 1, 1));
    }
}
