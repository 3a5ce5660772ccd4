//! The range of a figure with too few intervals for a confidence interval: it only decides figures far from a threshold.
//!
//! So few intervals can all have the same level, and then show no variation. The range therefore does not depend on their
//! variation alone: docs/confidence.md, "Short runs". `cargo bench -p fathom-judge --bench coverage` simulates its coverage.

use assessment::{FEW_INTERVALS_FACTOR as FACTOR, Statistic};
use record::SlotLatencies;

use super::latency_interval::{low_end, mean_ns, merged, ranks};
use super::times::Times;
use crate::inference::{Interval, mean};

/// Fewest intervals with a range.
pub const INTERVALS_MIN: usize = 3;

/// Returns the range of a rate.
pub fn of_rate(series: &[f64], measured: f64) -> Option<Interval> {
    range(series, mean(series), measured)
}

/// Returns the range of a latency. `None` for too few blocks, or too few I/Os beyond a percentile.
pub fn of_latency(times: &Times, blocks: &[SlotLatencies], statistic: Statistic) -> Option<Interval> {
    match statistic {
        Statistic::Max => None,
        Statistic::Mean => {
            let means: Vec<f64> = blocks.iter().filter_map(mean_ns).collect();
            range(&means, mean_ns(&merged(blocks))?, times.latency.mean_ns())
        }
        Statistic::Percentile(percent) => of_percentile(times, blocks, percent),
    }
}

/// The range includes the ranks that enclose the percentile of independent I/Os: between two groups of latencies, the
/// percentiles of all blocks can lie in the same group. With too few I/Os beyond the percentile, the upper end is open: the
/// range can only show that a latency is too high.
fn of_percentile(times: &Times, blocks: &[SlotLatencies], percent: f64) -> Option<Interval> {
    let low_only = || Some(Interval { low: low_end(times, percent / 100.0)?, high: f64::INFINITY });
    let ranked = ranks(times, percent / 100.0, times.due() as f64).or_else(low_only)?;
    let ranked = Interval { low: ranked.low / FACTOR, high: ranked.high * FACTOR };
    let Some(measured) = times.latency.percentile_of_due_ns(times.unissued, percent) else { return Some(ranked) };
    let of = |block: &SlotLatencies| block.histogram.percentile(percent).map(|ns| ns as f64);
    let each: Vec<f64> = blocks.iter().filter_map(of).collect();
    let found = range(&each, of(&merged(blocks))?, measured as f64)?;
    Some(Interval { low: found.low.min(ranked.low), high: found.high.max(ranked.high) })
}

/// Returns the range from the lowest interval, divided by the factor, to the highest, multiplied by it. `middle` is the
/// figure of these intervals together.
fn range(intervals: &[f64], middle: f64, measured: f64) -> Option<Interval> {
    if intervals.len() < INTERVALS_MIN || middle <= 0.0 {
        return None;
    }
    let (low, high) = intervals.iter().fold((middle, middle), |(low, high), value| (value.min(low), value.max(high)));
    Some(Interval { low: low / middle * measured / FACTOR, high: high / middle * measured * FACTOR })
}
