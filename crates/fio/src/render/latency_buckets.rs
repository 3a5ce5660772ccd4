//! fio's buckets of completion latency, from below 2 ns to 2 s and above.

use super::entry::Entry;
use record::{DdirStats, Histogram};

/// Exclusive upper bounds of the buckets in each unit. Longer latencies are in buckets of the next unit.
pub(super) const BOUNDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// Labels of the buckets in ms. There are two more buckets than in the other units.
pub(super) const BOUNDS_MS: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// Number of I/Os per bucket.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LatencyBuckets {
    pub ns: [u64; 10],
    pub us: [u64; 10],
    pub ms: [u64; 12],
}

impl LatencyBuckets {
    /// Returns the buckets of an entry. As in fio, metadata engines (`filestat`, …) have no counts.
    pub fn of(entry: &Entry) -> LatencyBuckets {
        if entry.first.engine.works_on_names() {
            LatencyBuckets::default()
        } else {
            LatencyBuckets::of_ios(&entry.stats.ddirs)
        }
    }

    fn of_ios(ddirs: &[DdirStats; 3]) -> LatencyBuckets {
        let mut total = Histogram::default();
        ddirs.iter().for_each(|ddir| total.merge(&ddir.clat.histogram));
        let mut below = 0;
        let mut up_to = |bound: u64| {
            let now = total.count_below(bound);
            let count = now - below;
            below = now;
            count
        };
        let ns = BOUNDS.map(&mut up_to);
        let us = BOUNDS.map(|bound| up_to(bound * 1_000));
        let mut ms = [0; 12];
        for (count, bound) in ms.iter_mut().zip(BOUNDS.into_iter().chain([2000, u64::MAX])) {
            *count = up_to(bound.saturating_mul(1_000_000));
        }
        LatencyBuckets { ns, us, ms }
    }

    pub fn total(&self) -> u64 {
        self.ns.iter().chain(&self.us).chain(&self.ms).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_io_is_in_the_first_bucket_whose_bound_exceeds_its_latency() {
        let mut ddirs: [DdirStats; 3] = Default::default();
        for ns in [0, 1, 2, 999, 1000, 1_999, 2_000, 999_000, 1_000_000, 1_990_000_000, 3_000_000_000] {
            ddirs[0].clat.record(ns);
        }
        ddirs[1].clat.record(150);
        let buckets = LatencyBuckets::of_ios(&ddirs);
        assert_eq!(buckets.total(), 12);
        assert_eq!((buckets.ns[0], buckets.ns[1], buckets.ns[6]), (2, 1, 1));
        assert_eq!((buckets.us[0], buckets.us[1]), (2, 1));
        assert_eq!((buckets.ms[10], buckets.ms[11]), (1, 1));
    }
}
