//! The early layout of a run.

use record::Ended;

use super::coordinator::Coordinator;
use super::errors::{layout_ended, no_thread};
use super::patience::SETUP_PATIENCE;
use crate::early_layout::{EarlyLayout, LayoutEvent, lays_out_early};
use crate::fault::PrepareError;
use crate::idleness::Idleness;

impl Coordinator<'_> {
    /// Lays out the files of one job after another, before any worker starts.
    pub(super) fn lay_out(&mut self) {
        let (lease, stop, platform) = (&self.options.lease, self.options.stop.flag(), self.options.platform);
        let mut layout = match EarlyLayout::start(self.plan, lease, stop, SETUP_PATIENCE, platform) {
            Ok(layout) => layout,
            Err(error) => {
                for (index, job) in self.plan.workers.iter().enumerate() {
                    self.worker_ended(index, Ended::failed(no_thread(job, &error)));
                }
                return;
            }
        };
        let workers = self.plan.workers.iter().enumerate();
        let mut missing: Vec<usize> =
            workers.filter(|(_, worker)| lays_out_early(worker).is_some()).map(|(index, _)| index).collect();
        while let Some(event) = layout.next() {
            match event {
                LayoutEvent::Message(message) => self.observer.message(&message),
                LayoutEvent::LaidOut(index, outcome) => {
                    missing.retain(|&other| other != index);
                    match outcome {
                        Ok(laid_out) => {
                            log::debug!("worker {index}: laid out {:?}", laid_out.targets);
                            self.slots[index].laid_out = Some(laid_out);
                        }
                        Err(PrepareError::Stopped) => self.skip(index),
                        Err(PrepareError::Failed(error)) => self.worker_ended(index, Ended::failed(error)),
                    }
                }
                LayoutEvent::Nothing => {}
            }
            self.watch();
        }
        for index in missing {
            if self.is_stop_requested() {
                self.skip(index);
            } else {
                self.worker_ended(index, Ended::failed(layout_ended(&self.plan.workers[index])));
            }
        }
        self.disks.restart();
        self.idleness = Idleness::start(self.plan);
    }
}
