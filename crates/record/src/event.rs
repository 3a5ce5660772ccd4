//! What the engine reports while it runs.

use crate::{DiskUse, Machine, PhaseRecord, TargetFacts, Timeline, WorkerStats};
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
    /// What is known of the targets of a phase that is about to start.
    Targets(Vec<TargetFacts>),
    /// Somebody asked the run to end.
    Stopped,
    /// Phases end in order.
    PhaseEnded(PhaseRecord),
    /// What a phase that has ended did over time.
    Timeline(Timeline),
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

impl Ended {
    /// A worker that did nothing, for this reason.
    pub fn failed(error: RunError) -> Self {
        Ended { stats: Box::default(), error: Some(error), survived_errors: 0, first_survived_errno: 0 }
    }
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

impl RunError {
    /// The message in plain words.
    pub fn plain(&self) -> String {
        plain(&self.message)
    }
}

/// A message as people know errors: by the system's words for them without its numbers, and without the name of the
/// program that some begin with, which reports of fio's put before it anyway.
pub fn plain(message: &str) -> String {
    let message = message.strip_prefix("fio: ").unwrap_or(message);
    let mut parts = message.split(" (os error ");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_messages_keep_all_but_the_numbers() {
        assert_eq!(plain("a: no ring (Too many (os error 24)); b (os error 5)"), "a: no ring (Too many); b");
        assert_eq!(plain("fio: a: b (os error 17)"), "a: b");
        assert_eq!(plain("nothing (else)"), "nothing (else)");
    }
}
