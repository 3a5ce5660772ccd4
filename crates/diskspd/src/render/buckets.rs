//! I/Os per interval of completion (`-D`).

use record::{Moments, Series};

/// Counted intervals of one direction, of one or more targets.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Buckets {
    /// Latencies in ns.
    latencies: Vec<Moments>,
}

/// The counted intervals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    pub interval_ms: u32,
    /// Intervals within the requested time. Later ones do not count.
    pub intervals: usize,
}

impl Window {
    pub fn new(duration_s: u32, interval_ms: u32) -> Window {
        let interval_ms = interval_ms.max(1);
        let intervals = (u64::from(duration_s) * 1000).div_ceil(u64::from(interval_ms));
        Window { interval_ms, intervals: usize::try_from(intervals).unwrap_or(usize::MAX) }
    }
}

impl Buckets {
    /// Returns the intervals up to the last one with a completion.
    pub fn of(series: &Series, ddir: usize, window: Window) -> Buckets {
        let all = series.intervals.iter().map(|interval| interval.latency_ns[ddir]);
        let ended = series.intervals.iter().rposition(|interval| interval.latency_ns[ddir].count > 0);
        Buckets { latencies: all.take(window.intervals.min(ended.map_or(0, |last| last + 1))).collect() }
    }

    pub fn add(&mut self, other: &Buckets) {
        if self.latencies.len() < other.latencies.len() {
            self.latencies.resize(other.latencies.len(), Moments::default());
        }
        self.latencies.iter_mut().zip(&other.latencies).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    pub fn len(&self) -> usize {
        self.latencies.len()
    }

    /// Returns the latencies of an interval. Empty beyond the end.
    pub fn latency(&self, index: usize) -> Moments {
        self.latencies.get(index).copied().unwrap_or_default()
    }

    /// Returns the population standard deviation of IOPS over these intervals.
    pub fn iops_deviation(&self, window: Window) -> f64 {
        let count = self.latencies.len() as u128;
        if count == 0 {
            return 0.0;
        }
        let ios = || self.latencies.iter().map(|interval| u128::from(interval.count));
        let (sum, squares) = ios().fold((0_u128, 0_u128), |(sum, squares), ios| (sum + ios, squares + ios * ios));
        // n·Σx² - (Σx)² is exact in integers. Only the last steps round.
        let scaled = (count * squares).saturating_sub(sum * sum);
        (scaled as f64).sqrt() / count as f64 / (f64::from(window.interval_ms) / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Interval;

    fn series(ios: &[[u32; 2]]) -> Series {
        let moments = |ios: u32| {
            let mut moments = Moments::default();
            (0..ios).for_each(|_| moments.record(1000.0));
            moments
        };
        let interval = |[reads, writes]: &[u32; 2]| Interval {
            latency_ns: [moments(*reads), moments(*writes), Moments::default()],
        };
        Series { interval_ms: 500, intervals: ios.iter().map(interval).collect() }
    }

    #[test]
    fn completions_after_the_requested_time_do_not_count() {
        let series = series(&[[2, 1], [2, 0], [0, 1], [2, 0], [0, 0], [0, 1]]);
        let window = Window::new(2, 500);
        let (reads, writes) = (Buckets::of(&series, 0, window), Buckets::of(&series, 1, window));
        assert_eq!((reads.len(), writes.len()), (4, 4));
        assert_eq!((writes.iops_deviation(window), reads.iops_deviation(window)), (1.0, 3.0_f64.sqrt()));
    }

    #[test]
    fn intervals_end_with_the_last_completion_and_sums_with_the_longest() {
        let window = Window::new(3, 500);
        let mut sum = Buckets::of(&series(&[[1, 0], [1, 0], [0, 0]]), 0, window);
        assert_eq!(sum.len(), 2);
        sum.add(&Buckets::of(&series(&[[1, 0], [1, 0], [1, 0]]), 0, window));
        assert_eq!([0, 1, 2, 3].map(|index| sum.latency(index).count), [2, 2, 1, 0]);
    }

    #[test]
    fn partial_last_interval_counts() {
        assert_eq!(Window::new(1, 300).intervals, 4);
        assert_eq!(Window::new(u32::MAX, 0).interval_ms, 1);
        assert_eq!(Buckets::default().iops_deviation(Window::new(1, 1)), 0.0);
    }
}
