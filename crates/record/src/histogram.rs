//! Log-linear histogram of times in nanoseconds.
//!
//! Each power of two has 64 bins, as in fio: values below 128 are exact, above that a bin is at most 1/64 of its value
//! wide. The bins cover all of `u64`, so no value is clamped into a last bin.
//!
//! Hundreds of jobs have several histograms each, and several copies of each. Most values fall into a few dozen of the
//! 3776 bins. To save memory, only the lower bins of a histogram that is recorded into have an array of counts. Higher
//! bins, and all bins of a copy, are in a sorted list.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::log_linear;

/// Bits of a value that choose its bin within a power of two.
const GROUP_BITS: u32 = 6;
const BINS_PER_GROUP: usize = 1 << GROUP_BITS;
const BINS: usize = log_linear::count::<GROUP_BITS>();

/// Bins of a reserved array: up to 2.1 ms, 8 KiB.
const RESERVED: usize = 16 * BINS_PER_GROUP;
/// Limit of the list's bins, and of the values in one of them. Above it the array grows.
const SPARSE_MAX: usize = 64;

/// Counts of values by bin.
#[derive(Default, JsonSchema)]
#[schemars(with = "Vec<(u16, u64)>")]
pub struct Histogram {
    /// Counts of the first bins.
    dense: Vec<u64>,
    /// Index and count of later bins that have values, in ascending order. A copy has all its bins here.
    sparse: Vec<(u16, u64)>,
    total: u64,
}

/// A bin that has values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bin {
    pub index: usize,
    /// The least value of the bin.
    pub low: u64,
    /// The middle of the bin. It represents all its values.
    pub middle: u64,
    pub count: u64,
}

impl Clone for Histogram {
    fn clone(&self) -> Self {
        let mut sparse = Vec::with_capacity(self.bins().count());
        sparse.extend(self.bins().map(|bin| (log_linear::stored::<GROUP_BITS>(bin.index), bin.count)));
        Histogram { dense: Vec::new(), sparse, total: self.total }
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.total == other.total && self.bins().eq(other.bins())
    }
}

impl Eq for Histogram {}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.bins()).finish()
    }
}

impl Histogram {
    /// Number of bins of fio's histograms. fio counts larger values in the last bin.
    pub const FIO_BINS: usize = 29 * BINS_PER_GROUP;

    /// Returns the bin of a value.
    #[inline]
    pub fn index_of(value: u64) -> usize {
        log_linear::index_of::<GROUP_BITS>(value)
    }

    /// Returns the least value of a bin.
    pub fn low_of(index: usize) -> u64 {
        log_linear::low_of::<GROUP_BITS>(index)
    }

    /// Returns the middle of a bin. It represents all its values.
    pub fn middle_of(index: usize) -> u64 {
        log_linear::middle_of::<GROUP_BITS>(index)
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Counts a value `times` times.
    #[inline]
    pub fn record_many(&mut self, value: u64, times: u64) {
        self.add(Self::index_of(value), times);
        self.total += times;
    }

    /// Records all values. Calls `each` once per value, in order.
    #[inline(always)]
    pub fn record_all(&mut self, values: impl Iterator<Item = u64> + Clone, mut each: impl FnMut(u64)) {
        let dense = self.dense.as_mut_slice();
        let (mut counted, mut beyond) = (0, 0u64);
        for value in values.clone() {
            each(value);
            counted += 1;
            match dense.get_mut(Self::index_of(value)) {
                Some(count) => *count += 1,
                None => beyond += 1,
            }
        }
        self.total += counted;
        if beyond > 0 {
            let bins = self.dense.len();
            values.map(Self::index_of).filter(|&index| index >= bins).for_each(|index| self.add(index, 1));
        }
    }

    /// Counts `times` values: `first`, and each higher by `step` than the one before.
    #[inline]
    pub fn record_steps(&mut self, first: u64, step: u64, times: u32) {
        let mut value = first;
        for _ in 0..times {
            self.add(Self::index_of(value), 1);
            value += step;
        }
        self.total += u64::from(times);
    }

    /// Adds `times` values to a bin.
    #[inline]
    fn add(&mut self, index: usize, times: u64) {
        match self.dense.get_mut(index) {
            Some(count) => *count += times,
            None => self.add_sparse(index, times),
        }
    }

    /// Adds values to a bin beyond the array.
    #[cold]
    fn add_sparse(&mut self, index: usize, times: u64) {
        if times == 0 {
            return;
        }
        let at = self.sparse.partition_point(|&(found, _)| usize::from(found) < index);
        match self.sparse.get_mut(at) {
            Some((found, count)) if usize::from(*found) == index => *count = count.saturating_add(times),
            _ => self.sparse.insert(at, (log_linear::stored::<GROUP_BITS>(index), times)),
        }
        if self.sparse.len() > SPARSE_MAX || self.sparse[at].1 > SPARSE_MAX as u64 {
            let last = self.sparse.last().map_or(index, |&(last, _)| usize::from(last));
            self.grow(last + 1);
        }
    }

    /// Grows the array to at least `bins` bins.
    fn grow(&mut self, bins: usize) {
        let bins = bins.next_multiple_of(BINS_PER_GROUP);
        if self.dense.is_empty() {
            self.dense = vec![0; bins];
        } else if self.dense.len() < bins {
            self.dense.reserve_exact(bins - self.dense.len());
            self.dense.resize(bins, 0);
        }
        let within = self.sparse.partition_point(|&(index, _)| usize::from(index) < self.dense.len());
        for (index, count) in self.sparse.drain(..within) {
            self.dense[usize::from(index)] = count;
        }
    }

    /// Allocates memory for the usual values, so that recording rarely allocates.
    pub fn reserve(&mut self) {
        self.grow(RESERVED);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        if other.bins().count() > SPARSE_MAX
            && let Some(last) = other.bins().last()
        {
            self.grow(last.index + 1);
        }
        for bin in other.bins() {
            match self.dense.get_mut(bin.index) {
                Some(count) => *count = count.saturating_add(bin.count),
                None => self.add_sparse(bin.index, bin.count),
            }
        }
        self.total = self.total.saturating_add(other.total);
    }

    /// Removes all values. Keeps the memory.
    pub fn clear(&mut self) {
        self.dense.fill(0);
        self.sparse.clear();
        self.total = 0;
    }

    /// Returns the number of values.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the count of a bin in fio's layout.
    pub fn fio_bin(&self, index: usize) -> u64 {
        let end = if index + 1 < Self::FIO_BINS { index + 1 } else { BINS };
        let counts = self.dense.get(index..end.min(self.dense.len())).unwrap_or_default();
        let from = self.sparse.partition_point(|&(found, _)| usize::from(found) < index);
        let sparse = self.sparse[from..].iter().take_while(|&&(found, _)| usize::from(found) < end);
        counts.iter().chain(sparse.map(|(_, count)| count)).sum()
    }

    /// Iterates over the bins that have values, in ascending order.
    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        let counted = self.dense.iter().copied().enumerate().filter(|&(_, count)| count > 0);
        let sparse = self.sparse.iter().map(|&(index, count)| (usize::from(index), count));
        counted.chain(sparse).map(|(index, count)| Bin {
            index,
            low: Self::low_of(index),
            middle: Self::middle_of(index),
            count,
        })
    }

    /// Returns the percentile by nearest rank: the middle of the bin with the ceil(p/100·n)-th smallest value. `None` if
    /// there are no values.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        // 99.9 % of 1000 is a little above 999 in binary fractions, which would make it the 1000th.
        let rank = percent / 100.0 * self.total as f64 * (1.0 - 4.0 * f64::EPSILON);
        self.ranked(units::number::whole(rank.ceil()))
    }

    /// Returns the middle of the bin with the value of a rank. The smallest value has rank 1. `None` if there are no
    /// values.
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

    /// Returns the number of values below `bound`. A bin counts as a whole, by its middle.
    pub fn count_below(&self, bound: u64) -> u64 {
        self.bins().take_while(|bin| bin.middle < bound).map(|bin| bin.count).sum()
    }
}

/// Pairs of a bin's index and its count, in ascending order, for bins that have values.
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
            histogram.sparse.push((log_linear::stored::<GROUP_BITS>(index), count));
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
    fn a_copy_has_no_array() {
        let mut histogram = Histogram::default();
        histogram.reserve();
        [5, 6, 6, u64::MAX].into_iter().for_each(|value| histogram.record(value));
        assert_eq!(histogram.dense.len(), RESERVED);
        let mut copy = histogram.clone();
        assert_eq!((copy.dense.capacity(), copy.sparse.capacity()), (0, 3));
        copy.record(6);
        assert_eq!((copy.total(), copy.fio_bin(6), copy.fio_bin(Histogram::FIO_BINS - 1)), (5, 3, 1));
    }

    #[test]
    fn the_array_grows_with_the_number_of_bins_and_of_values() {
        let second = 1_000_000_000u64;
        let mut rare = Histogram::default();
        rare.reserve();
        (1..=SPARSE_MAX as u64).for_each(|seconds| rare.record(seconds * second));
        assert_eq!((rare.dense.len(), rare.sparse.len()), (RESERVED, SPARSE_MAX));
        let (mut many, mut often) = (rare.clone(), rare);
        many.record(1000 * second);
        (0..SPARSE_MAX).for_each(|_| often.record(second));
        for grown in [many, often] {
            assert!(grown.sparse.is_empty() && grown.dense.len() > Histogram::index_of(64 * second));
        }
    }
}
