//! The steps, intervals and tests of many series (`tests/samples/series.txt`): a change of a method shows what it changes.
//!
//! A line lists levels with their lengths, the noise as a share of the level, the share of its noise that each value takes
//! from the one before, and the seed: `100x8 120x8 noise=0.02 keeps=0.5 seed=3`. `9..1x20` falls from 9 to 1.

use std::path::Path;

use serde_json::{Value, json};

use crate::change_points::steps;
use crate::inference::{self, Interval};
use crate::stats;

/// Digits of a figure that a rounding error does not change.
const DIGITS: usize = 5;

/// Normal noise with a standard deviation of 1 that depends only on the seed. `keeps` is the share of the value before
/// that each value keeps.
pub fn noise(seed: u64, n: usize, keeps: f64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut last = 0.0;
    let mut next = || {
        let fresh = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        last = last * keeps + fresh * (1.0 - keeps * keeps).sqrt();
        last
    };
    let _settled = (0..20).map(|_| next()).last();
    (0..n).map(|_| next()).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

/// Returns the values of `LEVELxLENGTH`, or of `FROM..TOxLENGTH`.
fn levels(word: &str) -> Vec<f64> {
    let (level, length) = word.split_once('x').unwrap_or_else(|| panic!("{word} has no length"));
    let (from, to) = level.split_once("..").unwrap_or((level, level));
    let (from, to, length) = (number(from), number(to), number(length));
    (0..length as usize).map(|at| from + (to - from) * at as f64 / (length - 1.0).max(1.0)).collect()
}

fn series(line: &str) -> Vec<f64> {
    let option = |name: &str| {
        let values = line.split(' ').filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        values.map(number).next().unwrap_or(0.0)
    };
    let words = line.split(' ').filter(|word| word.contains('x'));
    let level: Vec<f64> = words.flat_map(levels).collect();
    let noise = noise(option("seed") as u64, level.len(), option("keeps"));
    level.iter().zip(noise).map(|(level, noise)| level * (1.0 + noise * option("noise"))).collect()
}

fn rounded(value: f64) -> Value {
    json!(format!("{value:.*e}", DIGITS - 1))
}

fn both(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |Interval { low, high }| json!([rounded(low), rounded(high)]))
}

/// Returns what each method says of the series, and of its halves.
fn outcome(line: &str) -> (Option<Value>, Vec<String>) {
    let values = series(line);
    if values.is_empty() {
        return (None, Vec::new());
    }
    let (first, second) = values.split_at(values.len() / 2);
    let weights: Vec<f64> = (0..values.len()).map(|at| 1.0 + (at % 3) as f64).collect();
    let compared = inference::mann_whitney(first, second);
    let difference = inference::difference(first, second);
    let steps = steps(&values).into_iter();
    let steps: Vec<Value> =
        steps.map(|step| json!([step.at, rounded(step.when), rounded(step.before), rounded(step.after)])).collect();
    let outcome = json!({
        "difference": difference.map(|found| json!([rounded(found.share), both(Some(found.interval))])),
        "evened": inference::evened(&values).len(),
        "middle_mean": rounded(stats::middle_mean(&values)),
        "neighbours": rounded(stats::neighbour_correlation(&values)),
        "mean": both(inference::mean_interval(&values)),
        "p_of_halves": compared.map(|found| (rounded(found.u), rounded(found.p))),
        "p_of_trend": inference::trend(&values).map(rounded),
        "quotient": both(inference::quotient_interval(&values, &weights, 16)),
        "slope": both(inference::slope_interval(&values)),
        "slope_of_pairs": rounded(stats::slope(&values)),
        "steps": steps,
        "trend": rounded(stats::trend(&values)),
    });
    (Some(outcome), Vec::new())
}

#[test]
fn series_have_the_steps_and_intervals_that_they_had_before() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/series.txt");
    harness::samples::check(&file, "", &[], outcome);
}
