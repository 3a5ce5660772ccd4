//! Log-linear histogram of times in nanoseconds.
//!
//! 64 bins for each power of two, fio's own: values below 128 are exact, above that a bin is at most 1/64 of its value
//! wide. Covers all of `u64`, so nothing is ever clamped into a last bin.
//!
//! Of hundreds of jobs each keeps several histograms, and several copies of each, and most values fall into a few dozens
//! of the 3776 bins. So only what is recorded into again and again has an array of counts, and that ends where values are
//! rare; above it, and in copies, there is a list of the bins that hold something.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::log_linear;

/// Bits of a value that choose its bin within a power of two.
const GROUP_BITS: u32 = 6;
const BINS_PER_GROUP: usize = 1 << GROUP_BITS;
const BINS: usize = log_linear::count::<GROUP_BITS>();

/// Bins of an array that is prepared: up to 2.1 ms, which takes 8 KiB.
const PREPARED: usize = 16 * BINS_PER_GROUP;
/// The most bins of the list, and the most values of one, before the array is made longer.
const FEW: usize = 64;

#[derive(Default)]
pub struct Histogram {
    /// The first bins.
    counts: Vec<u64>,
    /// Those after them that hold something, by rising index. A copy has all in here.
    few: Vec<(u16, u64)>,
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

impl Clone for Histogram {
    fn clone(&self) -> Self {
        let mut few = Vec::with_capacity(self.bins().count());
        few.extend(self.bins().map(|bin| (bin.index as u16, bin.count)));
        Histogram { counts: Vec::new(), few, total: self.total }
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
    /// Bins of fio's histograms: what is above goes into the last where fio's layout is asked for.
    pub const FIO_BINS: usize = 29 * BINS_PER_GROUP;

    #[inline]
    pub fn index_of(value: u64) -> usize {
        log_linear::index_of::<GROUP_BITS>(value)
    }

    pub fn low_of(index: usize) -> u64 {
        log_linear::low_of::<GROUP_BITS>(index)
    }

    pub fn middle_of(index: usize) -> u64 {
        log_linear::middle_of::<GROUP_BITS>(index)
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
            None => self.add_far(index, times),
        }
        self.total += times;
    }

    /// Adds values to a bin after the array.
    #[cold]
    fn add_far(&mut self, index: usize, times: u64) {
        if times == 0 {
            return;
        }
        let at = self.few.partition_point(|&(few, _)| usize::from(few) < index);
        match self.few.get_mut(at) {
            Some((found, count)) if usize::from(*found) == index => *count = count.saturating_add(times),
            _ => self.few.insert(at, (index as u16, times)),
        }
        if self.few.len() > FEW || self.few[at].1 > FEW as u64 {
            let last = self.few.last().map_or(index, |&(last, _)| usize::from(last));
            self.lengthen(last + 1);
        }
    }

    /// Makes the array so long at least.
    fn lengthen(&mut self, bins: usize) {
        let bins = bins.next_multiple_of(BINS_PER_GROUP);
        if self.counts.is_empty() {
            self.counts = vec![0; bins];
        } else if self.counts.len() < bins {
            self.counts.reserve_exact(bins - self.counts.len());
            self.counts.resize(bins, 0);
        }
        let within = self.few.partition_point(|&(index, _)| usize::from(index) < self.counts.len());
        for (index, count) in self.few.drain(..within) {
            self.counts[usize::from(index)] = count;
        }
    }

    /// Makes room now, so that recording allocates next to nothing.
    pub fn prepare(&mut self) {
        self.lengthen(PREPARED);
    }

    pub fn merge(&mut self, other: &Histogram) {
        if other.bins().count() > FEW
            && let Some(last) = other.bins().last()
        {
            self.lengthen(last.index + 1);
        }
        for bin in other.bins() {
            match self.counts.get_mut(bin.index) {
                Some(count) => *count = count.saturating_add(bin.count),
                None => self.add_far(bin.index, bin.count),
            }
        }
        self.total = self.total.saturating_add(other.total);
    }

    pub fn clear(&mut self) {
        self.counts.fill(0);
        self.few.clear();
        self.total = 0;
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// The count of one bin of fio's layout.
    pub fn fio_bin(&self, index: usize) -> u64 {
        let end = if index + 1 < Self::FIO_BINS { index + 1 } else { BINS };
        let counts = self.counts.get(index..end.min(self.counts.len())).unwrap_or_default();
        let from = self.few.partition_point(|&(few, _)| usize::from(few) < index);
        let few = self.few[from..].iter().take_while(|&&(few, _)| usize::from(few) < end);
        counts.iter().chain(few.map(|(_, count)| count)).sum()
    }

    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        let counted = self.counts.iter().copied().enumerate().filter(|&(_, count)| count > 0);
        let few = self.few.iter().map(|&(index, count)| (usize::from(index), count));
        counted.chain(few).map(|(index, count)| Bin {
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
            histogram.few.push((index as u16, count));
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
    fn a_copy_takes_no_more_than_it_holds() {
        let mut histogram = Histogram::default();
        histogram.prepare();
        [5, 6, 6, u64::MAX].into_iter().for_each(|value| histogram.record(value));
        assert_eq!(histogram.counts.len(), PREPARED);
        let mut copy = histogram.clone();
        assert_eq!((copy.counts.capacity(), copy.few.capacity()), (0, 3));
        copy.record(6);
        assert_eq!((copy.total(), copy.fio_bin(6), copy.fio_bin(Histogram::FIO_BINS - 1)), (5, 3, 1));
    }

    #[test]
    fn the_array_grows_where_values_are_many_or_come_again() {
        let second = 1_000_000_000u64;
        let mut rare = Histogram::default();
        rare.prepare();
        (1..=FEW as u64).for_each(|seconds| rare.record(seconds * second));
        assert_eq!((rare.counts.len(), rare.few.len()), (PREPARED, FEW));
        let (mut many, mut often) = (rare.clone(), rare);
        many.record(1000 * second);
        (0..FEW).for_each(|_| often.record(second));
        for grown in [many, often] {
            assert!(grown.few.is_empty() && grown.counts.len() > Histogram::index_of(64 * second));
        }
    }
}
