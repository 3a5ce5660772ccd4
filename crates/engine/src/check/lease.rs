//! The lease of targets, from the first check to the end of the last worker. The runs of a study share one.
//!
//! Block devices that a run writes are claimed, and the kernel refuses to mount them. Files cannot be claimed: they are checked
//! again before each phase, and before the first I/O of a worker that starts later than its phase. The folders of files are held
//! open, and each open of a target is compared with the first.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use os::device::Claims;
use os::file::Folder;
use plan::{Plan, Worker};
use record::RunError;

use super::safety::{Safety, has_targets};
use super::{reach, streams};
use crate::held_targets::HeldTargets;

/// The claimed devices and held targets of a run, or of all runs of a study.
#[derive(Debug, Default)]
pub struct Lease {
    claims: Mutex<Claims>,
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
        self.targets.release();
    }

    pub(super) fn claims(&self) -> MutexGuard<'_, Claims> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the targets of a phase again, until `stop` is set.
    ///
    /// # Errors
    /// A worker of the phase would change a target that has come into use, or a target was replaced.
    pub fn check_phase(&self, plan: &Plan, phase: u32, stop: &AtomicBool) -> Result<(), RunError> {
        self.check_again(plan.workers.iter().filter(|worker| worker.phase == phase), stop)
    }

    /// Checks the targets of one worker again, until `stop` is set.
    ///
    /// # Errors
    /// The worker would change a target that has come into use, or a target was replaced.
    pub fn check_worker(&self, worker: &Worker, stop: &AtomicBool) -> Result<(), RunError> {
        self.check_again(std::iter::once(worker), stop)
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

/// Returns true if a phase has targets to check again.
pub fn has_leased_targets(plan: &Plan, phase: u32) -> bool {
    plan.workers.iter().any(|worker| worker.phase == phase && has_targets(worker))
}
