//! What can be seen of a run while it goes on: counters that each worker publishes, and the flags that stop it.
//!
//! A worker writes its own counters with plain stores and reads the flags with plain loads; nothing here makes it wait.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Where a worker is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    NotStarted,
    /// Its thread exists and sets itself up.
    Initialising,
    /// Ready, waiting for the others.
    Ready,
    Ramping,
    Running,
    /// Measured; I/O goes on uncounted.
    CoolingDown,
    /// Flushing at the end.
    Syncing,
    Finishing,
    Ended,
}

const STATES: [State; 9] = [
    State::NotStarted,
    State::Initialising,
    State::Ready,
    State::Ramping,
    State::Running,
    State::CoolingDown,
    State::Syncing,
    State::Finishing,
    State::Ended,
];

/// The published side of one worker.
#[derive(Default)]
pub struct WorkerLive {
    state: AtomicU8,
    pub bytes: [AtomicU64; 3],
    pub ios: [AtomicU64; 3],
    pub open_files: AtomicU32,
    /// When I/O began (after the ramp), on the engine's clock; 0 before.
    pub began_ns: AtomicU64,
    /// What the worker means to transfer; `u64::MAX` where only time ends it.
    pub goal_bytes: AtomicU64,
    pub(crate) stop: AtomicBool,
    pub(crate) snapshot_wanted: AtomicBool,
}

impl WorkerLive {
    pub fn state(&self) -> State {
        STATES[self.state.load(Relaxed) as usize]
    }

    pub(crate) fn set_state(&self, state: State) {
        self.state.store(state as u8, Relaxed);
    }
}

/// The published side of a run.
pub struct Live {
    pub workers: Vec<WorkerLive>,
    /// The engine's clock when the run began.
    pub started_ns: u64,
    stopping: AtomicBool,
    /// Bytes of the files that are made before a phase: all of them, and those that are written.
    pub bytes_to_make: AtomicU64,
    pub bytes_made: AtomicU64,
}

impl Live {
    pub(crate) fn new(workers: usize, started_ns: u64) -> Self {
        let workers = (0..workers).map(|_| WorkerLive::default()).collect();
        let [bytes_to_make, bytes_made] = [const { AtomicU64::new(0) }; 2];
        Live { workers, started_ns, stopping: AtomicBool::new(false), bytes_to_make, bytes_made }
    }

    pub(crate) fn stop(&self, worker: usize) {
        self.workers[worker].stop.store(true, Relaxed);
    }

    pub(crate) fn stop_all(&self) {
        self.stopping.store(true, Relaxed);
        (0..self.workers.len()).for_each(|worker| self.stop(worker));
    }

    /// True when the whole run is being stopped.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }
}
