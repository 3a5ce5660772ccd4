//! The coordinator's view of one worker.

use std::thread::JoinHandle;

use plan::Worker;
use record::WorkerStats;

use super::patience::Progress;
use crate::logs::Logs;
use crate::sampler::Sampler;
use crate::target::LaidOut;

/// The coordinator's view of one worker.
pub struct WorkerSlot {
    /// The targets, from their early layout until the worker starts.
    pub laid_out: Option<LaidOut>,
    /// The logs, until the worker starts.
    pub logs: Logs,
    pub sampler: Sampler,
    pub stage: SlotStage,
    pub thread: Option<JoinHandle<()>>,
    /// The last snapshot.
    pub last_stats: Option<Box<WorkerStats>>,
    pub progress: Progress,
}

/// How far a worker is, as the coordinator knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotStage {
    Waiting,
    Started,
    /// Ended. `was_started` is false for a worker that never started.
    Ended {
        was_started: bool,
    },
}

impl WorkerSlot {
    pub fn new(worker: &Worker) -> Self {
        WorkerSlot {
            laid_out: None,
            logs: Logs::default(),
            sampler: Sampler::new(&worker.measure),
            stage: SlotStage::Waiting,
            thread: None,
            last_stats: None,
            progress: Progress::default(),
        }
    }

    pub fn is_waiting(&self) -> bool {
        self.stage == SlotStage::Waiting
    }

    pub fn is_running(&self) -> bool {
        self.stage == SlotStage::Started
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.stage, SlotStage::Ended { .. })
    }

    /// Marks the worker as ended. Returns whether it had started.
    pub fn end(&mut self) -> bool {
        let was_started = self.is_running();
        self.stage = SlotStage::Ended { was_started };
        self.sampler.stop();
        was_started
    }
}
