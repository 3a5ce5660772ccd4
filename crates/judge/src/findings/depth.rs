//! Queues that did not reach their depth: the figures are for fewer I/Os in flight than requested.

use assessment::{Finding, FindingKind, Severity, Subject};
use plan::{Ddir, Origin, Worker};
use record::{Record, WorkerRecord, WorkerStats};

use crate::findings::device::is_direct;

/// A mean number of I/Os in flight below this share of the depth is a finding.
const REACHED_SHARE: f64 = 0.8;
/// Minimum number of I/Os for a mean.
const IOS_MIN: u64 = 100;
/// In a shorter time most I/Os belong to the start and the end.
const RUNTIME_MIN_NS: u64 = 200_000_000;

pub fn find(record: &Record) -> Vec<Finding> {
    let both = record.plan.workers.iter().zip(&record.workers);
    let short: Vec<Short> = both
        .filter(|(worker, _)| depth(worker) > 1 && worker.slowdowns().is_empty())
        .filter_map(|(worker, WorkerRecord { stats, .. })| {
            let (depth, mean_in_flight) = (depth(worker), mean_in_flight(stats)?);
            let is_short = mean_in_flight < f64::from(depth) * REACHED_SHARE;
            is_short.then_some(Short { worker, stats, depth, mean_in_flight })
        })
        .collect();
    let Some(worst) = short.iter().min_by(|one, other| one.mean_in_flight.total_cmp(&other.mean_in_flight)) else {
        return Vec::new();
    };
    let phase = worst.worker.phase;
    let subject = match record.plan.origin {
        Origin::DiskSpd { .. } => Subject::Threads,
        Origin::Fio(_) => {
            let of_phase = short.iter().filter(|short| short.worker.phase == phase);
            Subject::jobs(phase, of_phase.map(|short| short.worker.name.as_str()))
        }
    };
    let kind = FindingKind::DepthNotReached {
        depth: worst.depth,
        mean_in_flight: worst.mean_in_flight,
        workers: short.len() as u64,
        of_workers: record.plan.workers.len() as u64,
        is_direct: record.plan.workers.iter().all(is_direct),
        is_trim: mostly_trims(worst.stats),
    };
    vec![Finding { kind, subject, severity: Severity::Warning }]
}

/// A worker with a short queue.
struct Short<'a> {
    worker: &'a Worker,
    stats: &'a WorkerStats,
    depth: u32,
    mean_in_flight: f64,
}

fn mostly_trims(stats: &WorkerStats) -> bool {
    let all: u64 = stats.ddirs.iter().map(|ddir| ddir.lat.count()).sum();
    stats.ddirs[Ddir::Trim as usize].lat.count() * 2 > all
}

fn depth(worker: &Worker) -> u32 {
    if worker.engine.moves_data() { worker.depth() } else { 0 }
}

/// The mean number of I/Os in flight, by Little's law: I/Os per second times mean latency. `None` for short runs.
fn mean_in_flight(stats: &WorkerStats) -> Option<f64> {
    let mut in_flight_ns = 0.0;
    let mut ios = 0;
    for ddir in &stats.ddirs {
        in_flight_ns += ddir.lat.mean_ns() * ddir.lat.count() as f64;
        ios += ddir.lat.count();
    }
    (ios >= IOS_MIN && stats.runtime_ns >= RUNTIME_MIN_NS).then(|| in_flight_ns / stats.runtime_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::{run, with};

    /// Returns the findings on 10 s of 10,000 reads per second at a depth of 32, each with that latency.
    fn found(latency_ns: u64, change: impl FnOnce(&mut Worker)) -> Vec<Finding> {
        let mut record = with(run(&[10_000.0; 10]), |worker| {
            worker.engine = plan::Engine::IoUring(plan::IoUring::default());
            worker.job_mut().unwrap().iodepth = 32;
            worker.job_mut().unwrap().targets.open.direct = true;
            change(worker);
        });
        (0..100_000).for_each(|_| record.workers[0].stats.ddirs[0].lat.record(latency_ns));
        find(&record)
    }

    #[test]
    fn fewer_ios_in_flight_than_the_depth_are_found() {
        let finding = &found(400_000, |_| {})[0];
        assert_eq!(finding.subject, Subject::Jobs { phase: 0, names: vec!["job".to_owned()] });
        let FindingKind::DepthNotReached { depth, mean_in_flight, workers, of_workers, is_direct, is_trim } =
            finding.kind
        else {
            panic!("{finding:?}")
        };
        assert_eq!((depth, workers, of_workers, is_direct, is_trim), (32, 1, 1, true, false));
        assert!((mean_in_flight - 4.0).abs() < 0.1, "{mean_in_flight}");
        let buffered = &found(400_000, |worker| worker.job_mut().unwrap().targets.open.direct = false)[0];
        assert!(matches!(buffered.kind, FindingKind::DepthNotReached { is_direct: false, .. }));
    }

    #[test]
    fn trims_in_flight_count() {
        let mut record = with(run(&[10_000.0; 10]), |worker| {
            worker.engine = plan::Engine::IoUring(plan::IoUring::default());
            worker.job_mut().unwrap().iodepth = 64;
            worker.job_mut().unwrap().targets.open.direct = true;
        });
        let trims = |record: &mut Record, latency_ns| {
            record.workers[0].stats.ddirs[Ddir::Trim as usize].lat = record::Latency::default();
            (0..100_000).for_each(|_| record.workers[0].stats.ddirs[Ddir::Trim as usize].lat.record(latency_ns));
        };
        trims(&mut record, 100_000);
        let found = find(&record);
        assert!(matches!(found[0].kind, FindingKind::DepthNotReached { depth: 64, is_trim: true, .. }), "{found:?}");
        trims(&mut record, 6_300_000);
        assert_eq!(find(&record), []);
    }

    #[test]
    fn full_queues_and_queues_kept_short_are_no_finding() {
        assert_eq!(found(3_100_000, |_| {}), []);
        assert_eq!(found(400_000, |worker| worker.job_mut().unwrap().rate.ios_per_s[Ddir::Read] = 10_000), []);
        assert_eq!(found(400_000, |worker| worker.batches.low = Some(4)), []);
        assert_eq!(found(400_000, |worker| worker.engine = plan::Engine::Null), []);
        assert_eq!(found(400_000, |worker| worker.job_mut().unwrap().iodepth = 1), []);
        // A mean of 0.4 I/Os in flight: a depth of 1 is no queue.
        assert_eq!(found(40_000, |worker| worker.job_mut().unwrap().iodepth = 1), []);
    }

    #[test]
    fn each_reason_for_a_short_queue_is_one() {
        let target = plan::LatencyTarget { target_ns: 1, window_ns: 1, percentile: 100.0, keep_running: false };
        type Change = fn(&mut Worker);
        let reasons: [Change; 11] = [
            |worker| worker.batches.low = Some(31),
            |worker| worker.batches.submit = Some(1),
            |worker| worker.batches.complete_min = Some(2),
            |worker| worker.job_mut().unwrap().think.pause_us = 1,
            |worker| worker.job_mut().unwrap().think.cycles_per_io = 1,
            |worker| worker.job_mut().unwrap().flow = Some(plan::Flow { id: 1, weight: 1, sleep_us: 0 }),
            |worker| worker.job_mut().unwrap().targets.lock = Some(plan::TargetLock::Exclusive),
            |worker| worker.job_mut().unwrap().access.syncs.fsync_every_writes = 1,
            |worker| worker.job_mut().unwrap().access.syncs.fdatasync_every_writes = 1,
            |worker| worker.job_mut().unwrap().rate.bytes_per_s[Ddir::Read] = 1,
            |worker| worker.job_mut().unwrap().rate.ios_per_s[Ddir::Write] = 1,
        ];
        for (at, reason) in reasons.into_iter().enumerate() {
            assert_eq!(found(400_000, reason), [], "{at}");
        }
        assert_eq!(found(400_000, |worker| worker.job_mut().unwrap().latency_target = Some(target)), []);
        let none: [Change; 3] = [
            |worker| worker.batches.complete_min = Some(1),
            |worker| worker.job_mut().unwrap().access.syncs.end_fsync = true,
            |worker| worker.job_mut().unwrap().iodepth = 6,
        ];
        for (at, change) in none.into_iter().enumerate() {
            assert_eq!(found(400_000, change).len(), 1, "{at}");
        }
    }

    #[test]
    fn four_fifths_of_the_depth_are_enough_and_a_mean_needs_100_ios_in_200_ms() {
        // 10,000 I/Os per second: 25.6 of 32 are in flight at 2.56 ms.
        assert_eq!((found(2_559_000, |_| {}).len(), found(2_561_000, |_| {}).len()), (1, 0));
        let of = |ios: u64, runtime_ns: u64| {
            let mut record = with(run(&[10_000.0; 10]), |worker| {
                worker.engine = plan::Engine::IoUring(plan::IoUring::default());
                worker.job_mut().unwrap().iodepth = 32;
            });
            record.workers[0].stats.runtime_ns = runtime_ns;
            (0..ios).for_each(|nth| record.workers[0].stats.ddirs[nth as usize % 2].lat.record(1000));
            find(&record).len()
        };
        assert_eq!((of(100, 200_000_000), of(99, 200_000_000), of(100, 199_999_999)), (1, 0, 0));
    }

    #[test]
    fn the_finding_names_the_jobs_of_the_phase_with_the_shortest_queue() {
        let mut record = run(&[10_000.0; 10]);
        let jobs = [("a", 0, 9), ("b", 1, 4), ("c", 1, 8), ("d", 1, 32)];
        let worker = |&(name, phase, _): &(&str, u32, u64)| {
            let engine = plan::Engine::IoUring(plan::IoUring::default());
            let mut worker = Worker { name: name.into(), phase, engine, ..record.plan.workers[0].clone() };
            worker.job_mut().unwrap().iodepth = 32;
            worker
        };
        let workers = jobs.iter().map(worker).collect();
        record.plan = std::sync::Arc::new(plan::Plan { workers, ..plan::Plan::clone(&record.plan) });
        record.workers = vec![record.workers[0].clone(); jobs.len()];
        for (counted, (.., in_flight)) in record.workers.iter_mut().zip(jobs) {
            (0..1000).for_each(|_| counted.stats.ddirs[0].lat.record(in_flight * 10_000_000));
        }
        let found = find(&record);
        assert_eq!(found[0].subject, Subject::Jobs { phase: 1, names: vec!["b".into(), "c".into()] });
        let FindingKind::DepthNotReached { mean_in_flight, workers, of_workers, .. } = found[0].kind else {
            panic!("{found:?}")
        };
        assert_eq!((mean_in_flight, workers, of_workers), (4.0, 3, 4));
    }
}
