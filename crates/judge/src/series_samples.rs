//! The steps, intervals and tests of many series (`tests/samples/series.txt`). After a change of a method, the file
//! shows the results that differ.

use std::path::Path;

use harness::series;
use serde_json::{Value, json};

use crate::change_points::steps;
use crate::inference::{self, Interval};
use crate::stats;

/// Digits of a figure that are compared. Rounding errors change later digits only.
const DIGITS: usize = 5;

fn rounded(value: f64) -> Value {
    json!(format!("{value:.*e}", DIGITS - 1))
}

fn both(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |Interval { low, high }| json!([rounded(low), rounded(high)]))
}

/// Returns the result of each method for the series, or for its halves.
fn outcome(line: &str) -> (Option<Value>, Vec<String>) {
    let values = series::values(line);
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
