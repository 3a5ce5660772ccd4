//! I/Os that wait until no other I/O on the same bytes is in flight (`serialize_overlap`).
//!
//! A job waits for its own I/Os. So does a job with verification that can write a block twice: otherwise the kernel
//! determines which write is the last. Jobs whose I/Os start from other threads (`io_submit_mode=offload`) also wait for each
//! other.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use plan::Worker;

use crate::target::Target;

/// Ranges in flight of all jobs that wait for each other.
#[derive(Default)]
pub struct SharedRanges(Mutex<BTreeSet<Range>>);

/// Bytes of a target. Ranges of a target that are in flight do not overlap: they are ordered by their start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Range {
    target: u64,
    start: u64,
    end: u64,
    worker: u32,
}

/// The ranges of one worker.
pub struct Overlaps {
    worker: u32,
    targets: Vec<u64>,
    /// `None` if the worker waits for its own I/Os only.
    shared: Option<Arc<SharedRanges>>,
}

impl Overlaps {
    /// Returns `None` if the worker's I/Os may overlap. `needs_order`: the last write of a block must be known.
    pub fn new(worker: &Worker, targets: &[Target], shared: &Arc<SharedRanges>, needs_order: bool) -> Option<Self> {
        let batches = &worker.batches;
        (batches.serializes_overlaps || needs_order).then(|| Overlaps {
            worker: worker.number,
            targets: targets.iter().map(|target| identity(&target.path)).collect(),
            shared: (batches.serializes_overlaps && batches.offload).then(|| Arc::clone(shared)),
        })
    }

    /// Adds a range that is about to be issued. Returns false if it overlaps one of another worker.
    pub fn try_add(&self, file: u32, offset: u64, length: u64) -> bool {
        let Some(shared) = &self.shared else { return true };
        let range = self.range(file, offset, length);
        let mut ranges = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = Range { start: range.end, end: 0, worker: 0, ..range };
        let last = ranges.range(..before).next_back();
        if last.is_some_and(|last| last.target == range.target && last.end > range.start) {
            return false;
        }
        ranges.insert(range);
        true
    }

    /// Removes the range of an I/O that has ended.
    pub fn remove(&self, file: u32, offset: u64, length: u64) {
        if let Some(shared) = &self.shared {
            let range = self.range(file, offset, length);
            shared.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&range);
        }
    }

    fn range(&self, file: u32, offset: u64, length: u64) -> Range {
        let target = self.targets[file as usize];
        Range { target, start: offset, end: offset.saturating_add(length), worker: self.worker }
    }
}

/// I/Os that were prepared and never issued leave their ranges.
impl Drop for Overlaps {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            let mut ranges = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
            ranges.retain(|range| range.worker != self.worker);
        }
    }
}

fn identity(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaps(worker: u32, shared: &Arc<SharedRanges>) -> Overlaps {
        Overlaps { worker, targets: vec![7, 8], shared: Some(Arc::clone(shared)) }
    }

    #[test]
    fn ranges_of_other_jobs_on_the_same_bytes_are_waited_for() {
        let shared = Arc::default();
        let (one, other) = (overlaps(1, &shared), overlaps(2, &shared));
        assert!(one.try_add(0, 4096, 4096));
        for (offset, length, is_free) in [
            (0, 4096, true),
            (0, 4097, false),
            (4096, 1, false),
            (8191, 1, false),
            (8192, 4096, true),
            (0, 65536, false),
        ] {
            assert_eq!(other.try_add(0, offset, length), is_free, "{offset}, {length}");
            if is_free {
                other.remove(0, offset, length);
            }
        }
        assert!(other.try_add(1, 4096, 4096), "another target");
        one.remove(0, 4096, 4096);
        assert!(other.try_add(0, 0, 65536));
    }

    #[test]
    fn a_job_that_ends_leaves_no_range() {
        let shared = Arc::default();
        let one = overlaps(1, &shared);
        assert!(one.try_add(0, 0, 4096) && !overlaps(2, &shared).try_add(0, 0, 4096));
        drop(one);
        assert!(overlaps(2, &shared).try_add(0, 0, 4096));
    }
}
