//! Whether the samples of a long run stay level.

use crate::watched::Sample;

/// Allowed growth of the resident memory after the first half, KiB: entries of the logs, and pages that the allocator
/// touches late.
const GROWTH_KIB: u64 = 1024;

/// The maxima of a long run's halves. Memory grows in the first: a time series is kept for up to 1,024 slots.
pub struct Level {
    pub samples: usize,
    pub first: Maxima,
    pub second: Maxima,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Maxima {
    pub kib: u64,
    pub descriptors: u64,
    pub threads: u64,
}

impl Level {
    /// Returns the maxima of both halves, or nothing if one has no samples. The first and the last 2 % are start and end.
    pub fn of(samples: &[Sample]) -> Option<Level> {
        let margin = samples.len() / 50 + 1;
        let middle = samples.get(margin..samples.len().checked_sub(margin)?)?;
        let (first, second) = middle.split_at(middle.len() / 2);
        Some(Level { samples: middle.len(), first: maxima(first)?, second: maxima(second)? })
    }

    pub fn is_level(&self) -> bool {
        let (first, second) = (self.first, self.second);
        second.kib <= first.kib + GROWTH_KIB
            && second.descriptors <= first.descriptors
            && second.threads <= first.threads
    }
}

fn maxima(samples: &[Sample]) -> Option<Maxima> {
    let most = |of: fn(&Sample) -> u64| samples.iter().map(of).max();
    Some(Maxima {
        kib: most(|sample| sample.kib)?,
        descriptors: most(|sample| sample.descriptors)?,
        threads: most(|sample| sample.threads)?,
    })
}
