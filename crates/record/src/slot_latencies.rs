//! Latencies of one slot of a timeline: a sparse histogram, and the exact sum.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::share::Share;
use crate::{CoarseHistogram, Latency};

/// Latencies of a slot.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SlotLatencies {
    pub sum_ns: u128,
    pub histogram: CoarseHistogram,
}

impl SlotLatencies {
    /// Returns the latencies recorded between two states. `None` if they are not states of one [`Latency`].
    pub fn between(earlier: &Latency, later: &Latency) -> Option<Self> {
        let histogram = CoarseHistogram::between(&earlier.histogram, &later.histogram)?;
        Some(SlotLatencies { sum_ns: later.sum_ns().saturating_sub(earlier.sum_ns()), histogram })
    }

    /// Returns whether nothing was counted. A part of few latencies can have a sum only.
    pub fn is_empty(&self) -> bool {
        self.sum_ns == 0 && self.histogram.is_empty()
    }

    /// Counts one latency.
    pub fn record(&mut self, ns: u64) {
        self.histogram.record(ns);
        self.sum_ns = self.sum_ns.saturating_add(u128::from(ns));
    }

    /// Adds other latencies.
    pub fn merge(&mut self, other: &SlotLatencies) {
        self.histogram.merge(&other.histogram);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
    }

    /// Returns a share. Adjacent shares add up to the whole.
    pub(crate) fn part(&self, share: &Share) -> SlotLatencies {
        SlotLatencies { sum_ns: share.of_sum(self.sum_ns), histogram: self.histogram.part(share) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_between_two_states_have_their_exact_sum() {
        let mut earlier = Latency::default();
        earlier.record(1001);
        let mut later = earlier.clone();
        [7, 90_001].into_iter().for_each(|ns| later.record(ns));
        let between = SlotLatencies::between(&earlier, &later).unwrap();
        assert_eq!((between.sum_ns, between.histogram.total()), (90_008, 2));
        assert_eq!(SlotLatencies::between(&later, &earlier), None);
        let mut parts = between.part(&Share { from: 0, to: 3, whole: 10 });
        parts.merge(&between.part(&Share { from: 3, to: 10, whole: 10 }));
        assert_eq!(parts, between);
    }
}
