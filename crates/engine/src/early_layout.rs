//! Laying out the targets of all jobs, one after another, before any of them starts.
//!
//! It has a thread of its own, so that whoever watches the run is not stuck where the kernel is.

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
    news: Receiver<LayoutEvent>,
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
        let (sender, news) = platform.channel();
        let thread = std::thread::Builder::new().name("fathom-layout".into());
        platform.spawn(thread, move || {
            lay_out_all(&plan, stop, &|news| drop(sender.send(news)));
        })?;
        Ok(EarlyLayout { news, stop, give_up_ns: None, patience, clock: platform.clock(Source::Monotonic) })
    }

    /// The next news, or after a short while that there is nothing new; `None` when all is said.
    pub(crate) fn next(&mut self) -> Option<LayoutEvent> {
        if self.stop.load(Relaxed) {
            let now_ns = self.clock.now();
            if now_ns >= *self.give_up_ns.get_or_insert(now_ns + self.patience.as_nanos() as u64) {
                return None;
            }
        }
        match self.news.recv_timeout(Duration::from_millis(50)) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => Some(LayoutEvent::Nothing),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }
}

/// True for jobs whose files are made before anything starts; others make their own, and streams theirs by phase.
pub fn lays_out_early(job: &Worker) -> bool {
    job.targets.create.serialize && job.streams.is_empty()
}

fn lay_out_all(plan: &Plan, stop: &AtomicBool, tell: &dyn Fn(LayoutEvent)) {
    for (index, job) in plan.workers.iter().enumerate() {
        if stop.load(Relaxed) {
            break;
        }
        if !lays_out_early(job) {
            continue;
        }
        if let Some(announcement) = CpuBurn::announcement(job) {
            tell(LayoutEvent::Message(Message::Info(announcement)));
        }
        let outcome = layout::lay_out(plan, job, stop, &mut |line| tell(LayoutEvent::Message(line)));
        tell(LayoutEvent::LaidOut(index, outcome));
    }
}
