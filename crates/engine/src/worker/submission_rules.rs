//! What a worker does with each submission: it locks the targets (`lockfile`), and spins afterwards (`thinkcycles`).

use std::hint::black_box;

use os::io::Op;
use plan::{Job, Worker};

use crate::target::Target;
use crate::target_locks::{Held, SharedLocks, TargetLocks};

pub struct SubmissionRules {
    locks: Option<TargetLocks>,
    cycles_per_io: u32,
    /// I/Os that were submitted since the thread spun.
    ios: u64,
}

impl SubmissionRules {
    /// Returns true if the worker submits without locks and pauses.
    pub fn has_none(job: Job<'_>) -> bool {
        job.load.targets.lock.is_none() && job.load.think.cycles_per_io == 0
    }

    /// Returns `None` if the worker submits without locks and pauses.
    pub fn new(job: Job<'_>, targets: &[Target], locks: &SharedLocks) -> Option<Self> {
        (!Self::has_none(job)).then(|| SubmissionRules {
            locks: TargetLocks::new(job, targets, locks),
            cycles_per_io: job.load.think.cycles_per_io,
            ios: 0,
        })
    }

    /// Returns the size of submission batches. A lock is held for one I/O, and the spinning follows each one, unless the job
    /// sets a batch size.
    pub fn batch_submit(worker: &Worker) -> Option<u32> {
        let batch_submit = if worker.job().is_none_or(Self::has_none) { None } else { Some(1) };
        worker.batches.submit.or(batch_submit)
    }

    /// Waits for the locks of the operations.
    pub fn lock(&self, ops: &[Op]) -> Vec<Held<'_>> {
        self.locks.as_ref().map(|locks| locks.take(ops)).unwrap_or_default()
    }

    pub fn submitted(&mut self, ios: usize) {
        self.ios += ios as u64;
    }

    /// Spins for the I/Os that were submitted since the last call. Called between I/Os: no latency includes it.
    pub fn spin(&mut self) {
        for step in 0..u64::from(self.cycles_per_io) * std::mem::take(&mut self.ios) {
            black_box(step);
        }
    }
}
