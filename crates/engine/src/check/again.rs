//! Checks targets again: before each phase, before the first I/O of a worker that starts later than its phase, and after a command
//! of a job.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use plan::{Plan, Worker};
use record::RunError;
use targets::Lease;

use super::{reach, target_access};
use crate::donor;
use crate::start_delay::start_delay_ns;

/// Checks the targets of a phase, until `stop` is set. Its workers use their targets from now on, except those that start later.
///
/// # Errors
/// A worker of the phase would change a target that has come into use, or a target was replaced.
pub fn check_phase(lease: &Lease, plan: &Plan, phase: u32, stop: &AtomicBool) -> Result<(), RunError> {
    let workers = || plan.workers.iter().filter(|worker| worker.phase == phase);
    lease.begin_use(workers().filter(|worker| !starts_late(worker)).map(|worker| worker.number));
    check(lease, workers(), stop)
}

/// Checks the targets of a worker if it starts later than its phase, until `stop` is set. It uses them from now on.
///
/// # Errors
/// The worker would change a target that has come into use, or a target was replaced.
pub fn check_late(lease: &Lease, worker: &Worker, stop: &AtomicBool) -> Result<(), RunError> {
    if !starts_late(worker) {
        return Ok(());
    }
    lease.begin_use([worker.number]);
    check(lease, std::iter::once(worker), stop)
}

/// Runs a command of a worker. It may unmount, mount and replace the targets that only this worker uses. The targets of
/// the workers that are active are checked after it, and the run ends if one was replaced or came into use.
pub fn with_command<T>(lease: &Lease, plan: &Plan, worker: &Worker, stop: &AtomicBool, run: impl FnOnce() -> T) -> T {
    let is_active = |other: &&Worker| other.number != worker.number && lease.is_active(other.number);
    let used: HashSet<PathBuf> = plan.workers.iter().filter(is_active).flat_map(names).collect();
    let own = names(worker).into_iter().filter(|path| !used.contains(path)).collect();
    lease.with_command(&own, run, || check(lease, plan.workers.iter().filter(is_active), stop))
}

fn check<'a>(lease: &Lease, workers: impl Iterator<Item = &'a Worker>, stop: &AtomicBool) -> Result<(), RunError> {
    let mut safety = lease.safety();
    lease.targets.compare_all()?;
    for worker in workers {
        let Some(job) = worker.job() else {
            let mut streams = worker.stream_list().iter();
            streams.try_for_each(|stream| target_access::check_stream(&mut safety, worker, stream))?;
            continue;
        };
        for path in reach::targets(job)?.iter().take_while(|_| !stop.load(Relaxed)) {
            target_access::check(&mut safety, job, path)?;
        }
        target_access::check_buffer_file(&mut safety, worker)?;
    }
    Ok(())
}

/// Returns true if a worker starts later than its phase.
fn starts_late(worker: &Worker) -> bool {
    start_delay_ns(worker) > 0 || worker.process.exec_prerun.is_some() || worker.wait_for.is_some()
}

/// Returns the targets of a worker, as they are held.
fn names(worker: &Worker) -> Vec<PathBuf> {
    let streams = worker.stream_list().iter().map(|stream| PathBuf::from(&stream.path));
    let donor = donor::path(worker).map(Path::to_owned);
    streams.chain(donor).chain(worker.job().and_then(|job| reach::targets(job).ok()).unwrap_or_default()).collect()
}

/// Returns true if a phase has targets to check again.
pub fn has_leased_targets(plan: &Plan, phase: u32) -> bool {
    plan.workers.iter().any(|worker| worker.phase == phase && target_access::has_targets(worker))
}
