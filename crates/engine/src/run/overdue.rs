//! Reports workers whose I/Os do not complete after their end. They wait for their I/Os, as fio's jobs do: only a stop signal
//! ends them.

use std::sync::atomic::Ordering::Relaxed;

use plan::Worker;
use record::{Message, MessageKind};

use super::coordinator::Coordinator;
use crate::live::{State, WorkerLive};

/// Time after the end of a worker's time, or after its last I/O was submitted, until it is reported.
const OVERDUE_AFTER_NS: u64 = 10_000_000_000;
const TARGETS_MAX: usize = 3;

impl Coordinator<'_> {
    /// Reports the first overdue worker of a phase and the number of overdue ones, once.
    pub(super) fn report_overdue(&mut self, now_ns: u64) {
        if self.has_reported_overdue || self.interruption.is_some() {
            return;
        }
        let workers = self.plan.workers.iter().zip(&self.live.workers);
        let mut overdue = workers.filter(|(worker, live)| is_overdue(worker, live, now_ns)).map(|(worker, _)| worker);
        let Some(first) = overdue.next() else { return };
        let jobs = 1 + overdue.count() as u64;
        let targets = first.paths().take(TARGETS_MAX).map(str::to_owned).collect();
        let (job, seconds) = (first.name.clone(), OVERDUE_AFTER_NS / 1_000_000_000);
        self.has_reported_overdue = true;
        self.observer.message(&Message::Warning(MessageKind::NotResponding { job, jobs, targets, seconds }));
    }
}

fn is_overdue(worker: &Worker, live: &WorkerLive, now_ns: u64) -> bool {
    // The time of the syncs at the end is not limited.
    if !matches!(live.state(), State::Ramping | State::Running | State::Verifying | State::CoolingDown) {
        return false;
    }
    let (limits, began_ns) = (&worker.limits, live.began_ns.load(Relaxed));
    let end_ns = began_ns.saturating_add(limits.runtime_ns).saturating_add(limits.cool_down_ns);
    let due_ns = match live.draining_from_ns.load(Relaxed) {
        0 if began_ns > 0 && limits.runtime_ns > 0 => end_ns,
        0 => return false,
        draining_from_ns => draining_from_ns,
    };
    now_ns >= due_ns.saturating_add(OVERDUE_AFTER_NS)
}
