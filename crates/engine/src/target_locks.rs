//! Locks of targets that jobs share (`lockfile`): a job holds them while it submits I/Os.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use os::io::{Kind, Op};
use plan::{Job, TargetLock};

use crate::target::Target;

/// The lock of each path.
#[derive(Default)]
pub struct SharedLocks(Mutex<HashMap<PathBuf, Arc<RwLock<()>>>>);

/// The locks of one worker's targets.
pub struct TargetLocks {
    kind: TargetLock,
    /// The path gives the order in which several locks are taken.
    targets: Vec<(PathBuf, Arc<RwLock<()>>)>,
}

/// A lock that is held.
pub enum Held<'a> {
    Shared { _guard: RwLockReadGuard<'a, ()> },
    Exclusive { _guard: RwLockWriteGuard<'a, ()> },
}

impl TargetLocks {
    /// Returns `None` if the worker does not lock its targets.
    pub fn new(job: Job<'_>, targets: &[Target], shared: &SharedLocks) -> Option<Self> {
        let kind = job.load.targets.lock?;
        let mut locks = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |target: &Target| (target.path.clone(), Arc::clone(locks.entry(target.path.clone()).or_default()));
        Some(TargetLocks { kind, targets: targets.iter().map(of).collect() })
    }

    /// Waits for the locks of all operations.
    pub fn take(&self, ops: &[Op]) -> Vec<Held<'_>> {
        let mut files: Vec<u32> = ops.iter().map(|op| op.file).collect();
        files.sort_by_key(|&file| &self.targets[file as usize].0);
        files.dedup();
        let held = files.into_iter().map(|file| {
            let lock = &self.targets[file as usize].1;
            let only_reads = ops.iter().filter(|op| op.file == file).all(|op| op.kind == Kind::Read);
            if self.kind == TargetLock::ReadWrite && only_reads {
                Held::Shared { _guard: lock.read().unwrap_or_else(PoisonError::into_inner) }
            } else {
                Held::Exclusive { _guard: lock.write().unwrap_or_else(PoisonError::into_inner) }
            }
        });
        held.collect()
    }
}
