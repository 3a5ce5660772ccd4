//! The lifecycle of a phase: its preparation, its stages and its end.

use std::sync::Arc;

use record::{Ended, Event, Stage, TargetFacts};

use super::coordinator::Coordinator;
use super::errors::setup_stuck;
use super::options::Waiting;
use super::patience::{Interruption, SETUP_PATIENCE};
use crate::fault::PrepareError;
use crate::phase::PhaseWatch;
use crate::phase_setup::PhaseSetup;
use crate::shared::Shared;
use crate::timeline::TimelineWatch;

impl Coordinator<'_> {
    /// Returns true for a time span after a failed one. Its files are not created either.
    pub(super) fn is_canceled(&self, members: &[usize]) -> bool {
        let is_stopped =
            |&index: &usize| self.plan.workers[index].streams().is_some() && self.live.workers[index].stop.is_made();
        !members.is_empty() && members.iter().all(is_stopped)
    }

    pub(super) fn begin_phase(&mut self, phase: u32) {
        log::debug!("phase {phase} begins");
        self.observer.event(Event::Stage { phase, stage: Stage::Preparing });
        self.has_reported_overdue = false;
        self.phase = Some(PhaseWatch::new(self.plan, phase, self.clock));
        match self.set_up(phase) {
            Ok((shared, targets)) => {
                self.shared = Arc::new(shared);
                self.observer.event(Event::Targets(targets));
                if phase == 0 {
                    // Creating files is not part of the run.
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
        log::debug!("phase {phase} ends");
        self.observer.event(Event::PhaseEnded(watch.end()));
        let timeline = self.timeline.take().and_then(|timeline| timeline.end(&self.disks, self.clock.now()));
        if let Some(timeline) = timeline {
            self.observer.event(Event::Timeline(timeline));
        }
        self.observer.event(Event::Stage { phase, stage: Stage::Ended });
    }

    /// Prepares the files and shared data of a phase, and reads the facts of its targets.
    fn set_up(&mut self, phase: u32) -> Result<(Shared, Vec<TargetFacts>), PrepareError> {
        let (stop, platform) = (self.options.stop.flag(), self.options.platform);
        let Some(setup) = PhaseSetup::start(self.plan, &self.options.lease, phase, stop, &self.live, platform) else {
            return Ok(Default::default());
        };
        loop {
            if let Some(outcome) = setup.outcome() {
                return outcome;
            }
            self.watch();
            let is_late = |interruption: &Interruption| {
                self.clock.now() > interruption.at_ns + crate::number::ns_of(SETUP_PATIENCE)
            };
            if self.interruption.as_ref().is_some_and(is_late) {
                return Err(setup_stuck().into());
            }
        }
    }

    /// Ends the workers of a phase that cannot start.
    fn give_up_phase(&mut self, phase: u32, error: &PrepareError) {
        for index in (0..self.plan.workers.len()).filter(|&index| self.plan.workers[index].phase == phase) {
            match error {
                PrepareError::Stopped => self.skip(index),
                PrepareError::Failed(error) => self.worker_ended(index, Ended::failed(error.clone())),
            }
        }
    }

    /// Opens the gates once the run may start, and reports each stage of the phase.
    pub(super) fn follow_phase(&mut self, now_ns: u64) {
        let Some(watch) = &mut self.phase else { return };
        let phase = watch.phase();
        if !self.waiting.is_empty() {
            let are_ready = self.waiting.iter().all(|gate| gate.missing() == 1);
            if (self.options.may_start)(Waiting { phase, are_ready }) {
                self.waiting.drain(..).for_each(|gate| gate.count_out());
            }
        }
        while let Some(stage) = watch.advance(now_ns) {
            self.observer.event(Event::Stage { phase, stage });
        }
    }
}
