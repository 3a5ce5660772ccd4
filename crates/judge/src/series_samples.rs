//! The steps, intervals and tests of many series (`tests/samples/series.txt`). After a change of a method, the file
//! shows the results that differ.

use std::path::Path;

use harness::{samples, series};
use serde_json::{Value, json};

use crate::change_points::steps;
use crate::inference::{self, Interval};
use crate::stats;

fn ends(found: Option<Interval>) -> Value {
    found.map_or(Value::Null, |Interval { low, high }| json!([low, high]))
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
    let steps: Vec<Value> = steps.map(|step| json!([step.at, step.when, step.before, step.after])).collect();
    let outcome = json!({
        "difference": difference.map(|found| json!([found.share, ends(Some(found.interval))])),
        "evened": inference::evened(&values).len(),
        "middle_mean": stats::middle_mean(&values),
        "neighbours": stats::neighbour_correlation(&values),
        "mean": ends(inference::mean_interval(&values)),
        "p_of_halves": compared.map(|found| (found.u, found.p)),
        "p_of_trend": inference::trend(&values),
        "quotient": ends(inference::quotient_interval(&values, &weights, 16)),
        "slope": ends(inference::slope_interval(&values)),
        "slope_of_pairs": stats::slope(&values),
        "steps": steps,
        "trend": stats::trend(&values),
    });
    (Some(samples::rounded(outcome)), Vec::new())
}

#[test]
fn series_have_the_steps_and_intervals_that_they_had_before() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/series.txt");
    samples::check(&file, "", &[], outcome);
}
