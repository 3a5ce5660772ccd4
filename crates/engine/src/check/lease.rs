//! The lease of a run's targets, from the check to the end of the last worker.
//!
//! Block devices that the run writes are claimed, and the kernel refuses to mount them. Files cannot be claimed: they are checked
//! again before each phase, and before the first I/O of a worker that starts later than its phase.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use os::device::Claims;
use plan::{Plan, Worker};
use record::RunError;

use super::safety::{Safety, has_targets};
use super::{reach, streams};

/// The claims of a run.
#[derive(Debug, Default)]
pub struct Lease {
    claims: Mutex<Claims>,
}

impl Lease {
    pub(super) fn new(claims: Claims) -> Self {
        Lease { claims: Mutex::new(claims) }
    }

    /// Checks the targets of a phase again, until `stop` is set.
    ///
    /// # Errors
    /// A worker of the phase would change a target that has come into use.
    pub fn check_phase(&self, plan: &Plan, phase: u32, stop: &AtomicBool) -> Result<(), RunError> {
        self.check_again(plan.workers.iter().filter(|worker| worker.phase == phase), stop)
    }

    /// Checks the targets of one worker again, until `stop` is set.
    ///
    /// # Errors
    /// The worker would change a target that has come into use.
    pub fn check_worker(&self, worker: &Worker, stop: &AtomicBool) -> Result<(), RunError> {
        self.check_again(std::iter::once(worker), stop)
    }

    fn check_again<'a>(&self, workers: impl Iterator<Item = &'a Worker>, stop: &AtomicBool) -> Result<(), RunError> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let mut safety = Safety::new(&mut claims);
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
