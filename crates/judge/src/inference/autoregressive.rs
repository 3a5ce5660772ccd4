//! Confidence intervals of the mean and of the slope of a series with correlated neighbours.
//!
//! The model is a line plus an error that is `φ` times the previous error plus independent noise. For one `φ`, estimates
//! have Student's distribution (Prais and Winsten, 1954). As few values determine `φ` badly, the distributions for all `φ`
//! are combined, with the probability of each `φ` given the values as weight (Zellner and Tiao, JASA 59, 1964). The
//! coverage is simulated by `cargo bench -p fathom-judge --bench coverage`: docs/coverage.md.

use std::f64::consts::PI;

use super::{Interval, TAIL, mean, student};
use crate::stats::neighbour_correlation;

/// Fewest values with an interval.
const VALUES_MIN: usize = 5;
/// A longer series is combined in pairs: then the model needs to be right only for the sums of a few neighbours.
const VALUES_MAX: usize = 64;
/// Neighbours with a lower correlation alternate.
const ALTERNATES: f64 = -0.3;
/// Number of values of `φ`. They are the sines of evenly spaced angles: dense near -1 and 1.
const CORRELATIONS: usize = 48;
/// The prior density of `φ` is (1 - φ²) to this power. By simulation, intervals of short series are too wide with -0.5
/// (the reference prior of Berger and Yang, 1994) and too narrow with 0.
const PRIOR: f64 = -0.25;
/// The 2.5 % quantile of any of Student's distributions is less than this number of scales from its centre.
const SCALES_MAX: f64 = 13.0;
/// Values of `φ` that are less probable than the most probable one by this factor's logarithm are ignored.
const LOG_WEIGHT_RANGE: f64 = 14.0;
/// Steps of the search for an end of an interval.
const BISECTIONS: usize = 34;

/// Returns the series with neighbours combined while they alternate. If a throttle's batches do not fit the intervals,
/// one interval has what the next lacks, and the mean is more certain than single intervals show.
pub fn evened(values: &[f64]) -> Vec<f64> {
    let mut series = values.to_vec();
    while series.len() >= 2 * VALUES_MIN && neighbour_correlation(&series) < ALTERNATES {
        series = in_pairs(&series);
    }
    series
}

/// Returns the interval of the mean, extended to the mean of the values; `None` for too few values. The model weights the values at
/// the ends differently, so its interval can exclude the mean of a short alternating series.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let Interval { low, high } = interval(&shortened(values)?, mean_given)?;
    let mean = mean(values);
    Some(Interval { low: low.min(mean), high: high.max(mean) })
}

/// Returns the interval of the slope per value; `None` for too few values.
pub fn slope_interval(values: &[f64]) -> Option<Interval> {
    let series = shortened(values)?;
    let combined = (values.len() / series.len()) as f64;
    let Interval { low, high } = interval(&series, slope_given)?;
    Some(Interval { low: low / combined, high: high / combined })
}

/// Returns a series of at most [`VALUES_MAX`] values that do not alternate.
fn shortened(values: &[f64]) -> Option<Vec<f64>> {
    let is_usable = values.len() >= VALUES_MIN && values.iter().all(|value| value.is_finite());
    let mut series = is_usable.then(|| evened(values))?;
    while series.len() > VALUES_MAX {
        series = in_pairs(&series);
    }
    Some(series)
}

fn in_pairs(values: &[f64]) -> Vec<f64> {
    values.chunks_exact(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect()
}

/// An estimate for one `φ`.
struct Estimate {
    centre: f64,
    scale: f64,
    freedom: f64,
    /// Logarithm of the probability of `φ`, without a constant.
    log_weight: f64,
}

fn interval(series: &[f64], given: fn(&[f64], f64) -> Estimate) -> Option<Interval> {
    let correlations = (0..CORRELATIONS).map(|at| (PI * ((at as f64 + 0.5) / CORRELATIONS as f64 - 0.5)).sin());
    let mut estimates: Vec<Estimate> = correlations.map(|correlation| given(series, correlation)).collect();
    let most = estimates.iter().map(|estimate| estimate.log_weight).fold(f64::NEG_INFINITY, f64::max);
    estimates.retain(|estimate| estimate.log_weight > most - LOG_WEIGHT_RANGE);
    let weights: Vec<f64> = estimates.iter().map(|estimate| (estimate.log_weight - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    let up_to = |value: f64| {
        let each = estimates.iter().zip(&weights).map(|(estimate, weight)| {
            // Without noise the estimate is exact.
            let distance = (value - estimate.centre) / estimate.scale.max(f64::MIN_POSITIVE);
            let beyond = student::two_sided(distance, estimate.freedom) / 2.0;
            weight * if distance < 0.0 { beyond } else { 1.0 - beyond }
        });
        each.sum::<f64>() / total
    };
    let ends = |sign: f64| estimates.iter().map(move |estimate| estimate.centre + sign * SCALES_MAX * estimate.scale);
    let range = (ends(-1.0).fold(f64::INFINITY, f64::min), ends(1.0).fold(f64::NEG_INFINITY, f64::max));
    let quantile = |share: f64| {
        let (mut low, mut high) = range;
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            if up_to(middle) < share { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    };
    let found = Interval { low: quantile(TAIL), high: quantile(1.0 - TAIL) };
    (found.low.is_finite() && found.high.is_finite()).then_some(found)
}

/// Estimates the mean for a `φ`.
fn mean_given(series: &[f64], correlation: f64) -> Estimate {
    let origin = mean(series);
    let ones = without_correlation(series.iter().map(|_| 1.0), correlation);
    let values = without_correlation(series.iter().map(|value| value - origin), correlation);
    let estimate = estimate(&ones, &values, correlation, product(&ones, &ones), 1);
    Estimate { centre: origin + estimate.centre, ..estimate }
}

/// Estimates the slope for a `φ`.
fn slope_given(series: &[f64], correlation: f64) -> Estimate {
    let (origin, middle) = (mean(series), (series.len() - 1) as f64 / 2.0);
    let ones = without_correlation(series.iter().map(|_| 1.0), correlation);
    let information = product(&ones, &ones);
    // Both without their parts along the intercept.
    let freed = |mut values: Vec<f64>| {
        let along = product(&values, &ones) / information;
        values.iter_mut().zip(&ones).for_each(|(value, one)| *value -= along * one);
        values
    };
    let times = freed(without_correlation((0..series.len()).map(|at| at as f64 - middle), correlation));
    let values = freed(without_correlation(series.iter().map(|value| value - origin), correlation));
    estimate(&times, &values, correlation, information * product(&times, &times), 2)
}

/// Regresses values on one regressor. `determinant` is that of the information on all `coefficients`.
fn estimate(regressor: &[f64], values: &[f64], correlation: f64, determinant: f64, coefficients: usize) -> Estimate {
    let information = product(regressor, regressor);
    let centre = product(regressor, values) / information;
    let squares: f64 = regressor.iter().zip(values).map(|(one, value)| (value - centre * one).powi(2)).sum();
    let freedom = (values.len() - coefficients) as f64;
    let log_prior = (PRIOR + 0.5) * (1.0 - correlation * correlation).ln();
    let log_likelihood = 0.5 * (1.0 - correlation * correlation).ln()
        - 0.5 * determinant.ln()
        - 0.5 * freedom * squares.max(f64::MIN_POSITIVE).ln();
    let scale = (squares / freedom / information).sqrt();
    Estimate { centre, scale, freedom, log_weight: log_prior + log_likelihood }
}

/// Returns the values with independent errors of equal size (the transformation of Prais and Winsten).
fn without_correlation(values: impl Iterator<Item = f64>, correlation: f64) -> Vec<f64> {
    let mut last = None;
    let one = |value: f64| match last.replace(value) {
        None => value * (1.0 - correlation * correlation).sqrt(),
        Some(last) => value - correlation * last,
    };
    values.map(one).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
