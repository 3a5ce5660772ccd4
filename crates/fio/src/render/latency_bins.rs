//! fio's coarse classes of completion latency, from below 2 ns to 2 s and above.

use super::entry::Entry;
use record::{DdirStats, Histogram};

/// Upper bounds of the classes, in each unit; what is above goes on in the next unit.
pub(super) const BOUNDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// The last unit has two classes more.
pub(super) const BOUNDS_MS: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// Counts of I/Os by class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Classes {
    pub ns: [u64; 10],
    pub us: [u64; 10],
    pub ms: [u64; 12],
}

impl Classes {
    /// fio counts none for engines that time their own work on names.
    pub fn of(entry: &Entry) -> Classes {
        if entry.first.engine.works_on_names() { Classes::default() } else { Classes::of_ios(&entry.stats.ddirs) }
    }

    fn of_ios(ddirs: &[DdirStats; 3]) -> Classes {
        let mut whole = Histogram::default();
        ddirs.iter().for_each(|ddir| whole.merge(&ddir.clat.histogram));
        let mut below = 0;
        let mut up_to = |bound: u64| {
            let now = whole.count_below(bound);
            let class = now - below;
            below = now;
            class
        };
        let ns = BOUNDS.map(&mut up_to);
        let us = BOUNDS.map(|bound| up_to(bound * 1_000));
        let mut ms = [0; 12];
        for (class, bound) in ms.iter_mut().zip(BOUNDS.into_iter().chain([2000, u64::MAX])) {
            *class = up_to(bound.saturating_mul(1_000_000));
        }
        Classes { ns, us, ms }
    }

    pub fn total(&self) -> u64 {
        self.ns.iter().chain(&self.us).chain(&self.ms).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_io_is_in_the_class_below_whose_bound_it_lies() {
        let mut ddirs: [DdirStats; 3] = Default::default();
        for ns in [0, 1, 2, 999, 1000, 1_999, 2_000, 999_000, 1_000_000, 1_990_000_000, 3_000_000_000] {
            ddirs[0].clat.record(ns);
        }
        ddirs[1].clat.record(150);
        let classes = Classes::of_ios(&ddirs);
        assert_eq!(classes.total(), 12);
        assert_eq!((classes.ns[0], classes.ns[1], classes.ns[6]), (2, 1, 1));
        assert_eq!((classes.us[0], classes.us[1]), (2, 1));
        assert_eq!((classes.ms[10], classes.ms[11]), (1, 1));
    }
}
