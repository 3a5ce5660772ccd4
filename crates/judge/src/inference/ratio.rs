//! Intervals of quotients: of sums over blocks, and of two measured figures.

use super::{Interval, mean, mean_interval, relative_mean_interval};

/// The relative difference of two figures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// As a share of the first: 0.05 is 5 % more.
    pub share: f64,
    pub interval: Interval,
}

/// Returns the interval of the sum of `values` over the sum of `weights`; `None` for too few blocks, or without weights.
///
/// The distance of each block from the quotient is a series with the mean 0 (linearised ratio estimator: Cochran,
/// Sampling Techniques, 6.3). Blocks with few I/Os therefore count for little.
///
/// More than `blocks_max` blocks are combined in pairs: their own noise hides the correlation of the state behind them.
pub fn quotient_interval(values: &[f64], weights: &[f64], blocks_max: usize) -> Option<Interval> {
    if values.len() > blocks_max {
        let in_pairs = |values: &[f64]| values.chunks(2).map(|pair| pair.iter().sum()).collect::<Vec<f64>>();
        return quotient_interval(&in_pairs(values), &in_pairs(weights), blocks_max);
    }
    let (quotient, weight) = (mean(values) / mean(weights), mean(weights));
    let distance = |(value, own): (&f64, &f64)| quotient + (value - quotient * own) / weight;
    mean_interval(&values.iter().zip(weights).map(distance).collect::<Vec<_>>())
}

/// Returns the relative difference of the means of two series; `None` for too few values, or if the first mean is 0.
pub fn difference(first: &[f64], second: &[f64]) -> Option<Difference> {
    let of = |series: &[f64]| Some((mean(series), relative_mean_interval(series, series)?.times(mean(series))));
    difference_of_figures(of(first)?, of(second)?)
}

/// Returns the relative difference of two figures, from the interval of each; `None` if the first is 0.
///
/// The interval combines the distances of the ends on a logarithmic scale (Zou and Donner, Statistics in Medicine 27,
/// 2008). An end at or below 0 leaves the quotient without a bound on that side.
pub fn difference_of_figures(first: (f64, Interval), second: (f64, Interval)) -> Option<Difference> {
    let ((a, of_a), (b, of_b)) = (first, second);
    let quotient = b / a;
    if !quotient.is_finite() || a <= 0.0 || b < 0.0 {
        return None;
    }
    let log = |one: f64, other: f64| if one <= 0.0 || other <= 0.0 { f64::INFINITY } else { (one / other).ln() };
    let down = log(b, of_b.low).hypot(log(of_a.high, a));
    let up = log(of_b.high, b).hypot(log(a, of_a.low));
    let interval = Interval { low: quotient * (-down).exp() - 1.0, high: quotient * up.exp() - 1.0 };
    Some(Difference { share: quotient - 1.0, interval })
}
