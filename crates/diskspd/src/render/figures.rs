//! Sums over rows: reads, writes or both.

use super::buckets::{Buckets, Window};
use super::report::Row;
use record::{DdirStats, Latency};

/// Direction of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Total,
    Read,
    Write,
}

impl Side {
    fn ddirs<T>(self, all: &[T; 3]) -> &[T] {
        match self {
            Side::Total => all,
            Side::Read => &all[..1],
            Side::Write => &all[1..2],
        }
    }
}

#[derive(Clone, Default)]
pub struct Figures {
    pub bytes: u64,
    pub ios: u64,
    pub latency: Latency,
    pub buckets: Buckets,
}

impl Figures {
    pub fn of(row: &Row, side: Side, window: Window) -> Figures {
        let mut figures = Figures::default();
        for (ddir, stats) in row.ddirs.iter().enumerate() {
            if side.ddirs(&[0, 1, 2]).contains(&ddir) {
                figures.count(stats);
                if let Some(series) = row.series {
                    figures.buckets.add(&Buckets::of(series, ddir, window));
                }
            }
        }
        figures
    }

    pub fn sum<'a>(rows: impl IntoIterator<Item = &'a Row<'a>>, side: Side, window: Window) -> Figures {
        let mut sum = Figures::default();
        rows.into_iter().for_each(|row| sum.add(&Figures::of(row, side, window)));
        sum
    }

    fn count(&mut self, stats: &DdirStats) {
        self.bytes = self.bytes.saturating_add(stats.bytes);
        self.ios = self.ios.saturating_add(stats.ios);
        self.latency.merge(&stats.lat);
    }

    pub fn add(&mut self, other: &Figures) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.ios = self.ios.saturating_add(other.ios);
        self.latency.merge(&other.latency);
        self.buckets.add(&other.buckets);
    }
}

/// A percentile, as the fraction of values above it: 1/4 for the 75th, 1/1000 for three nines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Percentile {
    pub of: u64,
    pub above: u64,
}

impl Percentile {
    pub const fn percent(percent: u64) -> Percentile {
        Percentile { of: 100, above: 100 - percent }
    }

    /// Returns the percentile with `nines` nines: `nines(3)` is 99.9 %.
    pub const fn nines(nines: u32) -> Percentile {
        Percentile { of: 10_u64.pow(nines), above: 1 }
    }

    /// Returns the percentile in ns by nearest rank.
    pub fn of_latency(self, latency: &Latency) -> u64 {
        let count = latency.count();
        // Exact. A product of floating-point fractions could miss the rank by one.
        let above = u128::from(count) * u128::from(self.above) / u128::from(self.of);
        latency.ranked_ns(count - u64::try_from(above).unwrap_or(count))
    }
}

pub fn milliseconds(ns: f64) -> f64 {
    ns / 1e6
}

/// Returns the rate per second. 0 if no time has passed.
pub fn rate(amount: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_exact() {
        let mut latency = Latency::default();
        (1..=100).for_each(|ns| latency.record(ns));
        for percent in 1..100 {
            assert_eq!(Percentile::percent(percent).of_latency(&latency), percent);
        }
        assert_eq!(Percentile::percent(0).of_latency(&latency), 1);
        assert_eq!(Percentile::nines(3).of_latency(&latency), 100);
        assert_eq!(Percentile::nines(9).of_latency(&Latency::default()), 0);
    }

    #[test]
    fn three_nines_of_a_thousand_is_the_last_but_one() {
        let mut latency = Latency::default();
        (0..999).for_each(|_| latency.record(1));
        latency.record(9);
        assert_eq!([2, 3, 4].map(|nines| Percentile::nines(nines).of_latency(&latency)), [1, 1, 9]);
    }
}
