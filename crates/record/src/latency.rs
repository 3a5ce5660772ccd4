//! Latencies of one kind: a histogram, and exact sums for mean and standard deviation.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Histogram;

/// Latency from which squares are long, and how many shorter squares can be added up in 64 bits.
const LONG_NS: u64 = 1 << 26;
const SHORT_MAX: u64 = 1 << 12;

/// The distribution of a latency. All figures are 0 if nothing was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema)]
#[schemars(with = "Option<Saved>")]
pub struct Latency {
    pub histogram: Histogram,
    sum_ns: u128,
    sum_squares: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Latency {
    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.record_many(ns, 1);
    }

    /// Counts the latency of `times` I/Os.
    #[inline]
    pub fn record_many(&mut self, ns: u64, times: u64) {
        if ns < self.min_ns || self.count() == 0 {
            self.min_ns = ns;
        }
        if ns > self.max_ns {
            self.max_ns = ns;
        }
        self.histogram.record_many(ns, times);
        self.sum_ns += u128::from(ns) * u128::from(times);
        self.sum_squares += u128::from(ns) * u128::from(ns) * u128::from(times);
    }

    /// Counts `times` latencies: `first_ns`, and each `step_ns` longer than the one before.
    #[inline]
    pub fn record_steps(&mut self, first_ns: u64, step_ns: u64, times: u32) {
        let Some(steps) = times.checked_sub(1) else { return };
        if self.count() == 0 {
            self.min_ns = first_ns;
        }
        self.min_ns = self.min_ns.min(first_ns);
        self.max_ns = self.max_ns.max(first_ns + step_ns * u64::from(steps));
        self.histogram.record_steps(first_ns, step_ns, times);
        // The sum of k from 0 to n - 1 is n(n - 1) / 2, that of k² is n(n - 1)(2n - 1) / 6.
        let (first, step, n) = (u128::from(first_ns), u128::from(step_ns), u128::from(times));
        let twice_k = n * (n - 1);
        let squares = twice_k * (2 * n - 1) / 6;
        self.sum_ns += n * first + step * (twice_k / 2);
        self.sum_squares += n * (first * first) + first * step * twice_k + step * step * squares;
    }

    /// Counts the latencies of a batch.
    #[inline(always)]
    pub fn record_all(&mut self, batch_ns: impl Iterator<Item = u64> + Clone) {
        let Some(first_ns) = batch_ns.clone().next() else { return };
        if batch_ns.clone().all(|ns| ns == first_ns) {
            return self.record_many(first_ns, batch_ns.count() as u64);
        }
        if self.count() == 0 {
            self.min_ns = first_ns;
        }
        let (mut min_ns, mut max_ns, mut ios, mut sum_ns, mut sum_squares) = (self.min_ns, 0, 0u64, 0u64, 0u64);
        self.histogram.record_all(batch_ns.clone(), |ns| {
            (min_ns, max_ns) = (min_ns.min(ns), max_ns.max(ns));
            ios += 1;
            sum_ns = sum_ns.wrapping_add(ns);
            sum_squares = sum_squares.wrapping_add(ns.wrapping_mul(ns));
        });
        (self.min_ns, self.max_ns) = (min_ns, self.max_ns.max(max_ns));
        if max_ns >= LONG_NS || ios > SHORT_MAX {
            return self.add_long(batch_ns);
        }
        self.sum_ns += u128::from(sum_ns);
        self.sum_squares += u128::from(sum_squares);
    }

    /// Adds latencies to the sums.
    #[cold]
    fn add_long(&mut self, batch_ns: impl Iterator<Item = u64>) {
        for ns in batch_ns.map(u128::from) {
            self.sum_ns += ns;
            self.sum_squares += ns * ns;
        }
    }

    /// Allocates memory for the usual latencies, so that recording rarely allocates.
    pub fn reserve(&mut self) {
        self.histogram.reserve();
    }

    /// Adds the latencies of another worker or target.
    pub fn merge(&mut self, other: &Latency) {
        if other.count() == 0 {
            return;
        }
        self.min_ns = if self.count() == 0 { other.min_ns } else { self.min_ns.min(other.min_ns) };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.histogram.merge(&other.histogram);
    }

    /// Removes all latencies. Keeps the memory.
    pub fn clear(&mut self) {
        self.histogram.clear();
        (self.sum_ns, self.sum_squares, self.min_ns, self.max_ns) = (0, 0, 0, 0);
    }

    /// Returns the number of latencies.
    pub fn count(&self) -> u64 {
        self.histogram.total()
    }

    /// Returns the exact sum. It is above 64 bits after 39 hours with 131,072 I/Os in flight.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Returns the minimum.
    pub fn min_ns(&self) -> u64 {
        self.min_ns
    }

    /// Returns the maximum.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Returns the exact mean.
    pub fn mean_ns(&self) -> f64 {
        if self.count() == 0 { 0.0 } else { self.sum_ns as f64 / self.count() as f64 }
    }

    /// Returns the standard deviation of a sample (divided by n - 1).
    pub fn deviation_ns(&self) -> f64 {
        if self.count() < 2 { 0.0 } else { (self.squared_distances() / (self.count() - 1) as f64).sqrt() }
    }

    /// Returns the standard deviation of a population (divided by n).
    pub fn population_deviation_ns(&self) -> f64 {
        if self.count() == 0 { 0.0 } else { (self.squared_distances() / self.count() as f64).sqrt() }
    }

    /// Returns the sum of the squared distances from the mean.
    fn squared_distances(&self) -> f64 {
        let n = u128::from(self.count());
        let (mean, rest) = (self.sum_ns / n, self.sum_ns % n);
        // With the mean rounded down to m, Σ(x - m)² = Σx² - 2m·Σx + n·m². It is at most Σx², so it is exact modulo 2¹²⁸.
        let products = mean.wrapping_mul(self.sum_ns.wrapping_mul(2).wrapping_sub(n.wrapping_mul(mean)));
        let around_m = self.sum_squares.wrapping_sub(products);
        // The sums of a saved record can contradict each other.
        let around_m = if around_m > self.sum_squares { 0 } else { around_m };
        let (rest, n) = (rest as f64, n as f64);
        (around_m as f64 - rest * (rest / n)).max(0.0)
    }

    /// Returns the latency of a rank, within a bin's width. The smallest latency has rank 1. The smallest and the
    /// largest are exact.
    pub fn ranked_ns(&self, rank: u64) -> u64 {
        if rank <= 1 {
            return self.min_ns;
        }
        if rank >= self.count() {
            return self.max_ns;
        }
        self.histogram.ranked(rank).map_or(0, |middle| middle.clamp(self.min_ns, self.max_ns))
    }

    /// Returns a percentile by nearest rank, within a bin's width. It lies between the minimum and the maximum.
    pub fn percentile_ns(&self, percent: f64) -> u64 {
        self.histogram.percentile(percent).map_or(0, |middle| middle.clamp(self.min_ns, self.max_ns))
    }

    /// Returns a percentile over all I/Os that were due. I/Os that were never submitted took longer than any other: the
    /// percentile is `None` if it lies among them.
    pub fn percentile_of_due_ns(&self, unissued: u64, percent: f64) -> Option<u64> {
        let count = self.count() as f64;
        let of_completed = percent * (count + unissued as f64) / count;
        (of_completed <= 100.0).then(|| self.percentile_ns(of_completed))
    }
}

/// The saved form of a latency that has values.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LatencyFigures")]
struct Saved {
    count: u64,
    sum_ns: u128,
    sum_squares: u128,
    min_ns: u64,
    max_ns: u64,
    histogram: Histogram,
}

impl Serialize for Latency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = (self.count() > 0).then(|| Saved {
            count: self.count(),
            sum_ns: self.sum_ns,
            sum_squares: self.sum_squares,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            histogram: self.histogram.clone(),
        });
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Latency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(saved) = Option::<Saved>::deserialize(deserializer)? else { return Ok(Latency::default()) };
        saved.check().map_err(D::Error::custom)?;
        let Saved { sum_ns, sum_squares, min_ns, max_ns, histogram, .. } = saved;
        Ok(Latency { histogram, sum_ns, sum_squares, min_ns, max_ns })
    }
}

impl Saved {
    /// Checks that all figures can come from one set of values. Returns a message about a contradiction.
    fn check(&self) -> Result<(), String> {
        let (count, total) = (self.count, self.histogram.total());
        if count != total {
            return Err(format!("a latency of {count} values has a histogram of {total}"));
        }
        let (Some(first), Some(last)) = (self.histogram.bins().next(), self.histogram.bins().last()) else {
            return Err("a latency without values must be null".to_owned());
        };
        let (min, max) = (self.min_ns, self.max_ns);
        if (Histogram::index_of(min), Histogram::index_of(max)) != (first.index, last.index) || min > max {
            return Err(format!("min_ns {min} and max_ns {max} contradict the histogram of a latency"));
        }
        let within = |sum: u128, least: u64, most: u64| {
            let bound = |value: u64| u128::from(value).checked_mul(u128::from(count));
            bound(least).is_none_or(|bound| bound <= sum) && bound(most).is_none_or(|bound| bound >= sum)
        };
        if !within(self.sum_ns, min, max) {
            return Err(format!("sum_ns {} contradicts the other figures of a latency", self.sum_ns));
        }
        let square = |value: u64| value.saturating_mul(value);
        if max <= u64::from(u32::MAX) && !within(self.sum_squares, square(min), square(max)) {
            return Err(format!("sum_squares {} contradicts the other figures of a latency", self.sum_squares));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_exact() {
        let mut latency = Latency::default();
        [2u64, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|ns| latency.record(ns));
        assert_eq!(latency.mean_ns(), 5.0);
        assert!((latency.deviation_ns() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(latency.population_deviation_ns(), 2.0);
        assert_eq!((latency.min_ns(), latency.max_ns()), (2, 9));
    }

    #[test]
    fn a_batch_counts_as_its_latencies() {
        let many: Vec<_> = (0..=SHORT_MAX).map(|nth| LONG_NS - 1 - nth % 2).collect();
        let batches: [&[u64]; 8] =
            [&[], &[7], &[5, 5, 5], &[9, 1, 1, 30], &[0, LONG_NS - 1], &[u64::MAX, 3], &[LONG_NS, 2], &many];
        let (mut together, mut alone) = (Latency::default(), Latency::default());
        for batch in batches {
            together.record_all(batch.iter().copied());
            batch.iter().for_each(|&ns| alone.record(ns));
            assert_eq!(together, alone, "{batch:?}");
        }
        assert_eq!((together.min_ns(), together.max_ns()), (0, u64::MAX));
    }

    #[test]
    fn latencies_in_steps_count_as_single_ones() {
        for (first_ns, step_ns, times) in [(0, 0, 3), (9, 1, 0), (9, 1, 1), (100, 7, 15), (1 << 40, 1 << 20, 1000)] {
            let (mut together, mut alone) = (Latency::default(), Latency::default());
            together.record_steps(first_ns, step_ns, times);
            (0..u64::from(times)).for_each(|nth| alone.record(first_ns + nth * step_ns));
            assert_eq!(together, alone, "{first_ns} {step_ns} {times}");
        }
    }

    #[test]
    fn unsubmitted_ios_are_longer_than_any_time() {
        let mut latency = Latency::default();
        (0..99).for_each(|_| latency.record(1000));
        assert_eq!(latency.percentile_of_due_ns(0, 99.0), Some(latency.percentile_ns(99.0)));
        assert_eq!(latency.percentile_of_due_ns(1, 99.0), Some(latency.percentile_ns(100.0)));
        assert_eq!(latency.percentile_of_due_ns(2, 99.0), None);
        assert_eq!(Latency::default().percentile_of_due_ns(2, 1.0), None);
    }

    /// The sums of 128 jobs with 1,024 I/Os in flight, after 40 hours on a device with 100,000 IOPS.
    #[test]
    fn long_runs_have_a_mean_and_a_deviation() {
        let ios_each: u64 = 40 * 3600 * 100_000 / 2;
        let (low_ns, high_ns) = (1_300_000_000, 1_320_000_000);
        let mut latency = Latency::default();
        latency.record_many(low_ns, ios_each);
        let mut other = Latency::default();
        other.record_many(high_ns, ios_each);
        latency.merge(&other);
        assert!(latency.sum_ns() > u128::from(u64::MAX));
        assert_eq!((latency.mean_ns(), latency.population_deviation_ns()), (1.31e9, 1e7));
        let text = serde_json::to_string(&latency).unwrap();
        let read: Latency = serde_json::from_str(&text).unwrap();
        assert_eq!(read, latency);
    }

    #[test]
    fn a_sum_that_contradicts_the_other_figures_is_rejected() {
        let mut latency = Latency::default();
        latency.record_many(1_300_000_000, 1 << 35);
        let text = serde_json::to_string(&latency).unwrap();
        let exact = format!("\"sum_ns\":{}", latency.sum_ns());
        for sum_ns in [latency.sum_ns() % (1 << 64), latency.sum_ns() * 2] {
            let changed = text.replace(&exact, &format!("\"sum_ns\":{sum_ns}"));
            assert!(serde_json::from_str::<Latency>(&changed).is_err(), "{sum_ns}");
        }
    }

    #[test]
    fn no_percentile_lies_beyond_the_maximum() {
        let mut latency = Latency::default();
        latency.record(1_000_000);
        assert_eq!(latency.percentile_ns(99.99), 1_000_000);
        assert_eq!(Latency::default().percentile_ns(50.0), 0);
    }
}
