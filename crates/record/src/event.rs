//! What the engine reports while it runs.

use crate::{DiskUse, Machine, PhaseRecord, WorkerStats};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug)]
pub enum Event {
    Started {
        worker: usize,
        started: Started,
    },
    /// The counters of a worker so far; replaces the snapshot before.
    Snapshot {
        worker: usize,
        stats: Box<WorkerStats>,
    },
    Ended {
        worker: usize,
        ended: Ended,
    },
    Disks(Vec<DiskUse>),
    CpuIdle(Vec<f64>),
    Machine(Machine),
    /// A phase came to another part of its time.
    Stage {
        phase: u32,
        stage: Stage,
    },
    /// Phases end in order.
    PhaseEnded(PhaseRecord),
}

/// The parts of a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Preparing,
    WarmingUp,
    Measuring,
    CoolingDown,
    Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Started {
    /// The kernel's id of the thread.
    pub tid: u32,
    pub unix_ms: u64,
}

#[derive(Clone, Debug)]
pub struct Ended {
    pub stats: Box<WorkerStats>,
    pub error: Option<RunError>,
    pub survived_errors: u64,
    pub first_survived_errno: i32,
}

/// Why a worker ended before its time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunError {
    pub errno: i32,
    /// The call that failed, as fio names it in `func=`.
    pub func: String,
    /// What was wrong, where, and what to do.
    pub message: String,
}
