//! Minimum rates: a worker below its minimum ends with an error.

use os::clock::NEVER_NS;
use plan::{Ddir, Pattern, Rate};
use record::{BelowMinimum, RateUnit, WorkerStats};

/// Nothing is judged before this time.
const SETTLE_NS: u64 = 2_000_000_000;

/// Compares the rates of a worker with its minimum.
pub struct MinimumRate {
    rate: Rate,
    began_ns: u64,
    next_check_ns: u64,
    last: Option<([u64; 3], [u64; 3], u64)>,
}

impl MinimumRate {
    /// Returns `None` if the worker has no minimum in a direction that it uses.
    pub fn new(rate: &Rate, pattern: Pattern) -> Option<Self> {
        let mut rate = *rate;
        for ddir in Ddir::ALL.into_iter().filter(|&ddir| !pattern.has(ddir)) {
            (rate.min_bytes_per_s[ddir], rate.min_ios_per_s[ddir]) = (0, 0);
        }
        rate.has_minimum().then_some(MinimumRate { rate, began_ns: 0, next_check_ns: NEVER_NS, last: None })
    }

    pub fn restart(&mut self, now_ns: u64) {
        self.began_ns = now_ns;
        self.next_check_ns = now_ns + SETTLE_NS;
        self.last = None;
    }

    /// Returns the rate if a window ended below the minimum.
    #[inline]
    pub fn check(&mut self, now_ns: u64, stats: &WorkerStats) -> Option<BelowMinimum> {
        if now_ns < self.next_check_ns {
            return None;
        }
        let bytes = stats.ddirs.each_ref().map(|ddir| ddir.bytes);
        let ios = stats.ddirs.each_ref().map(|ddir| ddir.ios);
        self.next_check_ns = now_ns.saturating_add(self.rate.cycle_ms.max(1).saturating_mul(1_000_000));
        let (bytes_before, ios_before, then_ns) = self.last.replace((bytes, ios, now_ns))?;
        let seconds = (now_ns - then_ns) as f64 / 1e9;
        Ddir::ALL.into_iter().find_map(|ddir| {
            let at = ddir as usize;
            let bytes_per_s = units::number::whole((bytes[at] - bytes_before[at]) as f64 / seconds);
            let ios_per_s = units::number::whole((ios[at] - ios_before[at]) as f64 / seconds);
            let (least_bytes, least_ios) = (self.rate.min_bytes_per_s[ddir], self.rate.min_ios_per_s[ddir]);
            let missed =
                |unit, minimum_per_s, measured_per_s| BelowMinimum { ddir, unit, minimum_per_s, measured_per_s };
            if bytes_per_s < least_bytes {
                Some(missed(RateUnit::Bytes, least_bytes, bytes_per_s))
            } else if ios_per_s < least_ios {
                Some(missed(RateUnit::Ios, least_ios, ios_per_s))
            } else {
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use plan::PerDdir;

    use super::*;

    #[test]
    fn a_window_below_the_minimum_is_named_and_one_above_is_not() {
        let mut rate = Rate { cycle_ms: 1000, ..Rate::default() };
        rate.min_ios_per_s = PerDdir::all(100);
        let reads = Pattern { reads: true, writes: false, trims: false, random: false };
        let mut minimum = MinimumRate::new(&rate, reads).expect("a minimum is set");
        minimum.restart(0);
        let mut stats = WorkerStats::default();
        let mut at = |seconds: u64, ios: u64| {
            stats.ddirs[0].ios = ios;
            minimum.check(seconds * 1_000_000_000, &stats)
        };
        assert_eq!(at(1, 0), None, "settling");
        assert_eq!(at(2, 0), None, "the first window begins");
        assert_eq!(at(3, 150), None);
        let missed = BelowMinimum { ddir: Ddir::Read, unit: RateUnit::Ios, minimum_per_s: 100, measured_per_s: 50 };
        assert_eq!(at(4, 200), Some(missed));
        assert!(MinimumRate::new(&Rate::default(), reads).is_none());
        assert!(MinimumRate::new(&rate, Pattern { reads: false, ..reads }).is_none());
    }
}
