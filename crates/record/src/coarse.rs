//! A sparse histogram with wide bins, for one slot of a timeline.
//!
//! Each power of two has 16 bins: a bin is at most 1/16 of its value wide. Each bin consists of whole bins of a
//! [`Histogram`].

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::share::Share;
use crate::{Bin, Histogram, log_linear};

/// Bits of a value that choose its bin within a power of two.
const GROUP_BITS: u32 = 4;
const BINS: usize = log_linear::count::<GROUP_BITS>();

/// Counts of values by bin.
#[derive(Clone, PartialEq, Eq, Default, Debug, JsonSchema)]
#[schemars(with = "Vec<(u16, u64)>")]
pub struct CoarseHistogram {
    /// Index and count, in ascending order of the index. No count is 0.
    bins: Vec<(u16, u64)>,
    total: u64,
}

impl CoarseHistogram {
    /// Returns the bin of a value.
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

    /// Returns the values counted between two states of one histogram. `None` if `later` has less than `earlier` in a
    /// bin: then they are not states of one histogram.
    pub fn between(earlier: &Histogram, later: &Histogram) -> Option<Self> {
        let mut found = CoarseHistogram::default();
        let mut before = earlier.bins().peekable();
        for bin in later.bins() {
            let known = before.next_if(|known| known.index == bin.index).map_or(0, |known| known.count);
            if before.peek().is_some_and(|known| known.index <= bin.index) {
                return None;
            }
            found.add(log_linear::stored::<GROUP_BITS>(Self::index_of(bin.low)), bin.count.checked_sub(known)?);
        }
        before.next().is_none().then_some(found)
    }

    /// Adds `count` values to a bin. The bin must not be below one that was added before.
    fn add(&mut self, index: u16, count: u64) {
        if count == 0 {
            return;
        }
        match self.bins.last_mut() {
            Some(last) if last.0 == index => last.1 = last.1.saturating_add(count),
            _ => self.bins.push((index, count)),
        }
        self.total = self.total.saturating_add(count);
    }

    /// Counts one value.
    pub fn record(&mut self, value: u64) {
        self.merge(&CoarseHistogram {
            bins: vec![(log_linear::stored::<GROUP_BITS>(Self::index_of(value)), 1)],
            total: 1,
        });
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &CoarseHistogram) {
        if other.total == 0 {
            return;
        }
        let mine = std::mem::take(self);
        let mut mine = mine.bins.into_iter().peekable();
        for &(index, count) in &other.bins {
            while let Some((before, known)) = mine.next_if(|mine| mine.0 <= index) {
                self.add(before, known);
            }
            self.add(index, count);
        }
        mine.for_each(|(index, count)| self.add(index, count));
    }

    /// Returns the share of each bin's values. Adjacent shares add up to the whole histogram.
    pub(crate) fn part(&self, share: &Share) -> CoarseHistogram {
        let mut part = CoarseHistogram::default();
        for &(index, count) in &self.bins {
            part.add(index, share.of_count(count));
        }
        part
    }

    /// Returns the histogram with at most `max` bins (at least 1). Merges pairs of neighbouring bins into the upper bin
    /// until the limit is met.
    #[must_use]
    pub fn with_bins_at_most(&self, max: usize) -> CoarseHistogram {
        let mut bins = self.bins.clone();
        while bins.len() > max.max(1) {
            let merged = |pair: &[(u16, u64)]| match *pair {
                [(_, below), (index, count)] => (index, below.saturating_add(count)),
                _ => pair[0],
            };
            bins = bins.chunks(2).map(merged).collect();
        }
        CoarseHistogram { bins, total: self.total }
    }

    /// Returns the number of values.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether no value was counted.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Iterates over the bins that have values, in ascending order.
    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        self.bins.iter().map(|&(index, count)| {
            let index = usize::from(index);
            Bin { index, low: Self::low_of(index), middle: Self::middle_of(index), count }
        })
    }

    /// Returns the percentile by nearest rank: the middle of the bin with the ceil(p/100·n)-th smallest value. `None` if
    /// there are no values.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let rank = units::number::whole((percent / 100.0 * self.total as f64).ceil()).clamp(1, self.total.max(1));
        let mut seen = 0u64;
        for bin in self.bins() {
            seen = seen.saturating_add(bin.count);
            if seen >= rank {
                return Some(bin.middle);
            }
        }
        None
    }

    /// Returns the mean, with the middle of its bin for each value. `None` if there are no values.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.bins().map(|bin| bin.middle as f64 * bin.count as f64).sum();
        (self.total > 0).then(|| sum / self.total as f64)
    }
}

/// Pairs of a bin's index and its count, in ascending order.
impl Serialize for CoarseHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.bins)
    }
}

impl<'de> Deserialize<'de> for CoarseHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bins = Vec::<(u16, u64)>::deserialize(deserializer)?;
        let is_ascending = bins.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let last = bins.last().map_or(0, |&(index, _)| usize::from(index));
        if !is_ascending || last >= BINS {
            return Err(D::Error::custom(format!("the bins of a slot's histogram are out of order or beyond {BINS}")));
        }
        let total = bins.iter().try_fold(0u64, |total, &(_, count)| total.checked_add(count).filter(|_| count > 0));
        let total = total.ok_or_else(|| D::Error::custom("the counts of a slot's histogram don't add up"))?;
        Ok(CoarseHistogram { bins, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        values.iter().for_each(|&value| histogram.record(value));
        histogram
    }

    #[test]
    fn every_fine_bin_lies_in_one_coarse_bin() {
        for (fine, next) in (0..3000).map(|index| (Histogram::low_of(index), Histogram::low_of(index + 1))) {
            let coarse = CoarseHistogram::index_of(fine);
            assert_eq!(coarse, CoarseHistogram::index_of(next - 1), "{fine}");
            assert!(CoarseHistogram::low_of(coarse) <= fine && next <= CoarseHistogram::low_of(coarse + 1));
        }
        assert_eq!(CoarseHistogram::index_of(u64::MAX), BINS - 1);
    }

    #[test]
    fn values_between_two_states_are_their_difference() {
        let (earlier, later) = (of(&[5, 7000]), of(&[5, 6, 7000, 7000, 90_000]));
        let between = CoarseHistogram::between(&earlier, &later).unwrap();
        assert_eq!((between.total(), between.percentile(1.0), between.percentile(50.0)), (3, Some(6), Some(7040)));
        assert_eq!(CoarseHistogram::between(&later, &earlier), None);
        assert_eq!(CoarseHistogram::between(&of(&[1_000_000]), &of(&[5])), None);
        assert_eq!(CoarseHistogram::between(&of(&[]), &of(&[])).unwrap().total(), 0);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = CoarseHistogram::between(&of(&[]), &of(&[1, 1, 1, 1, 1, 50, 900_000])).unwrap();
        let mut sum = CoarseHistogram::default();
        for (from, to) in [(0, 100), (100, 630), (630, 640), (640, 1000)] {
            sum.merge(&whole.part(&Share { from, to, whole: 1000 }));
        }
        assert_eq!(sum, whole);
    }

    #[test]
    fn neighbours_are_merged_upwards_until_the_bins_are_few_enough() {
        let values: Vec<u64> = (0..40).map(|nth| 1_000 << (nth / 2)).collect();
        let whole = CoarseHistogram::between(&of(&[]), &of(&values)).unwrap();
        let few = whole.with_bins_at_most(7);
        let indices: Vec<usize> = few.bins().map(|bin| bin.index).collect();
        let expected = [3, 7, 11, 15, 19].map(|nth| whole.bins().nth(nth).unwrap().index);
        assert_eq!((indices, few.total(), few.percentile(100.0)), (expected.to_vec(), 40, whole.percentile(100.0)));
        assert_eq!((whole.with_bins_at_most(20), whole.with_bins_at_most(0).bins().count()), (whole, 1));
    }

    #[test]
    fn recording_values_one_by_one_equals_a_merge() {
        let mut one_by_one = CoarseHistogram::default();
        [70_000, 3, 500, 3].into_iter().for_each(|value| one_by_one.record(value));
        assert_eq!(Some(one_by_one), CoarseHistogram::between(&of(&[]), &of(&[3, 3, 500, 70_000])));
    }
}
