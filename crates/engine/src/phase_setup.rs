//! What is done before the threads of a phase start: files are made, what the threads share is read, and the targets are
//! looked at.
//!
//! It has a thread of its own, so that the coordinator is not blocked by the kernel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use os::errno;
use os::platform::{Platform, Receiver};
use plan::Plan;
use record::TargetFacts;

use crate::fault::{self, SetupError};
use crate::live::Live;
use crate::new_files;
use crate::shared::Shared;
use crate::target_facts;

/// How long an outcome is waited for at once.
const SPELL: Duration = Duration::from_millis(50);

pub struct PhaseSetup {
    outcome: Receiver<Outcome>,
}

/// What the threads share, and what is known of their targets.
pub(crate) type Outcome = Result<(Shared, Vec<TargetFacts>), SetupError>;

impl PhaseSetup {
    /// Begins; `None` where the phase has nothing to prepare.
    pub fn start(
        plan: &Arc<Plan>,
        phase: u32,
        stop: &'static AtomicBool,
        live: &Arc<Live>,
        platform: Platform,
    ) -> Option<Self> {
        let streams = plan.workers.iter().any(|worker| worker.phase == phase && !worker.streams.is_empty());
        if !streams && !target_facts::are_there(plan, phase) {
            return None;
        }
        let (sender, outcome) = platform.channel();
        let (failed, plan, live) = (sender.clone(), Arc::clone(plan), Arc::clone(live));
        let thread = std::thread::Builder::new().name("fathom-prepare".into());
        let started = platform.spawn(thread, move || {
            let made = new_files::make_all(&plan, phase, stop, &live);
            let made = made.and_then(|()| Shared::of_phase(&plan, phase, stop));
            let made = made.map(|shared| (shared, target_facts::of_phase(&plan, phase, stop)));
            drop(sender.send(made));
        });
        if let Err(error) = started {
            let message = format!("no thread to be had: {error}", error = errno::reason(&error));
            drop(failed.send(Err(fault::of_io(&error, "prepare", message, "").into())));
        }
        Some(PhaseSetup { outcome })
    }

    /// How it ended; `None` after a while in which it did not.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self.outcome.recv_timeout(SPELL) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let error = fault::new(errno::EIO, "prepare", "preparing a time span ended early".into(), "");
                Some(Err(error.into()))
            }
        }
    }
}
