//! Published state of a running plan: counters of each worker, and the flags that stop it.
//!
//! A worker writes its counters with plain stores and reads the flags with plain loads. It never waits here.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use plan::Plan;
use strum::VariantArray;

use crate::control_groups::ControlGroups;
use crate::flow::Flows;
use crate::goal::Goal;
use crate::overlap::SharedRanges;
use crate::stop::{StopKind, StopRequest};
use crate::target_locks::SharedLocks;

/// State of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, VariantArray)]
#[repr(u8)]
pub enum State {
    NotStarted,
    /// The thread has started and initialises.
    Initialising,
    /// Waits until all workers of the phase are ready.
    Ready,
    Ramping,
    Running,
    /// Reads written blocks again and checks them.
    Verifying,
    /// The measured time is over. I/Os continue and are not counted.
    CoolingDown,
    /// Syncs the files at the end.
    Syncing,
    Finishing,
    Ended,
}

/// Published state of one worker.
#[derive(Default)]
pub struct WorkerLive {
    state: AtomicU8,
    pub bytes: [AtomicU64; 3],
    pub ios: [AtomicU64; 3],
    pub open_files: AtomicU32,
    /// Start of the measured time (after the ramp), on the engine's clock; 0 before.
    pub began_ns: AtomicU64,
    /// Set when the targets of the worker are laid out.
    goal: OnceLock<Goal>,
    pub(crate) stop: StopRequest,
    /// Time since which the worker only waits for its I/Os, on the engine's clock; 0 before.
    pub(crate) draining_from_ns: AtomicU64,
    pub(crate) snapshot_wanted: AtomicBool,
}

impl WorkerLive {
    pub fn state(&self) -> State {
        State::VARIANTS[self.state.load(Relaxed) as usize]
    }

    /// Returns what ends the worker; `None` before its targets are laid out.
    pub fn goal(&self) -> Option<Goal> {
        self.goal.get().copied()
    }

    pub(crate) fn set_goal(&self, goal: Goal) {
        // A worker sets it once.
        self.goal.get_or_init(|| goal);
    }

    /// Requests the end of the worker, because its work is done.
    pub(crate) fn finish(&self, now_ns: u64) {
        self.stop.make(StopKind::Finish);
        let _ = self.draining_from_ns.compare_exchange(0, now_ns, Relaxed, Relaxed);
    }

    pub(crate) fn set_state(&self, state: State) {
        self.state.store(state as u8, Relaxed);
    }
}

/// Published state of a run.
pub struct Live {
    pub workers: Vec<WorkerLive>,
    /// Start of the run, on the engine's clock.
    pub started_ns: u64,
    stopping: AtomicBool,
    /// Counts that jobs of a flow share.
    pub(crate) flows: Flows,
    pub(crate) control_groups: ControlGroups,
    pub(crate) ranges: Arc<SharedRanges>,
    /// Locks of targets that jobs share.
    pub(crate) locks: SharedLocks,
    /// Bytes of the files that are laid out before a phase: in total, and written so far.
    pub bytes_to_make: AtomicU64,
    pub bytes_made: AtomicU64,
}

impl Live {
    pub(crate) fn new(plan: &Plan, started_ns: u64) -> Self {
        let workers = plan.workers.iter().map(|_| WorkerLive::default()).collect();
        let [bytes_to_make, bytes_made] = [const { AtomicU64::new(0) }; 2];
        let flows = Flows::new(plan);
        Live {
            workers,
            flows,
            control_groups: ControlGroups::default(),
            ranges: Arc::default(),
            locks: SharedLocks::default(),
            started_ns,
            stopping: AtomicBool::new(false),
            bytes_to_make,
            bytes_made,
        }
    }

    pub(crate) fn stop_all(&self, kind: StopKind) {
        self.stopping.store(true, Relaxed);
        self.workers.iter().for_each(|worker| worker.stop.make(kind));
    }

    /// Returns true if the whole run is being stopped.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }
}
