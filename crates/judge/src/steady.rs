//! Steady states of rounds: SNIA's rule, and one for disks that other machines share.
//!
//! The value of a round is any metric of any direction. Reads and writes are judged separately.

use assessment::{Metric, Steady, SteadyRule, SteadyState};

use crate::inference::{line, mean, mean_interval, slope_interval};
use crate::stats::median;

/// The most rounds of a test.
pub const ROUNDS_MAX: usize = 25;

/// A round farther from the median than this many standard deviations counts as if it lay at that distance.
const OUTLIER_DEVIATIONS: f64 = 3.0;
/// Turns the median distance from the median into the deviation of normally distributed values.
const MEDIAN_TO_DEVIATION: f64 = 1.4826;
/// A distance below this share of the median makes no outlier.
const NOISE_MIN: f64 = 0.01;

/// Whether another round can help: the state is not steady, and there may be more rounds.
pub fn needs_more(rule: SteadyRule, values: &[f64]) -> bool {
    values.len() < ROUNDS_MAX && window(rule, values).0.is_none()
}

/// Looks for a steady state in the values of all rounds so far.
pub fn look(rule: SteadyRule, metric: Metric, values: &[f64]) -> Steady {
    let (from_round, state) = window(rule, values);
    Steady { rule, metric, values: values.to_vec(), from_round, state }
}

/// Returns the first steady round, counted from 0, and what the rule found.
fn window(rule: SteadyRule, values: &[f64]) -> (Option<usize>, SteadyState) {
    // A round without I/O is part of no steady state.
    let first = values.iter().rposition(|value| !value.is_finite() || *value <= 0.0).map_or(0, |at| at + 1);
    let too_few = SteadyState::TooFewRounds {
        rounds: (values.len() - first) as u64,
        needed: rule.rounds() as u64,
        idle_round: (first > 0).then_some(first as u64),
    };
    match rule {
        SteadyRule::Snia => snia(values, first, too_few),
        SteadyRule::Cloud => cloud(values, first, too_few),
    }
}

/// Returns the first steady window: measuring stops there.
fn snia(values: &[f64], first: usize, too_few: SteadyState) -> (Option<usize>, SteadyState) {
    let mut last = too_few;
    for (from, window) in (first..).zip(values[first..].windows(SteadyRule::SNIA_ROUNDS)) {
        let mean = mean(window);
        let least = window.iter().copied().fold(f64::INFINITY, f64::min);
        let most = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range_share = (most - least) / mean;
        let slope_share = line(window).map_or(0.0, |line| (line.end - line.start).abs() / mean);
        let (first, end) = (from as u64 + 1, (from + SteadyRule::SNIA_ROUNDS) as u64);
        let state = SteadyState::Window { first, last: end, range_share, slope_share };
        if range_share <= SteadyRule::SNIA_RANGE && slope_share <= SteadyRule::SNIA_SLOPE {
            return (Some(from), state);
        }
        last = state;
    }
    (None, last)
}

/// Returns the longest steady sequence that ends with the last round. Earlier rounds may be before the steady state.
fn cloud(values: &[f64], first: usize, too_few: SteadyState) -> (Option<usize>, SteadyState) {
    let mut last = too_few;
    for from in first..(values.len() + 1).saturating_sub(SteadyRule::CLOUD_ROUNDS) {
        last = row(&values[from..], from);
        if matches!(last, SteadyState::Row { .. }) {
            return (Some(from), last);
        }
    }
    (None, last)
}

/// Judges the sequence of rounds from round `from` (counted from 0) to the last.
fn row(values: &[f64], from: usize) -> SteadyState {
    let first = from as u64 + 1;
    let middle = median(values);
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let far = OUTLIER_DEVIATIONS * (MEDIAN_TO_DEVIATION * median(&distances)).max(NOISE_MIN * middle);
    let outliers = distances.iter().filter(|distance| **distance > far).count() as u64;
    // A stall lies between steady rounds; a first round far off lies before the steady state.
    if distances.first().is_some_and(|distance| *distance > far) {
        return SteadyState::StartsFarOff { first };
    }
    let clamped: Vec<f64> = values.iter().map(|value| value.clamp(middle - far, middle + far)).collect();
    let change_share = line(&clamped).map_or(0.0, |line| (line.end - line.start) / middle);
    let may_be_noise = slope_interval(&clamped).is_none_or(|slope| slope.low <= 0.0 && slope.high >= 0.0);
    let Some(interval) = mean_interval(&clamped) else {
        return SteadyState::TooFewRounds {
            rounds: values.len() as u64,
            needed: SteadyRule::CLOUD_ROUNDS as u64,
            idle_round: None,
        };
    };
    let precision_share = (interval.high - interval.low) / 2.0 / middle;
    if change_share.abs() > SteadyRule::CLOUD_DRIFT && !may_be_noise {
        return SteadyState::Drifts { first, change_share };
    }
    if precision_share > SteadyRule::CLOUD_PRECISION {
        return SteadyState::Varies { first, precision_share };
    }
    let last = (from + values.len()) as u64;
    SteadyState::Row { first, last, change_share: change_share.abs(), precision_share, outliers }
}
