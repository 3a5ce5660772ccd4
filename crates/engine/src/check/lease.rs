//! The lease of targets, from the first check to the end of the last worker. The runs of a study share one.
//!
//! Block devices that a run writes are claimed, and the kernel refuses to mount them. Files cannot be claimed: they are checked
//! again before each phase, and before the first I/O of a worker that starts later than its phase. The folders of files are held
//! open, and each open of a target is compared with the first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use os::device::Claims;
use os::file::Folder;
use plan::{Plan, Worker};
use record::RunError;

use super::safety::{Safety, has_targets};
use super::{reach, streams};
use crate::donor;
use crate::held_targets::HeldTargets;
use crate::start_delay::start_delay_ns;

/// The claimed devices and held targets of a run, or of all runs of a study.
#[derive(Debug, Default)]
pub struct Lease {
    claims: Mutex<Claims>,
    /// Numbers of the workers that use their targets.
    active: Mutex<HashSet<u32>>,
    pub(crate) targets: HeldTargets,
}

impl Lease {
    /// Holds a folder that the program made for files of the runs. They are opened below this descriptor, and symbolic links
    /// are not followed.
    pub fn hold_folder(&self, path: &Path, folder: Folder) {
        self.targets.hold_own_folder(path, folder);
    }

    /// Releases all targets between two runs, except folders of [`Lease::hold_folder`].
    pub fn release(&self) {
        *self.claims() = Claims::default();
        self.active().clear();
        self.targets.release();
    }

    pub(super) fn claims(&self) -> MutexGuard<'_, Claims> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn active(&self) -> MutexGuard<'_, HashSet<u32>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the targets of a phase again, until `stop` is set. Its workers use their targets from now on, except those that
    /// start later.
    ///
    /// # Errors
    /// A worker of the phase would change a target that has come into use, or a target was replaced.
    pub fn check_phase(&self, plan: &Plan, phase: u32, stop: &AtomicBool) -> Result<(), RunError> {
        let workers = || plan.workers.iter().filter(|worker| worker.phase == phase);
        self.active().extend(workers().filter(|worker| !starts_late(worker)).map(|worker| worker.number));
        self.check_again(workers(), stop)
    }

    /// Checks the targets of a worker again if it starts later than its phase, until `stop` is set. It uses them from now on.
    ///
    /// # Errors
    /// The worker would change a target that has come into use, or a target was replaced.
    pub fn check_late(&self, worker: &Worker, stop: &AtomicBool) -> Result<(), RunError> {
        if !starts_late(worker) {
            return Ok(());
        }
        self.active().insert(worker.number);
        self.check_again(std::iter::once(worker), stop)
    }

    /// Notes that a worker does not use its targets any longer.
    pub fn end_use(&self, worker: &Worker) {
        self.active().remove(&worker.number);
    }

    /// Runs a command of a worker. It may unmount, mount and replace the targets that only this worker uses. The targets of
    /// the workers that are active are checked again after it, and the run ends if one was replaced or came into use.
    pub fn with_command<T>(&self, plan: &Plan, worker: &Worker, stop: &AtomicBool, run: impl FnOnce() -> T) -> T {
        let active = |other: &&Worker| other.number != worker.number && self.active().contains(&other.number);
        let used: HashSet<PathBuf> = plan.workers.iter().filter(active).flat_map(names).collect();
        let own: HashSet<PathBuf> = names(worker).into_iter().filter(|path| !used.contains(path)).collect();
        self.targets.release_some(|path| own.contains(path));
        let done = run();
        if let Err(error) = self.check_again(plan.workers.iter().filter(active), stop) {
            self.targets.lose(error);
        }
        done
    }

    fn check_again<'a>(&self, workers: impl Iterator<Item = &'a Worker>, stop: &AtomicBool) -> Result<(), RunError> {
        let mut claims = self.claims();
        let mut safety = Safety::new(&mut claims, &self.targets);
        self.targets.compare_all()?;
        for worker in workers {
            if worker.streams().is_some() {
                streams::check_uses(worker, &mut safety)?;
                continue;
            }
            for path in reach::targets(worker)?.iter().take_while(|_| !stop.load(Relaxed)) {
                safety.check(worker, path)?;
            }
            safety.check_buffer_file(worker)?;
        }
        Ok(())
    }
}

/// Returns true if a worker starts later than its phase.
fn starts_late(worker: &Worker) -> bool {
    start_delay_ns(worker) > 0 || worker.process.exec_prerun.is_some() || worker.wait_for.is_some()
}

/// Returns the targets of a worker, as they are held.
fn names(worker: &Worker) -> Vec<PathBuf> {
    let streams = worker.stream_list().iter().map(|stream| PathBuf::from(&stream.path));
    let donor = donor::path(worker).map(Path::to_owned);
    streams.chain(donor).chain(reach::targets(worker).unwrap_or_default()).collect()
}

/// Returns true if a phase has targets to check again.
pub fn has_leased_targets(plan: &Plan, phase: u32) -> bool {
    plan.workers.iter().any(|worker| worker.phase == phase && has_targets(worker))
}
