//! Whether the samples of a long run stay level.

use crate::watched::Sample;

/// Allowed growth of the resident memory in the second part, KiB: entries of the logs, and pages that the allocator touches
/// late.
const GROWTH_KIB: u64 = 2048;

/// What a long run used in its first 60 % and in the rest. Memory grows in the first part: a run keeps a time series of up to
/// 1,024 slots. When it is full, each two slots become one: in a run of one hour for the last time after 34 minutes.
pub struct Level {
    pub samples: usize,
    pub first: Usage,
    pub second: Usage,
}

/// The maximum of the memory, and the medians of counts, which are higher for a moment while a file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    pub max_kib: u64,
    pub descriptors: u64,
    pub threads: u64,
}

impl Level {
    /// Returns the usage of both parts, or nothing if one has no samples. Start and end, 2 % each, are not included.
    pub fn of(samples: &[Sample]) -> Option<Level> {
        let margin = samples.len() / 50 + 1;
        let middle = samples.get(margin..samples.len().checked_sub(margin)?)?;
        let (first, second) = middle.split_at(middle.len() * 3 / 5);
        Some(Level { samples: middle.len(), first: usage(first)?, second: usage(second)? })
    }

    pub fn is_level(&self) -> bool {
        let (first, second) = (self.first, self.second);
        second.max_kib <= first.max_kib + GROWTH_KIB
            && second.descriptors <= first.descriptors
            && second.threads <= first.threads
    }
}

fn usage(samples: &[Sample]) -> Option<Usage> {
    Some(Usage {
        max_kib: samples.iter().map(|sample| sample.kib).max()?,
        descriptors: median(samples, |sample| sample.descriptors)?,
        threads: median(samples, |sample| sample.threads)?,
    })
}

fn median(samples: &[Sample], of: fn(&Sample) -> u64) -> Option<u64> {
    let mut counts: Vec<u64> = samples.iter().map(of).collect();
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied()
}
