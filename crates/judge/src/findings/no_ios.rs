//! Jobs that did no I/O.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, NoIosCause, Severity, Subject};
use plan::stream::StreamRate;
use plan::{Distribution, ExitAll, Job, JobLoad, Load, Origin, Worker};
use record::{Record, WorkerRecord};

/// Finds jobs that ended without an error and without an I/O.
pub fn find(record: &Record) -> Vec<Finding> {
    // A job that another one ended, or that the user stopped, may not have had the time.
    let stops_others = record.plan.workers.iter().any(|worker| worker.limits.exit_all != ExitAll::None);
    if record.stopped || stops_others {
        return Vec::new();
    }
    let mut jobs: BTreeMap<(u32, &str), Vec<(&Worker, &WorkerRecord)>> = BTreeMap::new();
    for (worker, counted) in record.plan.workers.iter().zip(&record.workers) {
        jobs.entry((worker.phase, &worker.name)).or_default().push((worker, counted));
    }
    let idle = jobs.into_iter().filter(|(_, members)| members.iter().all(|(worker, counted)| is_idle(worker, counted)));
    let mut found: Vec<Finding> = Vec::new();
    for ((phase, name), members) in idle {
        let (worker, counted) = members[0];
        let subject = match record.plan.origin {
            Origin::DiskSpd { .. } => Subject::Threads,
            Origin::Fio(_) => Subject::jobs(phase, std::iter::once(name)),
        };
        let kind = FindingKind::NoIos { cause: cause(record, worker, counted), jobs: members.len() as u64 };
        found.push(Finding { kind, subject, severity: Severity::Invalid });
    }
    found
}

/// Whether a worker that has I/O to do ended without any.
fn is_idle(worker: &Worker, counted: &WorkerRecord) -> bool {
    let job_has_ios = |job: &JobLoad| {
        !job.targets.create.only && job.replay.is_none() && !job.verify.as_ref().is_some_and(|verify| verify.only)
    };
    let has_ios = worker.engine.does_io() && worker.job().is_none_or(|job| job_has_ios(job.load));
    let ios: u64 = counted.stats.ddirs.iter().map(|ddir| ddir.ios).sum();
    let failed = counted.error.is_some() || counted.nonfatal_errors > 0;
    has_ios && counted.ended && !failed && ios == 0
}

fn cause(record: &Record, worker: &Worker, counted: &WorkerRecord) -> NoIosCause {
    let runtime_s = counted.stats.runtime_ns as f64 / 1e9;
    for stream in worker.stream_list() {
        if let StreamRate::BytesPerMs(rate) = stream.rate {
            let bytes_per_s = rate * 1000.0;
            if bytes_per_s * runtime_s < f64::from(stream.block_bytes) {
                return NoIosCause::Rate { bytes_per_s, block_bytes: u64::from(stream.block_bytes) };
            }
        }
    }
    let path = worker.paths().next();
    let facts = record.targets.iter().find(|facts| Some(facts.path.as_str()) == path);
    let size_bytes = facts.and_then(|facts| facts.size_bytes);
    let offset_bytes = match &worker.load {
        Load::Job(job) => {
            let (extent, size_bytes) = (&job.targets.extent, size_bytes.unwrap_or(0));
            let of_clone = extent.offset_increment.of(size_bytes).saturating_mul(u64::from(worker.clone));
            extent.offset.of(size_bytes).saturating_add(of_clone)
        }
        Load::Threads(streams) => streams.list.first().map_or(0, |stream| stream.base_bytes),
    };
    let has_zones = |job: Job| matches!(job.load.access.distribution, Distribution::ZonedAbs(_));
    if offset_bytes > 0 {
        NoIosCause::Offset { offset_bytes, size_bytes }
    } else if worker.job().is_some_and(has_zones) {
        NoIosCause::Zones
    } else {
        NoIosCause::Unknown
    }
}

#[cfg(test)]
mod tests {
    use plan::Amount;

    use super::*;
    use crate::time_series::simulated::{run, with};

    fn idle(change: impl FnOnce(&mut Worker)) -> Record {
        let mut record = with(run(&[5000.0; 2]), change);
        record.workers[0].stats.ddirs.iter_mut().for_each(|ddir| ddir.ios = 0);
        record
    }

    fn cause_of(record: &Record) -> Option<NoIosCause> {
        find(record).first().map(|finding| {
            let FindingKind::NoIos { cause, jobs: 1 } = finding.kind else { panic!("{finding:?}") };
            assert_eq!(finding.severity, Severity::Invalid);
            cause
        })
    }

    #[test]
    fn a_job_without_ios_is_found_with_its_cause() {
        assert_eq!(cause_of(&idle(|_| {})), Some(NoIosCause::Unknown));
        let behind = idle(|worker| worker.job_mut().unwrap().targets.extent.offset = Amount::Bytes(10 << 20));
        assert_eq!(cause_of(&behind), Some(NoIosCause::Offset { offset_bytes: 10 << 20, size_bytes: None }));
        let zones =
            idle(|worker| worker.job_mut().unwrap().access.distribution = Distribution::ZonedAbs(Box::default()));
        assert_eq!(cause_of(&zones), Some(NoIosCause::Zones));
    }

    #[test]
    fn jobs_with_ios_and_jobs_that_have_none_to_do_are_no_finding() {
        assert_eq!(find(&run(&[5000.0; 2])), []);
        assert_eq!(cause_of(&idle(|worker| worker.job_mut().unwrap().targets.create.only = true)), None);
        assert_eq!(cause_of(&idle(|worker| worker.limits.exit_all = ExitAll::All)), None);
        let mut stopped = idle(|_| {});
        stopped.stopped = true;
        assert_eq!(cause_of(&stopped), None);
        let mut running = idle(|_| {});
        running.workers[0].ended = false;
        assert_eq!(cause_of(&running), None);
    }
}
