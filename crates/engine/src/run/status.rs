//! Samples, snapshots and progress during a run.

use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

use os::clock::NEVER_NS;
use record::{DiskUse, Event, Message, MessageKind};

use super::coordinator::Coordinator;
use super::observer::Observer;
use super::patience::Interruption;

use crate::idleness::Idleness;
use crate::live::State;
use crate::logs::{AggregateLog, LogError};
use crate::stop::StopKind;
use crate::timeline::TimelineWatch;

/// Longest interval between snapshots of a worker. The last snapshot is reported if the worker never reports again.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(500);
/// Added to the interval between snapshots per worker. A snapshot copies the histograms.
const SNAPSHOT_EVERY_PER_WORKER: Duration = Duration::from_millis(20);
/// Longest wait for requested snapshots.
const SNAPSHOT_PATIENCE_NS: u64 = 200_000_000;

impl Coordinator<'_> {
    /// Does everything that is due: samples, snapshots, the observer's tick, a stop.
    pub(super) fn attend(&mut self) {
        let now_ns = self.clock.now();
        self.follow_phase(now_ns);
        for (worker, slot) in self.live.workers.iter().zip(&mut self.slots) {
            slot.sampler.sample(worker, now_ns);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.look(&self.live, &self.disks, now_ns);
        }
        self.log_aggregate(now_ns);
        self.follow_steady_states(now_ns);
        if now_ns >= self.next_snapshot_ns {
            let every = SNAPSHOT_EVERY_PER_WORKER * crate::number::index(self.slots.len());
            let slot = self.timeline.as_ref().map_or(SNAPSHOT_EVERY, TimelineWatch::interval);
            self.next_snapshot_ns = now_ns + crate::number::ns_of(every.max(SNAPSHOT_EVERY.min(slot)));
            self.request_snapshots();
        }
        if now_ns >= self.next_status_ns || (self.options.snapshot_wanted)() {
            self.report_status(now_ns);
        }
        self.watch();
        self.report_overdue(now_ns);
        self.end_dead_workers();
        self.limit_waits(now_ns);
    }

    /// Calls the observer's tick. Stops the workers after a stop request, and if a target was replaced.
    pub(super) fn watch(&mut self) {
        let now_ns = self.clock.now();
        if now_ns >= self.next_tick_ns {
            self.next_tick_ns = now_ns + crate::number::ns_of(self.options.tick);
            self.observer.tick(&self.live, now_ns);
        }
        let requested = self.requested_stop();
        if requested > self.stopped
            && let Some(kind) = requested
        {
            self.live.stop_all(kind);
            if self.is_stop_requested() && self.stopped.is_none() {
                self.observer.event(Event::Stopped);
            }
            if kind >= StopKind::Interrupt {
                self.interruption = Some(Interruption::at(now_ns));
            }
            self.stopped = requested;
        }
    }

    fn requested_stop(&self) -> Option<StopKind> {
        let is_lost = || self.options.lease.targets.lost().is_some();
        match self.options.stop.is_at_least(StopKind::Interrupt) || is_lost() {
            true => Some(StopKind::Interrupt),
            false => self.is_stop_requested().then_some(StopKind::Finish),
        }
    }

    fn log_aggregate(&mut self, now_ns: u64) {
        let Some(aggregate) = &mut self.aggregate else { return };
        let workers = &self.live.workers;
        let is_ramping = workers.iter().any(|worker| worker.state() == State::Ramping);
        let bytes = std::array::from_fn(|at| workers.iter().map(|worker| worker.bytes[at].load(Relaxed)).sum());
        let bytes = (!is_ramping).then_some(bytes);
        if let Err(error) = aggregate.sample(now_ns - self.live.started_ns, bytes) {
            self.aggregate = None;
            self.observer.message(&aggregate_failed(error));
        }
    }

    /// Ends jobs that are in steady state.
    fn follow_steady_states(&mut self, now_ns: u64) {
        let mut wants_snapshots = false;
        for watch in &mut self.steady_states {
            let slots = &self.slots;
            let is_due = watch.look(&self.live.workers, |index| slots[index].last_stats.as_deref(), now_ns);
            if is_due && watch.record.attained {
                watch.members.iter().for_each(|&member| self.live.workers[member].finish(now_ns));
            }
            wants_snapshots |= is_due && watch.needs_snapshots();
        }
        if wants_snapshots {
            self.request_snapshots();
        }
    }

    fn request_snapshots(&self) {
        for worker in &self.live.workers {
            if matches!(worker.state(), State::Running | State::Verifying | State::Ramping | State::CoolingDown) {
                worker.snapshot_wanted.store(true, Relaxed);
            }
        }
    }

    /// Gets snapshots of all running workers for the observer. A worker that is inside a long system call is reported
    /// with its previous snapshot.
    fn report_status(&mut self, now_ns: u64) {
        let next_ns = |every: Duration| now_ns.saturating_add(crate::number::ns_of(every));
        self.next_status_ns = self.options.snapshot_every.map_or(NEVER_NS, next_ns);
        self.request_snapshots();
        let until_ns = now_ns + SNAPSHOT_PATIENCE_NS;
        while self.clock.now() < until_ns && self.live.workers.iter().any(|worker| worker.snapshot_wanted.load(Relaxed))
        {
            if let Ok(message) = self.receiver.recv_timeout(Duration::from_millis(5)) {
                self.handle(message);
            }
        }
        while let Ok(message) = self.receiver.try_recv() {
            self.handle(message);
        }
        for watch in &self.steady_states {
            self.observer.event(watch.event());
        }
        report_machine(self.observer, self.disks.used(), self.idleness.as_ref());
        self.observer.snapshots_taken();
    }

    /// Reports the machine, and closes the logs.
    pub(super) fn finish(self) {
        let Coordinator { observer, log_writer, aggregate, disks, idleness, mut slots, live, .. } = self;
        if live.control_groups.is_used() {
            // A group with a thread cannot be removed.
            let threads = slots.iter_mut().filter_map(|slot| slot.thread.take());
            threads.filter(JoinHandle::is_finished).for_each(|thread| drop(thread.join()));
            live.control_groups.end();
        }
        report_machine(observer, disks.finish(), idleness.as_ref());
        // The writer ends once the logs of workers that never started are closed.
        drop(slots);
        if let Some(Err(error)) = aggregate.map(AggregateLog::finish) {
            observer.message(&aggregate_failed(error));
        }
        for LogError { fault, source: error } in log_writer.finish() {
            observer.message(&Message::Warning(MessageKind::LogsIncomplete { fault, error }));
        }
    }
}

fn aggregate_failed(LogError { fault, source: error }: LogError) -> Message {
    Message::Warning(MessageKind::AggregateLogFailed { fault, error })
}

/// Reports the counters of disks and CPUs.
fn report_machine(observer: &mut dyn Observer, disks: Vec<DiskUse>, idleness: Option<&Idleness>) {
    observer.event(Event::Disks(disks));
    if let Some(idleness) = idleness {
        observer.event(Event::CpuIdle(idleness.percent()));
    }
}
