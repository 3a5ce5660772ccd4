//! Ranks that enclose a percentile of independent values.

use super::TAIL;

/// Weights below this share of the largest are ignored.
const WEIGHT_MIN: f64 = 1e-16;

/// Returns the ranks of `count` values between which the quantile of `share` lies with a probability of at least 95 %.
/// The smallest value has rank 1. `None` if no value lies on one of the sides with that certainty.
///
/// The number of values below the quantile has a binomial distribution. The ends are the largest rank with at most 2.5 %
/// below it, and the smallest with at most 2.5 % above it (Conover, Practical Nonparametric Statistics, 3.2).
pub fn enclosing_ranks(count: u64, share: f64) -> Option<(u64, u64)> {
    let (lowest, highest) = counts_below(count, share)?;
    (lowest >= 1 && highest < count).then_some((lowest, highest + 1))
}

/// Returns the lower of [`enclosing_ranks`]. It exists even if no value lies above the quantile with that certainty.
pub fn rank_below(count: u64, share: f64) -> Option<u64> {
    counts_below(count, share).map(|(lowest, _)| lowest).filter(|lowest| *lowest >= 1)
}

/// Returns the least and the greatest number of values that lie below the quantile of `share`, with a probability of at
/// most 2.5 % outside on each side.
fn counts_below(count: u64, share: f64) -> Option<(u64, u64)> {
    if count == 0 || !(share > 0.0 && share < 1.0) {
        return None;
    }
    // Weights relative to that of the most likely number, from there down and up.
    let odds = share / (1.0 - share);
    let mode = (((count + 1) as f64 * share) as u64).min(count);
    let down = weights((1..=mode).rev().map(|below| below as f64 / ((count - below + 1) as f64 * odds)));
    let up = weights((mode..count).map(|below| (count - below) as f64 / (below + 1) as f64 * odds));
    let total = 1.0 + down.iter().sum::<f64>() + up.iter().sum::<f64>();
    // The numbers outside the tails: from the ends inwards while the sum stays within the tail.
    let outside = |weights: &[f64]| {
        let mut sum = 0.0;
        weights
            .iter()
            .rev()
            .take_while(|weight| {
                sum += **weight;
                sum <= TAIL * total
            })
            .count() as u64
    };
    Some((mode - down.len() as u64 + outside(&down), mode + up.len() as u64 - outside(&up)))
}

/// Returns the products of the ratios, until they are negligible.
fn weights(ratios: impl Iterator<Item = f64>) -> Vec<f64> {
    let running = ratios.scan(1.0, |weight, ratio| {
        *weight *= ratio;
        Some(*weight)
    });
    running.take_while(|weight| *weight > WEIGHT_MIN).collect()
}
