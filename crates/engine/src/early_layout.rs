//! Lays out the targets of all jobs, one after another, before the first starts.
//!
//! It has a thread of its own, so that the coordinator is not blocked by the kernel.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use os::clock::{Clock, Source};
use os::platform::{Platform, Receiver};
use plan::{Job, Plan, Worker};
use targets::{HeldTargets, Lease};

use crate::cpu_burn::CpuBurn;
use crate::fault::PrepareError;
use crate::layout;
use crate::target::LaidOut;
use crate::zones::ZoneTables;
use record::Message;

/// Events of the layout.
pub(crate) enum LayoutEvent {
    Message(Message),
    LaidOut(usize, Result<LaidOut, PrepareError>),
    /// No event until the timeout.
    Nothing,
}

pub struct EarlyLayout {
    events: Receiver<LayoutEvent>,
    stop: &'static AtomicBool,
    /// After a stop: the end of the time in which the thread restores the files.
    give_up_ns: Option<u64>,
    patience: Duration,
    clock: Clock,
}

impl EarlyLayout {
    /// Starts the layout. Jobs that lay out their own files are skipped.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        plan: &Arc<Plan>,
        lease: &Arc<Lease>,
        stop: &'static AtomicBool,
        patience: Duration,
        platform: Platform,
    ) -> io::Result<Self> {
        let (plan, lease) = (Arc::clone(plan), Arc::clone(lease));
        let (sender, events) = platform.channel();
        let thread = std::thread::Builder::new().name("fathom-layout".into());
        platform.spawn(thread, move || {
            lay_out_all(&plan, &lease.targets, stop, &|event| drop(sender.send(event)));
        })?;
        Ok(EarlyLayout { events, stop, give_up_ns: None, patience, clock: platform.clock(Source::Monotonic) })
    }

    /// Returns the next event, `Nothing` after a timeout, or `None` when the layout is complete.
    pub(crate) fn next(&mut self) -> Option<LayoutEvent> {
        if self.stop.load(Relaxed) {
            let now_ns = self.clock.now();
            if now_ns >= *self.give_up_ns.get_or_insert(now_ns + crate::number::ns_of(self.patience)) {
                return None;
            }
        }
        match self.events.recv_timeout(Duration::from_millis(50)) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(LayoutEvent::Nothing),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }
}

/// Returns a job whose files are laid out before the first job starts. Other jobs lay out their own. Streams have theirs
/// created per phase.
pub fn lays_out_early(worker: &Worker) -> Option<Job<'_>> {
    worker.job().filter(|job| job.load.targets.create.serialize)
}

fn lay_out_all(plan: &Plan, targets: &HeldTargets, stop: &AtomicBool, send: &dyn Fn(LayoutEvent)) {
    let zones = ZoneTables::default();
    for (index, worker) in plan.workers.iter().enumerate() {
        if stop.load(Relaxed) || targets.lost().is_some() {
            break;
        }
        let Some(job) = lays_out_early(worker) else { continue };
        if let Some(announcement) = CpuBurn::announcement(worker) {
            send(LayoutEvent::Message(Message::Info(announcement)));
        }
        let outcome = layout::lay_out(plan, job, targets, &zones, stop, &mut |line| send(LayoutEvent::Message(line)));
        send(LayoutEvent::LaidOut(index, outcome));
    }
}
