//! Steady states of rounds: SNIA's rule, and one for disks that other machines share.
//!
//! The value of a round is any metric of any direction. Reads and writes are judged separately.

use assessment::{Metric, Steady, SteadyRule, SteadyState};

use crate::inference::{line, mean, relative_mean_interval, slope_interval};
use crate::stats::median;

/// The most rounds of a test.
pub const ROUNDS_MAX: usize = 25;

/// A round farther from the median than this many standard deviations counts as if it lay at that distance.
const OUTLIER_DEVIATIONS: f64 = 3.0;
/// Turns the median distance from the median into the deviation of normally distributed values.
const MEDIAN_TO_DEVIATION: f64 = 1.4826;
/// A distance below this share of the median makes no outlier.
const NOISE_MIN: f64 = 0.01;

/// Looks for a steady state of all metrics in the same rounds, given their values in all rounds so far. Returns a metric
/// that is not steady, else the first one; `None` without metrics.
pub fn look(rule: SteadyRule, metrics: &[(Metric, Vec<f64>)]) -> Option<Steady> {
    let (from_round, mut states) = window(rule, metrics);
    let decides = states.iter().position(|found| !found.is_steady).unwrap_or(0);
    let (metric, values) = metrics.get(decides)?;
    let state = states.swap_remove(decides).state;
    Some(Steady { at: None, rule, metric: *metric, values: values.clone(), from_round, state })
}

/// What the rule found in some rounds of a metric.
struct Found {
    is_steady: bool,
    state: SteadyState,
}

/// Returns the first round of the steady state, counted from 0, and what the rule found for each metric. SNIA: the first
/// window in which all metrics are steady, as measuring stops there. Cloud: the longest such row that ends with the last
/// round, as earlier rounds may be before the steady state.
fn window(rule: SteadyRule, metrics: &[(Metric, Vec<f64>)]) -> (Option<usize>, Vec<Found>) {
    let rounds = metrics.iter().map(|(_, values)| values.len()).min().unwrap_or(0);
    // A round without I/O is part of no steady state.
    let is_idle = |value: &f64| !value.is_finite() || *value <= 0.0;
    let idle = metrics.iter().filter_map(|(_, values)| values.iter().rposition(is_idle)).max();
    let first = idle.map_or(0, |at| at + 1);
    let too_few = |_| Found {
        is_steady: false,
        state: SteadyState::TooFewRounds {
            rounds: (rounds - first) as u64,
            needed: rule.rounds() as u64,
            idle_round: (first > 0).then_some(first as u64),
        },
    };
    let mut last: Vec<Found> = metrics.iter().map(too_few).collect();
    for from in first..(rounds + 1).saturating_sub(rule.rounds()) {
        let look = |(_, values): &(Metric, Vec<f64>)| match rule {
            SteadyRule::Snia => snia(&values[from..from + SteadyRule::SNIA_ROUNDS], from),
            SteadyRule::Cloud => row(&values[from..], from),
        };
        last = metrics.iter().map(look).collect();
        if last.iter().all(|found| found.is_steady) {
            return (Some(from), last);
        }
    }
    (None, last)
}

/// Judges a window of rounds that begins with round `from` (counted from 0).
fn snia(window: &[f64], from: usize) -> Found {
    let mean = mean(window);
    let least = window.iter().copied().fold(f64::INFINITY, f64::min);
    let most = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range_share = (most - least) / mean;
    let slope_share = line(window).map_or(0.0, |line| (line.end - line.start).abs() / mean);
    let (first, last) = (from as u64 + 1, (from + SteadyRule::SNIA_ROUNDS) as u64);
    Found {
        is_steady: range_share <= SteadyRule::SNIA_RANGE && slope_share <= SteadyRule::SNIA_SLOPE,
        state: SteadyState::Window { first, last, range_share, slope_share },
    }
}

/// Judges the sequence of rounds from round `from` (counted from 0) to the last.
fn row(values: &[f64], from: usize) -> Found {
    let state = row_state(values, from);
    Found { is_steady: matches!(state, SteadyState::Row { .. }), state }
}

fn row_state(values: &[f64], from: usize) -> SteadyState {
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
    let Some(interval) = relative_mean_interval(&clamped, &clamped) else {
        return SteadyState::TooFewRounds {
            rounds: values.len() as u64,
            needed: SteadyRule::CLOUD_ROUNDS as u64,
            idle_round: None,
        };
    };
    let precision_share = (interval.high - interval.low) / 2.0;
    if change_share.abs() > SteadyRule::CLOUD_DRIFT && !may_be_noise {
        return SteadyState::Drifts { first, change_share };
    }
    if precision_share > SteadyRule::CLOUD_PRECISION {
        return SteadyState::Varies { first, precision_share };
    }
    let last = (from + values.len()) as u64;
    SteadyState::Row { first, last, change_share: change_share.abs(), precision_share, outliers }
}
