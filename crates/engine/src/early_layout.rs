//! Laying out the targets of all jobs, one after another, before any of them starts.
//!
//! It has a thread of its own, so that the coordinator is not blocked by the kernel.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use os::clock::{Clock, Source};
use os::platform::{Platform, Receiver};
use plan::{Plan, Worker};

use crate::cpu_burn::CpuBurn;
use crate::fault::SetupError;
use crate::layout;
use crate::target::LaidOut;
use record::Message;

/// What becomes known while files are laid out.
pub(crate) enum LayoutEvent {
    Message(Message),
    LaidOut(usize, Result<LaidOut, SetupError>),
    /// Nothing new for a while.
    Nothing,
}

pub struct EarlyLayout {
    events: Receiver<LayoutEvent>,
    stop: &'static AtomicBool,
    /// Stopped, and how long the thread may still take to put back what was there.
    give_up_ns: Option<u64>,
    patience: Duration,
    clock: Clock,
}

impl EarlyLayout {
    /// Starts with the first job. Jobs that lay out for themselves are left out.
    pub fn start(
        plan: &Arc<Plan>,
        stop: &'static AtomicBool,
        patience: Duration,
        platform: Platform,
    ) -> io::Result<Self> {
        let plan = Arc::clone(plan);
        let (sender, events) = platform.channel();
        let thread = std::thread::Builder::new().name("fathom-layout".into());
        platform.spawn(thread, move || {
            lay_out_all(&plan, stop, &|event| drop(sender.send(event)));
        })?;
        Ok(EarlyLayout { events, stop, give_up_ns: None, patience, clock: platform.clock(Source::Monotonic) })
    }

    /// Returns the next event, `Nothing` after a timeout, or `None` when the layout is complete.
    pub(crate) fn next(&mut self) -> Option<LayoutEvent> {
        if self.stop.load(Relaxed) {
            let now_ns = self.clock.now();
            if now_ns >= *self.give_up_ns.get_or_insert(now_ns + self.patience.as_nanos() as u64) {
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

/// True for jobs whose files are made before anything starts; others make their own, and streams theirs by phase.
pub fn lays_out_early(job: &Worker) -> bool {
    job.targets.create.serialize && job.streams.is_empty()
}

fn lay_out_all(plan: &Plan, stop: &AtomicBool, send: &dyn Fn(LayoutEvent)) {
    for (index, job) in plan.workers.iter().enumerate() {
        if stop.load(Relaxed) {
            break;
        }
        if !lays_out_early(job) {
            continue;
        }
        if let Some(announcement) = CpuBurn::announcement(job) {
            send(LayoutEvent::Message(Message::Info(announcement)));
        }
        let outcome = layout::lay_out(plan, job, stop, &mut |line| send(LayoutEvent::Message(line)));
        send(LayoutEvent::LaidOut(index, outcome));
    }
}
