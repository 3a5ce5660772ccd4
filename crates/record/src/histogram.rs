//! Log-linear histogram of times in nanoseconds.
//!
//! 64 bins for each power of two, fio's own: values below 128 are exact, above that a bin is at most 1/64 of its value
//! wide. Covers all of `u64`, so nothing is ever clamped into a last bin.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bits of a value that choose its bin within a power of two.
const GROUP_BITS: u32 = 6;
const BINS_PER_GROUP: usize = 1 << GROUP_BITS;
const BINS: usize = (64 - GROUP_BITS as usize + 1) * BINS_PER_GROUP;

#[derive(Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// All bins, or none before the first value: most histograms of a worker stay empty.
    counts: Vec<u64>,
    total: u64,
}

/// A bin that holds something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bin {
    pub index: usize,
    pub low: u64,
    /// The middle of the bin, which stands for its values in percentiles.
    pub middle: u64,
    pub count: u64,
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.bins()).finish()
    }
}

impl Histogram {
    /// Bins of fio's histograms: what is above goes into the last where fio's layout is asked for.
    pub const FIO_BINS: usize = 29 * BINS_PER_GROUP;

    #[inline]
    pub fn index_of(value: u64) -> usize {
        let top_bit = 63 - (value | 1).leading_zeros();
        if top_bit <= GROUP_BITS {
            return value as usize;
        }
        let error_bits = top_bit - GROUP_BITS;
        ((error_bits as usize + 1) << GROUP_BITS) + ((value >> error_bits) as usize & (BINS_PER_GROUP - 1))
    }

    pub fn low_of(index: usize) -> u64 {
        if index < 2 * BINS_PER_GROUP {
            return index as u64;
        }
        let error_bits = (index >> GROUP_BITS) as u32 - 1;
        let within = (index & (BINS_PER_GROUP - 1)) as u64;
        (BINS_PER_GROUP as u64 + within) << error_bits
    }

    pub fn middle_of(index: usize) -> u64 {
        if index < 2 * BINS_PER_GROUP {
            return index as u64;
        }
        let error_bits = (index >> GROUP_BITS) as u32 - 1;
        Self::low_of(index) + (1 << error_bits) / 2
    }

    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Counts a value that came so many times.
    #[inline]
    pub fn record_many(&mut self, value: u64, times: u64) {
        let index = Self::index_of(value);
        match self.counts.get_mut(index) {
            Some(count) => *count += times,
            None => self.make_bins()[index] += times,
        }
        self.total += times;
    }

    #[cold]
    fn make_bins(&mut self) -> &mut [u64] {
        self.counts = vec![0; BINS];
        &mut self.counts
    }

    /// Makes the bins now, so that recording never allocates.
    pub fn prepare(&mut self) {
        if self.counts.is_empty() {
            self.make_bins();
        }
    }

    pub fn merge(&mut self, other: &Histogram) {
        if other.total == 0 {
            return;
        }
        self.prepare();
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.total = self.total.saturating_add(other.total);
    }

    /// Keeps what came after `earlier`, a former state of this histogram.
    pub fn since(&self, earlier: &Histogram) -> Histogram {
        if earlier.total == 0 {
            return self.clone();
        }
        let counts = self.counts.iter().zip(&earlier.counts).map(|(now, then)| now - then).collect();
        Histogram { counts, total: self.total - earlier.total }
    }

    pub fn clear(&mut self) {
        if self.total > 0 {
            self.counts.fill(0);
            self.total = 0;
        }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// The count of one bin of fio's layout.
    pub fn fio_bin(&self, index: usize) -> u64 {
        match self.counts.get(index..) {
            Some([count, ..]) if index + 1 < Self::FIO_BINS => *count,
            Some(rest) => rest.iter().sum(),
            None => 0,
        }
    }

    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(index, &count)| Bin {
            index,
            low: Self::low_of(index),
            middle: Self::middle_of(index),
            count,
        })
    }

    /// The middle of the bin that holds the value of nearest rank: the ceil(p/100·n)-th smallest.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        // 99.9 % of 1000 is a little above 999 in binary fractions, which would make it the 1000th.
        let rank = percent / 100.0 * self.total as f64 * (1.0 - 4.0 * f64::EPSILON);
        self.ranked(rank.ceil() as u64)
    }

    /// The middle of the bin that holds the value of that rank from below; ranks begin with 1.
    pub fn ranked(&self, rank: u64) -> Option<u64> {
        if self.total == 0 {
            return None;
        }
        let rank = rank.clamp(1, self.total);
        let mut seen = 0;
        for bin in self.bins() {
            seen += bin.count;
            if seen >= rank {
                return Some(bin.middle);
            }
        }
        None
    }

    /// How many values lie below `bound`; a bin that the bound cuts is counted by its middle.
    pub fn count_below(&self, bound: u64) -> u64 {
        self.bins().take_while(|bin| bin.middle < bound).map(|bin| bin.count).sum()
    }
}

/// Pairs of a bin's index and its count, in rising order, of those bins that hold something.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.bins().map(|bin| (bin.index, bin.count)))
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut histogram = Histogram::default();
        let mut index_min = 0;
        for (index, count) in Vec::<(usize, u64)>::deserialize(deserializer)? {
            if index < index_min || index >= BINS {
                return Err(D::Error::custom(format!("bin {index} of a histogram is out of order or beyond {BINS}")));
            }
            index_min = index + 1;
            histogram.prepare();
            histogram.counts[index] = count;
            let total = histogram.total.checked_add(count).filter(|_| count > 0);
            histogram.total = total.ok_or_else(|| D::Error::custom("the counts of a histogram don't add up"))?;
        }
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_the_bin_that_it_is_put_into() {
        let mut value = 0u64;
        while value < u64::MAX / 3 {
            let index = Histogram::index_of(value);
            assert!(Histogram::low_of(index) <= value);
            assert!(index + 1 == BINS || Histogram::low_of(index + 1) > value, "{value}");
            value += value / 100 + 1;
        }
        assert_eq!(Histogram::index_of(u64::MAX), BINS - 1);
    }

    #[test]
    fn percentiles_are_of_nearest_rank_and_exact_below_128() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|value| histogram.record(value));
        assert_eq!(histogram.percentile(50.0), Some(50));
        assert_eq!(histogram.percentile(99.1), Some(100));
        assert_eq!(histogram.percentile(0.0), Some(1));
        histogram.clear();
        (1..=1000).for_each(|value| histogram.record(if value == 1000 { 100 } else { 1 }));
        assert_eq!(histogram.percentile(99.9), Some(1), "the 999th of 1000");
        assert_eq!(histogram.percentile(99.91), Some(100));
        assert_eq!(Histogram::default().percentile(50.0), None);
    }

    #[test]
    fn a_bin_is_at_most_a_64th_of_its_value_wide() {
        for value in [1_000u64, 123_456, 41_400_000_000, 1 << 60] {
            let middle = Histogram::middle_of(Histogram::index_of(value));
            assert!(middle.abs_diff(value) as f64 <= value as f64 / 64.0, "{value} {middle}");
        }
    }

    #[test]
    fn bins_begin_where_the_documents_formula_says() {
        for index in 128..BINS {
            let width = 1u64 << (index / 64 - 1);
            assert_eq!(Histogram::low_of(index), (64 + index as u64 % 64) * width);
            assert_eq!(Histogram::middle_of(index), Histogram::low_of(index) + width / 2);
        }
    }

    #[test]
    fn what_came_after_a_snapshot_is_the_difference() {
        let mut histogram = Histogram::default();
        histogram.record(5);
        let before = histogram.clone();
        histogram.record(7000);
        let after = histogram.since(&before);
        assert_eq!((after.total(), after.fio_bin(5)), (1, 0));
    }
}
