//! Events that the engine sends while it runs.

use crate::{DiskUse, Machine, PhaseRecord, RunError, SlowIo, SteadyStateRecord, TargetFacts, Timeline, WorkerStats};
use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A change of a run's [`Record`](crate::Record).
#[derive(Clone, Debug)]
pub enum Event {
    /// A worker's thread started.
    Started {
        worker: usize,
        started: Started,
    },
    /// The seeds of a worker's random numbers.
    Seeds {
        worker: usize,
        seeds: Vec<u64>,
    },
    /// The counters of a worker so far. They replace those of the snapshot before.
    Snapshot {
        worker: usize,
        stats: Box<WorkerStats>,
    },
    /// Steps of a worker's I/Os, in order. Only a run with traced I/Os has them.
    IoSteps {
        worker: usize,
        steps: Arc<Vec<IoStep>>,
    },
    /// The slowest I/Os of a worker since the event before. Only a run whose slow I/Os are explained has them.
    SlowIos {
        worker: usize,
        ios: Vec<SlowIo>,
    },
    /// A worker ended.
    Ended {
        worker: usize,
        ended: Ended,
    },
    /// The steady state of a worker so far.
    SteadyState {
        worker: usize,
        state: Box<SteadyStateRecord>,
    },
    /// Counters of the disks under the targets, over the run.
    Disks(Vec<DiskUse>),
    /// Idle time of each CPU in percent.
    CpuIdle(Vec<f64>),
    Machine(Machine),
    /// A phase entered a stage.
    Stage {
        phase: u32,
        stage: Stage,
    },
    /// The targets of a phase that is about to start.
    Targets(Vec<TargetFacts>),
    /// The run was stopped.
    Stopped,
    /// A phase ended. Phases end in order.
    PhaseEnded(PhaseRecord),
    /// The time series of a phase that ended.
    Timeline(Timeline),
}

/// A step of one I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoStep {
    /// The I/O is complete; otherwise it goes to the kernel.
    pub is_complete: bool,
    pub call: IoCall,
    /// Number of the I/O's buffer.
    pub slot: u32,
    /// Index of the target.
    pub file: u32,
    pub bytes: u32,
    pub offset: u64,
}

/// What an I/O does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IoCall {
    Data(Ddir),
    Fsync,
    Fdatasync,
    SyncFileRange,
}

/// Stages of a phase, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Stage {
    Preparing,
    WarmingUp,
    Measuring,
    CoolingDown,
    Ended,
}

/// The start of a worker's thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// The kernel's thread id.
    pub tid: u32,
    /// Unix time in ms.
    pub unix_ms: u64,
    /// The same time on the clock that the job requests for its reports, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
}

/// The end of a worker, with its final counters.
#[derive(Clone, Debug)]
pub struct Ended {
    pub stats: Box<WorkerStats>,
    /// The error that ended it.
    pub error: Option<RunError>,
    /// Number of I/O errors after which the job continued.
    pub nonfatal_errors: u64,
    /// The first of these errors. 0 if there is none.
    pub first_nonfatal_errno: i32,
}

impl Ended {
    /// Makes the end of a worker that failed before its first I/O.
    pub fn failed(error: RunError) -> Self {
        Ended { error: Some(error), ..Ended::stopped() }
    }

    /// Returns the end of a worker that was stopped before it did anything.
    pub fn stopped() -> Self {
        Ended { stats: Box::default(), error: None, nonfatal_errors: 0, first_nonfatal_errno: 0 }
    }
}
