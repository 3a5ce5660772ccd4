//! How a phase goes: what is made before it, when its parts begin, and that it is over.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use os::errno;
use record::{Ended, Event, RunError, Stage, TargetFacts};

use super::Coordinator;
use crate::fault;
use crate::phase::PhaseWatch;
use crate::phase_setup::PhaseSetup;
use crate::shared::Shared;
use crate::timeline::TimelineWatch;

impl Coordinator<'_> {
    /// True where a time span comes after one that failed: its files aren't even made.
    pub(super) fn is_called_off(&self, members: &[usize]) -> bool {
        let called_off = |&index: &usize| {
            !self.plan.workers[index].streams.is_empty() && self.live.workers[index].stop.load(Relaxed)
        };
        !members.is_empty() && members.iter().all(called_off)
    }

    pub(super) fn begin_phase(&mut self, phase: u32) {
        self.observer.event(Event::Stage { phase, stage: Stage::Preparing });
        self.phase = Some(PhaseWatch::new(self.plan, phase, self.clock));
        match self.set_up(phase) {
            Ok((shared, targets)) => {
                self.shared = Arc::new(shared);
                self.observer.event(Event::Targets(targets));
                if phase == 0 {
                    // Making files is not part of the run.
                    self.disks.restart();
                }
            }
            Err(error) => self.give_up_phase(phase, &error),
        }
        self.timeline = Some(TimelineWatch::new(self.plan, phase, &self.disks, self.clock.now()));
    }

    pub(super) fn end_phase(&mut self) {
        let Some(watch) = self.phase.take() else { return };
        let phase = watch.phase();
        self.observer.event(Event::PhaseEnded(watch.end()));
        let timeline = self.timeline.take().and_then(|timeline| timeline.end(&self.disks, self.clock.now()));
        if let Some(timeline) = timeline {
            self.observer.event(Event::Timeline(timeline));
        }
        self.observer.event(Event::Stage { phase, stage: Stage::Ended });
    }

    /// Prepares what the streams of a phase ask for, and looks at the targets.
    fn set_up(&mut self, phase: u32) -> Result<(Shared, Vec<TargetFacts>), RunError> {
        let Some(setup) = PhaseSetup::start(self.plan, phase, self.controls.stop, &self.live, self.controls.platform)
        else {
            return Ok(Default::default());
        };
        loop {
            if let Some(outcome) = setup.outcome() {
                return outcome;
            }
            self.watch();
            if self.stop_by_ns.is_some_and(|by_ns| self.clock.now() > by_ns) {
                let message = "did not stop: making or reading a file is stuck in the kernel".into();
                return Err(RunError { errno: errno::EIO, func: "stop".into(), message });
            }
        }
    }

    /// Ends the workers of a phase that can't begin.
    fn give_up_phase(&mut self, phase: u32, error: &RunError) {
        for index in (0..self.plan.workers.len()).filter(|&index| self.plan.workers[index].phase == phase) {
            if fault::was_stopped(error) {
                self.never_began(index);
            } else {
                self.worker_ended(index, Ended::failed(error.clone()));
            }
        }
    }

    /// Starts those that are ready, and tells of each part of the phase that begins.
    pub(super) fn follow_phase(&mut self, now_ns: u64) {
        if !self.waiting.is_empty() && (self.controls.may_start)() {
            self.waiting.drain(..).for_each(|gate| gate.count_out());
        }
        let Some(watch) = &mut self.phase else { return };
        let phase = watch.phase();
        while let Some(stage) = watch.advance(now_ns) {
            self.observer.event(Event::Stage { phase, stage });
        }
    }
}
