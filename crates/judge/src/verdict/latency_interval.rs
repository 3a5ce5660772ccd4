//! Confidence intervals of latencies, from blocks in time: the slots of the timeline.
//!
//! The I/Os of a moment share the state of the target, so they are not independent samples. Blocks in time show the
//! variation of that state.

use assessment::{LatencyKind, Metric, Quantity};
use record::{Histogram, Slot, SlotLatencies, Timeline};

use super::times::Times;
use crate::inference::{Interval, enclosing_ranks, on_log_scale, quotient_interval, rank_below};

/// If the bin with a percentile holds a larger share of the I/Os, it hides the movement of the percentile.
const BIN_SHARE_MAX: f64 = 0.25;
/// More blocks are combined for the interval of a mean. By simulation (docs/coverage.md), twice as many give intervals that are too
/// narrow if the level of the target lasts for several blocks.
const MEAN_BLOCKS_MAX: usize = 15;
/// More blocks are combined for the interval of a percentile. It is wider by itself: fewer blocks give no interval too often.
const PERCENTILE_BLOCKS_MAX: usize = 40;
/// The interval of a percentile from `n` blocks that are not combined is wider by this over `n`. By simulation: the noise of the
/// I/Os of a block hides a correlation that lasts for several of so few blocks.
const PERCENTILE_WIDENING: f64 = 8.0;
/// Standard deviations of a normal distribution from its mean to an end of a 95 % interval.
const DEVIATIONS: f64 = 1.96;

/// Returns the slots in which all workers took part, with their indices.
pub(crate) fn whole_slots(timeline: &Timeline) -> impl Iterator<Item = (usize, &Slot)> {
    let most = timeline.slots.iter().map(|slot| slot.workers).max().unwrap_or_default();
    let is_whole = move |at: usize, slot: &Slot| slot.workers == most && timeline.slot_ns(at) == timeline.interval_ns;
    timeline.slots.iter().enumerate().filter(move |(at, slot)| is_whole(*at, slot))
}

/// Returns the latencies of a metric in a slot.
pub(super) fn of_slot(slot: &Slot, metric: Metric) -> SlotLatencies {
    let mut all = SlotLatencies::default();
    let is_meant = |at: &usize| metric.ddir.is_none_or(|ddir| ddir as usize == *at);
    let ddirs = slot.ddirs.iter().enumerate().filter(|(at, _)| is_meant(at)).map(|(_, counts)| counts);
    match metric.quantity {
        Quantity::Fsync(_) => all.merge(&slot.syncs),
        Quantity::Latency(LatencyKind::Response, _) => ddirs.for_each(|counts| all.merge(&counts.response)),
        _ => ddirs.for_each(|counts| all.merge(&counts.latencies())),
    }
    all
}

/// Returns the interval of a mean. `None` if the blocks have no exact sums.
pub(super) fn of_mean(times: &Times, blocks: &[SlotLatencies]) -> Option<Interval> {
    // The blocks can lack the last I/Os, or have `lat` where the figure is `clat`.
    let (relative, mean_ns) = (relative_mean(blocks)?, times.latency.mean_ns());
    Some(relative.times(mean_ns))
}

/// Returns the interval of the mean as shares of the mean.
fn relative_mean(blocks: &[SlotLatencies]) -> Option<Interval> {
    let sums: Vec<f64> = blocks.iter().map(|block| block.sum_ns as f64).collect();
    let counts: Vec<f64> = blocks.iter().map(|block| block.histogram.total() as f64).collect();
    let whole_ns = mean_ns(&merged(blocks))?;
    let linear = quotient_interval(&sums, &counts, MEAN_BLOCKS_MAX)?.times(1.0 / whole_ns);
    Some(on_log_scale(linear, blocks.iter().filter_map(mean_ns).map(|ns| ns / whole_ns)))
}

/// Returns the interval of the percentile of `share`. `None` if too few I/Os lie beyond it.
///
/// The number of I/Os below the percentile varies from block to block. This variation gives the number of independent
/// I/Os with the same information (the effective sample size: Woodruff, JASA 47, 1952; Korn and Graubard, 1998). The
/// interval are the ranks that enclose the percentile of that number of I/Os.
pub(super) fn of_percentile(times: &Times, blocks: &[SlotLatencies], share: f64) -> Option<Interval> {
    let (latency, count) = (&times.latency, times.due() as f64);
    let below = Below::of(blocks, share * count / latency.count() as f64)?;
    let ranked = ranks(times, share, below.independent(count))?;
    if below.bin_share <= BIN_SHARE_MAX {
        return Some(ranked);
    }
    let Some(measured) = latency.percentile_of_due_ns(times.unissued, share * 100.0) else { return Some(ranked) };
    // A narrow distribution moves as a whole.
    let relative = relative_mean(blocks)?;
    let moved = relative.times(measured as f64);
    Some(Interval { low: ranked.low.min(moved.low), high: ranked.high.max(moved.high) })
}

/// Returns the latencies of the ranks that enclose the percentile of `share`, if the I/Os have the information of this number
/// of independent ones. `None` if too few of these lie beyond it.
pub(super) fn ranks(times: &Times, share: f64, independent: f64) -> Option<Interval> {
    let (latency, count) = (&times.latency, times.due());
    let (low, high) = enclosing_ranks(independent as u64, share)?;
    let rank = |rank: u64| (rank as f64 * count as f64 / independent.floor()).round() as u64;
    // From the start of the first bin to the end of the last. An I/O that was never submitted is longer than any other.
    let bin = |rank: u64| (rank <= latency.count()).then(|| Histogram::index_of(latency.ranked_ns(rank.max(1))));
    let (low, high) = (bin(rank(low.saturating_sub(1)) + 1), bin(rank(high)));
    let start = |bin| Histogram::low_of(bin).max(latency.min_ns()) as f64;
    let end = |bin| Histogram::low_of(bin + 1).min(latency.max_ns()) as f64;
    Some(Interval { low: low.map_or(f64::INFINITY, start), high: high.map_or(f64::INFINITY, end) })
}

/// Returns the latency of the lower rank that encloses the percentile of `share`, if all I/Os are independent.
pub(super) fn low_end(times: &Times, share: f64) -> Option<f64> {
    let rank = rank_below(times.due(), share)?.min(times.latency.count());
    Some(Histogram::low_of(Histogram::index_of(times.latency.ranked_ns(rank))).max(times.latency.min_ns()) as f64)
}

/// Returns the latencies of all blocks together.
pub(super) fn merged(blocks: &[SlotLatencies]) -> SlotLatencies {
    let mut all = SlotLatencies::default();
    blocks.iter().for_each(|block| all.merge(block));
    all
}

/// Returns the mean of a block. `None` if it has no I/Os or no exact sum.
pub(super) fn mean_ns(block: &SlotLatencies) -> Option<f64> {
    (block.sum_ns > 0).then(|| block.sum_ns as f64 / block.histogram.total() as f64)
}

/// The I/Os below a percentile, by block.
struct Below {
    /// The share of I/Os below, and the interval of its long-term mean.
    share: f64,
    interval: Interval,
    /// Factor of the width of the interval.
    widening: f64,
    /// The share of all I/Os in the bin with the percentile.
    bin_share: f64,
}

impl Below {
    /// `share` can be above 1: then the percentile is that of I/Os that were never submitted.
    fn of(blocks: &[SlotLatencies], share: f64) -> Option<Below> {
        let all = merged(blocks);
        let (total, share) = (all.histogram.total() as f64, share.min(1.0));
        let mut before = 0.0;
        let with_percentile = all.histogram.bins().find(|bin| {
            let is_reached = before + bin.count as f64 >= share * total;
            before += if is_reached { 0.0 } else { bin.count as f64 };
            is_reached
        })?;
        // The I/Os of the bin are assumed to be evenly distributed in it.
        let part = (share * total - before) / with_percentile.count as f64;
        let of_block = |block: &SlotLatencies| {
            let below = block.histogram.bins().take_while(|bin| bin.index <= with_percentile.index);
            let each = below.map(|bin| bin.count as f64 * if bin.index < with_percentile.index { 1.0 } else { part });
            each.sum::<f64>()
        };
        let counts: Vec<f64> = blocks.iter().map(|block| block.histogram.total() as f64).collect();
        let interval =
            quotient_interval(&blocks.iter().map(of_block).collect::<Vec<_>>(), &counts, PERCENTILE_BLOCKS_MAX)?;
        let are_combined = blocks.len() > PERCENTILE_BLOCKS_MAX;
        let widening = if are_combined { 1.0 } else { 1.0 + PERCENTILE_WIDENING / blocks.len() as f64 };
        Some(Below { share, interval, widening, bin_share: with_percentile.count as f64 / total })
    }

    /// Returns the number of independent I/Os whose share below the percentile is as certain, at most `count`.
    fn independent(&self, count: f64) -> f64 {
        let half = (self.interval.high - self.share).max(self.share - self.interval.low) * self.widening / DEVIATIONS;
        let variance = self.share * (1.0 - self.share);
        if half > 0.0 { (variance / (half * half)).min(count) } else { count }
    }
}

#[cfg(test)]
mod tests {
    use record::Latency;

    use super::*;

    #[test]
    fn interval_of_a_percentile_in_a_full_bin_moves_with_the_level() {
        let (mut latency, mut blocks) = (Latency::default(), Vec::new());
        // Most I/Os have one latency. The others are slower in five blocks of ten.
        for nth in 0..40 {
            let mut block = SlotLatencies::default();
            for at in 0..100 {
                let ns = if at < 70 { 100_000 } else { 200_000 + nth / 5 % 2 * 800_000 };
                latency.record(ns);
                block.record(ns);
            }
            blocks.push(block);
        }
        let found = of_percentile(&Times { latency, unissued: 0 }, &blocks, 0.5).expect("enough blocks");
        let relative = relative_mean(&blocks).expect("enough blocks");
        assert!(relative.low < 0.95 && relative.high > 1.05, "{relative:?}");
        assert!(found.low <= 101_000.0 * relative.low && found.high >= 99_000.0 * relative.high, "{found:?}");
    }
}
