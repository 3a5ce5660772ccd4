//! How workers end: by themselves, with others, or without a word.

use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

use os::errno;
use plan::ExitAll;
use record::{Ended, Event, RunError, WorkerStats};

use super::{Coordinator, STOP_PATIENCE, whose};
use crate::live::State;

impl Coordinator<'_> {
    pub(super) fn worker_ended(&mut self, index: usize, ended: Ended) {
        if self.ended[index] {
            return;
        }
        self.ended[index] = true;
        self.live.workers[index].set_state(State::Ended);
        self.samplers[index].stop();
        // As long as workers end the others may only be waiting for a processor.
        self.stop_by_ns = self.stop_by_ns.map(|_| self.clock.now() + STOP_PATIENCE.as_nanos() as u64);
        let error = ended.error.is_some();
        if let Some(watch) = &mut self.phase {
            watch.worker_ended(&ended);
        }
        if let Some(timeline) = &mut self.timeline {
            let earlier = self.last_stats[index].as_deref();
            timeline.worker_ended(index, &self.live.workers[index], &ended.stats, earlier);
        }
        self.observer.event(Event::Ended { worker: index, ended });
        let limits = &self.plan.workers[index].limits;
        if error || self.spawned[index] {
            self.exit_all(index, limits.exit_all);
        }
        if error {
            self.exit_all(index, limits.exit_all_on_error);
        }
        self.end_idle_burners();
    }

    /// CPU jobs with `exit_on_io_done` end when all jobs that do I/O have ended, if there were any.
    fn end_idle_burners(&self) {
        let workers = || self.plan.workers.iter().enumerate();
        let burns = |worker: &plan::Worker| matches!(worker.engine, plan::Engine::Cpu { .. });
        let mut others = workers().filter(|(_, worker)| !burns(worker)).peekable();
        if others.peek().is_none() || !others.all(|(index, _)| self.ended[index]) {
            return;
        }
        for (index, worker) in workers() {
            if matches!(worker.engine, plan::Engine::Cpu { exit_on_io_done: true, .. }) {
                self.live.stop(index);
            }
        }
    }

    fn exit_all(&self, index: usize, whom: ExitAll) {
        let (group, phase) = (self.plan.workers[index].group, self.plan.workers[index].phase);
        for (other, worker) in self.plan.workers.iter().enumerate() {
            let meant = match whom {
                ExitAll::Nobody => false,
                ExitAll::Group => worker.group == group,
                ExitAll::Phase => worker.phase == phase,
                ExitAll::Everybody => true,
            };
            if meant {
                self.live.stop(other);
            }
        }
    }

    /// Reports workers whose thread has ended without a word: each of these is a fault of ours, and no reason to lose
    /// what the others measure.
    pub(super) fn bury_dead(&mut self) {
        let finished = |thread: &Option<JoinHandle<()>>| thread.as_ref().is_some_and(JoinHandle::is_finished);
        for index in 0..self.threads.len() {
            if self.ended[index] || !finished(&self.threads[index]) {
                continue;
            }
            // Its last event may have come since the channel was looked at.
            while let Ok(event) = self.receiver.try_recv() {
                self.handle(event);
            }
            let Some(thread) = self.threads[index].take().filter(|_| !self.ended[index]) else { continue };
            let reason = thread.join().err().map_or_else(String::new, |payload| panic_text(payload.as_ref()));
            let stats = self.last_known(index);
            let message = format!("{}: fathom failed, which is a bug in it: {reason}", self.plan.workers[index].name);
            let error = RunError { errno: errno::EIO, func: "worker".into(), message };
            self.worker_ended(index, Ended { stats, ..Ended::failed(error) });
        }
    }

    /// Reports workers that did not stop with what is known of them.
    pub(super) fn give_up_on_stuck(&mut self) {
        for index in 0..self.plan.workers.len() {
            if !self.spawned[index] || self.ended[index] {
                continue;
            }
            let stats = self.last_known(index);
            let message = format!("{}: did not stop: its I/O is stuck in the kernel", whose(&self.plan.workers[index]));
            let error = RunError { errno: errno::EIO, func: "stop".into(), message };
            self.worker_ended(index, Ended { stats, ..Ended::failed(error) });
        }
    }

    /// What a worker that reports no more had done: its last snapshot, and the counts that it published since.
    fn last_known(&mut self, index: usize) -> Box<WorkerStats> {
        let mut stats = self.last_stats[index].clone().unwrap_or_default();
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
        self.samplers[index].fill(&mut stats);
        stats
    }
}

/// What a thread said when it panicked.
fn panic_text(payload: &dyn std::any::Any) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason known").to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use os::platform::Platform;
    use plan::Plan;

    use super::*;
    use crate::live::Live;
    use crate::message::Line;
    use crate::run::{Controls, Observer};

    #[derive(Default)]
    struct Ends(Vec<(usize, Ended)>);

    impl Observer for Ends {
        fn event(&mut self, event: Event) {
            if let Event::Ended { worker, ended } = event {
                self.0.push((worker, ended));
            }
        }

        fn say(&mut self, _: &Line) {}

        fn tick(&mut self, _: &Live, _: u64) {}

        fn snapshots_taken(&mut self) {}
    }

    /// Ends a run of one worker whose thread is `thread`, with `stop` set or not.
    fn ended_by(thread: JoinHandle<()>, stop: &'static AtomicBool) -> Ended {
        let worker = crate::sample::worker("job", "read", 4096, &[Path::new("none")]);
        let plan = Arc::new(Plan { workers: vec![worker], ..Plan::default() });
        let tick = Duration::from_millis(1);
        let controls = Controls {
            platform: Platform::MACHINE,
            stop,
            tick,
            snapshot_every: None,
            snapshot_wanted: &|| false,
            may_start: &|| true,
        };
        let mut ends = Ends::default();
        let mut coordinator = Coordinator::new(&plan, &controls, &mut ends);
        coordinator.spawned[0] = true;
        coordinator.threads[0] = Some(thread);
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
        static STOP: AtomicBool = AtomicBool::new(false);
        let ended = ended_by(std::thread::spawn(|| panic!("the test says so")), &STOP);
        let error = ended.error.unwrap();
        assert!(error.message.contains("the test says so"), "{}", error.message);
        assert_eq!((ended.stats.ddirs[0].ios, ended.stats.ddirs[0].bytes), (7, 7 * 4096));
    }

    #[test]
    fn a_worker_that_hangs_is_given_up_with_what_it_had_done() {
        static STOP: AtomicBool = AtomicBool::new(true);
        let (release, hangs) = std::sync::mpsc::channel::<()>();
        let ended = ended_by(std::thread::spawn(move || _ = hangs.recv()), &STOP);
        drop(release);
        assert!(ended.error.unwrap().message.contains("stuck"));
        let read = &ended.stats.ddirs[0];
        assert!(read.ios == 7 && read.issued == 7 && read.runtime_ns > 0);
    }
}
