//! A histogram with wider bins that keeps only those that hold something: what happened in one slot of a timeline.
//!
//! 16 bins for each power of two, so that none is wider than 1/16 of its values; each is made of whole bins of a
//! [`Histogram`].

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Bin, Histogram, log_linear};

/// Bits of a value that choose its bin within a power of two.
const GROUP_BITS: u32 = 4;
const BINS: usize = log_linear::count::<GROUP_BITS>();

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CoarseHistogram {
    /// Index and count, in rising order of the index; no count is 0.
    bins: Vec<(u16, u64)>,
    total: u64,
}

impl CoarseHistogram {
    pub fn index_of(value: u64) -> usize {
        log_linear::index_of::<GROUP_BITS>(value)
    }

    pub fn low_of(index: usize) -> u64 {
        log_linear::low_of::<GROUP_BITS>(index)
    }

    pub fn middle_of(index: usize) -> u64 {
        log_linear::middle_of::<GROUP_BITS>(index)
    }

    /// What was counted between two states of one histogram; `None` where they are not two states of one.
    pub fn between(earlier: &Histogram, later: &Histogram) -> Option<Self> {
        let mut found = CoarseHistogram::default();
        let mut before = earlier.bins().peekable();
        for bin in later.bins() {
            let known = before.next_if(|known| known.index == bin.index).map_or(0, |known| known.count);
            if before.peek().is_some_and(|known| known.index <= bin.index) {
                return None;
            }
            found.add(Self::index_of(bin.low) as u16, bin.count.checked_sub(known)?);
        }
        before.next().is_none().then_some(found)
    }

    /// Counts so many values of a bin that is not below any that was added before.
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

    pub fn record(&mut self, value: u64) {
        self.merge(&CoarseHistogram { bins: vec![(Self::index_of(value) as u16, 1)], total: 1 });
    }

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

    /// The part of the values that lies between two shares of them all (0 to 1), as if each bin's had come evenly. The
    /// parts of shares that follow one another add up to the whole.
    pub fn part(&self, from: f64, to: f64) -> CoarseHistogram {
        let mut part = CoarseHistogram::default();
        for &(index, count) in &self.bins {
            part.add(index, part_of(count, from, to));
        }
        part
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        self.bins.iter().map(|&(index, count)| {
            let index = usize::from(index);
            Bin { index, low: Self::low_of(index), middle: Self::middle_of(index), count }
        })
    }

    /// The middle of the bin that holds the value of nearest rank: the ceil(p/100·n)-th smallest.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let rank = ((percent / 100.0 * self.total as f64).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0u64;
        for bin in self.bins() {
            seen = seen.saturating_add(bin.count);
            if seen >= rank {
                return Some(bin.middle);
            }
        }
        None
    }

    /// The mean of the bins' middles.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.bins().map(|bin| bin.middle as f64 * bin.count as f64).sum();
        (self.total > 0).then(|| sum / self.total as f64)
    }
}

/// That part of a count which lies between two shares of it: rounded so that all parts add up to it.
pub(crate) fn part_of(count: u64, from: f64, to: f64) -> u64 {
    let until = |share: f64| if share >= 1.0 { count } else { (count as f64 * share).round() as u64 };
    until(to).saturating_sub(until(from))
}

/// Pairs of a bin's index and its count, in rising order.
impl Serialize for CoarseHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.bins)
    }
}

impl<'de> Deserialize<'de> for CoarseHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bins = Vec::<(u16, u64)>::deserialize(deserializer)?;
        let rising = bins.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let last = bins.last().map_or(0, |&(index, _)| usize::from(index));
        if !rising || last >= BINS {
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
    fn what_came_between_two_states_is_their_difference() {
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
        for (from, to) in [(0.0, 0.1), (0.1, 0.63), (0.63, 0.64), (0.64, 1.0)] {
            sum.merge(&whole.part(from, to));
        }
        assert_eq!(sum, whole);
    }

    #[test]
    fn values_that_come_one_by_one_are_those_of_a_merge() {
        let mut one_by_one = CoarseHistogram::default();
        [70_000, 3, 500, 3].into_iter().for_each(|value| one_by_one.record(value));
        assert_eq!(Some(one_by_one), CoarseHistogram::between(&of(&[]), &of(&[3, 3, 500, 70_000])));
    }
}
