//! The preparation of a phase before its threads start: checks the targets again, creates files, reads what the threads share, and reads the facts
//! of the targets.
//!
//! It has a thread of its own, so that the coordinator is not blocked by the kernel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use os::errno;
use os::platform::{Platform, Receiver};
use plan::Plan;
use record::{PhaseError, RunError, TargetFacts};
use targets::{Lease, fault};

use crate::check;
use crate::fault::PrepareError;
use crate::live::Live;
use crate::new_files;
use crate::shared::Shared;
use crate::target_facts;

/// Longest wait for an outcome.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub struct PhaseSetup {
    outcome: Receiver<Outcome>,
}

/// What the threads share, and the facts of their targets.
pub(crate) type Outcome = Result<(Shared, Vec<TargetFacts>), PrepareError>;

impl PhaseSetup {
    /// Starts the preparation. Returns `None` if the phase needs none.
    pub fn start(
        plan: &Arc<Plan>,
        lease: &Arc<Lease>,
        phase: u32,
        stop: &'static AtomicBool,
        live: &Arc<Live>,
        platform: Platform,
    ) -> Option<Self> {
        if !check::has_leased_targets(plan, phase) {
            return None;
        }
        let (sender, outcome) = platform.channel();
        let (failed, plan, lease, live) = (sender.clone(), Arc::clone(plan), Arc::clone(lease), Arc::clone(live));
        let thread = std::thread::Builder::new().name("fathom-prepare".into());
        let started = platform.spawn(thread, move || {
            let checked = check::check_phase(&lease, &plan, phase, stop).map_err(PrepareError::from);
            let made = checked.and_then(|()| new_files::make_all(&plan, phase, &lease.targets, stop, &live));
            let made = made.and_then(|()| Shared::of_phase(&plan, phase, stop));
            let made = made.map(|shared| (shared, target_facts::of_phase(&plan, phase, stop)));
            drop(sender.send(made));
        });
        if let Err(error) = started {
            drop(failed.send(Err(fault::of_io(&error, PhaseError::NoThread).into())));
        }
        Some(PhaseSetup { outcome })
    }

    /// Returns the outcome, or `None` after a timeout.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self.outcome.recv_timeout(POLL_INTERVAL) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(RunError::new(errno::EIO, PhaseError::Ended).into())),
        }
    }
}
