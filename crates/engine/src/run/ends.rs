//! The end of workers: by themselves, with others, by a panic, or stuck.

use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

use plan::ExitAll;
use record::{Ended, Event, WorkerStats};

use super::coordinator::Coordinator;
use super::errors;
use super::patience::{Due, Interruption};
use crate::live::State;
use crate::stop::StopKind;

impl Coordinator<'_> {
    pub(super) fn worker_ended(&mut self, index: usize, mut ended: Ended) {
        if self.slots[index].has_ended() {
            return;
        }
        ended.error = ended.error.or_else(|| self.options.lease.targets.lost());
        log::debug!("worker {index}: ended, error: {:?}", ended.error);
        let was_started = self.slots[index].end();
        self.live.workers[index].set_state(State::Ended);
        let now_ns = self.clock.now();
        self.interruption = self.interruption.map(|earlier| Interruption { last_end_ns: now_ns, ..earlier });
        let has_failed = ended.error.is_some();
        if let Some(watch) = &mut self.phase {
            watch.worker_ended(&ended);
        }
        if let Some(timeline) = &mut self.timeline {
            let earlier = self.slots[index].last_stats.as_deref();
            timeline.worker_ended(index, &self.live.workers[index], &ended.stats, earlier);
        }
        self.observer.event(Event::Ended { worker: index, ended });
        if let Some(watch) = self.steady_states.iter().find(|watch| watch.members.contains(&index)) {
            self.observer.event(watch.event());
        }
        let limits = &self.plan.workers[index].limits;
        if has_failed || was_started {
            self.exit_all(index, limits.exit_all);
        }
        if has_failed {
            self.exit_all(index, limits.exit_all_on_error);
        }
        self.end_idle_burners();
    }

    /// Stops CPU jobs with `exit_on_io_done` once all jobs with I/O have ended, if there are any.
    fn end_idle_burners(&self) {
        let workers = || self.plan.workers.iter().enumerate();
        let burns = |worker: &plan::Worker| matches!(worker.engine, plan::Engine::Cpu { .. });
        let mut others = workers().filter(|(_, worker)| !burns(worker)).peekable();
        if others.peek().is_none() || !others.all(|(index, _)| self.slots[index].has_ended()) {
            return;
        }
        let now_ns = self.clock.now();
        for (index, worker) in workers() {
            if matches!(worker.engine, plan::Engine::Cpu { exit_on_io_done: true, .. }) {
                self.live.workers[index].finish(now_ns);
            }
        }
    }

    fn exit_all(&self, index: usize, whom: ExitAll) {
        let now_ns = self.clock.now();
        let (group, phase) = (self.plan.workers[index].group, self.plan.workers[index].phase);
        for (other, worker) in self.plan.workers.iter().enumerate() {
            let meant = match whom {
                ExitAll::None => false,
                ExitAll::Group => worker.group == group,
                ExitAll::Phase => worker.phase == phase,
                ExitAll::All => true,
            };
            if meant {
                self.live.workers[other].finish(now_ns);
            }
        }
    }

    /// Ends workers whose thread ended without an event. This is a bug of fathom. The other workers continue.
    pub(super) fn end_dead_workers(&mut self) {
        let finished = |thread: &Option<JoinHandle<()>>| thread.as_ref().is_some_and(JoinHandle::is_finished);
        for index in 0..self.slots.len() {
            if self.slots[index].has_ended() || !finished(&self.slots[index].thread) {
                continue;
            }
            // Its last event may have arrived since the last look.
            while let Ok(event) = self.receiver.try_recv() {
                self.handle(event);
            }
            let slot = &mut self.slots[index];
            let Some(thread) = slot.thread.take().filter(|_| !slot.has_ended()) else { continue };
            let reason = thread.join().err().map_or_else(String::new, |payload| panic_text(payload.as_ref()));
            let stats = self.last_known(index);
            let error = errors::panicked(&self.plan.workers[index], reason);
            self.worker_ended(index, Ended { stats, ..Ended::failed(error) });
        }
    }

    /// Requests interrupted workers to give up their I/Os once their patience is over, and ends those that do not report
    /// then.
    pub(super) fn limit_waits(&mut self, now_ns: u64) {
        for index in 0..self.slots.len() {
            let Some(interruption) = self.interruption else { return };
            if !self.slots[index].is_running() {
                continue;
            }
            let live = &self.live.workers[index];
            match self.slots[index].progress.follow(live, interruption, now_ns) {
                Due::Nothing => {}
                Due::GiveUp => live.stop.make(StopKind::GiveUp),
                Due::End => self.end_stuck_worker(index),
            }
        }
    }

    /// Ends a worker that did not stop, with its last known statistics.
    fn end_stuck_worker(&mut self, index: usize) {
        let stats = self.last_known(index);
        let error = errors::stuck(&self.plan.workers[index]);
        self.worker_ended(index, Ended { stats, ..Ended::failed(error) });
    }

    /// Returns the last known statistics of a worker: its last snapshot, with the counters that it published since.
    fn last_known(&mut self, index: usize) -> Box<WorkerStats> {
        let mut stats = self.slots[index].last_stats.clone().unwrap_or_default();
        let live = &self.live.workers[index];
        let began_ns = live.began_ns.load(Relaxed);
        if began_ns > 0 {
            stats.runtime_ns = self.clock.now().saturating_sub(began_ns);
        }
        for (at, ddir) in stats.ddirs.iter_mut().enumerate() {
            ddir.ios = ddir.ios.max(live.ios[at].load(Relaxed));
            ddir.bytes = ddir.bytes.max(live.bytes[at].load(Relaxed));
            ddir.issued = ddir.issued.max(ddir.ios);
            if ddir.ios > 0 {
                ddir.runtime_ns = stats.runtime_ns;
            }
        }
        self.slots[index].sampler.fill(&mut stats);
        stats
    }
}

/// Returns the message of a panic.
fn panic_text(payload: &dyn std::any::Any) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason known").to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use os::platform::Platform;
    use plan::Plan;
    use record::{ErrorKind, IoError, Message};

    use super::*;
    use crate::live::Live;
    use crate::run::observer::Observer;
    use crate::run::options::RunOptions;
    use crate::run::slot::SlotStage;
    use crate::stop::{StopKind, StopRequest};

    #[derive(Default)]
    struct Ends(Vec<(usize, Ended)>);

    impl Observer for Ends {
        fn event(&mut self, event: Event) {
            if let Event::Ended { worker, ended } = event {
                self.0.push((worker, ended));
            }
        }

        fn message(&mut self, _: &Message) {}

        fn tick(&mut self, _: &Live, _: u64) {}

        fn snapshots_taken(&mut self) {}
    }

    /// Ends a run of one worker whose thread is `thread`, with `stop` set or not.
    fn ended_by(thread: JoinHandle<()>, stop: &'static StopRequest) -> Ended {
        let worker = crate::sample::worker("job", "read", 4096, &[Path::new("none")]);
        let plan = Arc::new(Plan { workers: vec![worker], ..Plan::default() });
        let tick = Duration::from_millis(1);
        let options = RunOptions {
            platform: Platform::MACHINE,
            lease: Arc::default(),
            stop,
            tick,
            snapshot_every: None,
            traces_ios: false,
            keeps_slow_ios: None,
            snapshot_wanted: &|| false,
            may_prepare: &|| true,
            may_start: &|_| true,
        };
        let mut ends = Ends::default();
        let mut coordinator = Coordinator::new(&plan, &options, &mut ends);
        coordinator.slots[0].stage = SlotStage::Started;
        coordinator.slots[0].thread = Some(thread);
        let live = Arc::clone(&coordinator.live);
        live.workers[0].began_ns.store(coordinator.clock.now(), Relaxed);
        live.workers[0].ios[0].store(7, Relaxed);
        live.workers[0].bytes[0].store(7 * 4096, Relaxed);
        coordinator.run_phase(0);
        assert_eq!((ends.0.len(), ends.0[0].0), (1, 0));
        ends.0.remove(0).1
    }

    #[test]
    fn a_worker_that_panics_is_reported_with_what_it_had_done() {
        static STOP: StopRequest = StopRequest::new();
        let ended = ended_by(std::thread::spawn(|| panic!("the test says so")), &STOP);
        let error = ended.error.unwrap();
        assert!(
            matches!(&*error.kind, ErrorKind::Panicked { reason, .. } if reason == "the test says so"),
            "{error:?}"
        );
        assert_eq!((ended.stats.ddirs[0].ios, ended.stats.ddirs[0].bytes), (7, 7 * 4096));
    }

    #[test]
    fn a_worker_that_hangs_is_given_up_with_what_it_had_done() {
        static STOP: StopRequest = StopRequest::new();
        STOP.make(StopKind::Interrupt);
        let (release, hangs) = std::sync::mpsc::channel::<()>();
        let ended = ended_by(std::thread::spawn(move || _ = hangs.recv()), &STOP);
        drop(release);
        assert!(matches!(*ended.error.unwrap().kind, ErrorKind::Io(IoError::Stuck { .. })));
        let read = &ended.stats.ddirs[0];
        assert!(read.ios == 7 && read.issued == 7 && read.runtime_ns > 0);
    }
}
