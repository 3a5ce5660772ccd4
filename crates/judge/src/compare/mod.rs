//! Differences between two sets of runs, with the statistical certainty of each figure.
//!
//! Repeats show the variation from run to run. Single runs show only the variation between the
//! intervals of a run.

mod change_limit;
mod repeats;
mod side;

use assessment::{Assessment, BrokenLimit, By, ComparedFigure, Comparison, ComparisonNote, Metric};
use record::Record;

use crate::inference::{difference, mann_whitney, mean};
use crate::stats;
use crate::verdict::Figure;
pub use change_limit::{ChangeLimit, UnreadableLimit};
pub use repeats::repeated;
use side::{Case, cases};

/// Name of the test of a single run.
pub const SINGLE: &str = "run";

/// A saved run of a set.
#[derive(Clone, Copy, Debug)]
pub enum Run<'a> {
    Assessment(&'a Assessment),
    Record(&'a Record),
}

/// A limit of `--fail-on` for a figure that the sets do not share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotMeasured {
    /// The limit as typed.
    pub limit: String,
}

/// Largest p of a difference that is shown.
const CHANCE: f64 = 0.05;

/// Compares two sets of runs. Figures of the limits are among the lines.
pub fn compare(first: &[Run], second: &[Run], limits: &[ChangeLimit]) -> Comparison {
    let (first, second) = (cases(first), cases(second));
    let mut comparison = Comparison { lines: Vec::new(), notes: Vec::new(), failed: Vec::new() };
    for case in &first {
        let Some(other) = second.iter().find(|other| other.name == case.name) else {
            comparison.notes.push(ComparisonNote::OnlyInFirst(case.name.clone()));
            continue;
        };
        if case.job != other.job {
            comparison.notes.push(ComparisonNote::JobsDiffer(case.name.clone()));
        }
        for metric in case.metrics(limits) {
            comparison.lines.extend(line(case, other, metric));
        }
    }
    let only = second.iter().filter(|case| first.iter().all(|other| other.name != case.name));
    comparison.notes.extend(only.map(|case| ComparisonNote::OnlyInSecond(case.name.clone())));
    comparison
}

/// Returns the limits that a comparison breaks.
///
/// # Errors
///
/// No line has the figure of a limit: a misspelt limit would never fail.
pub fn broken(comparison: &Comparison, limits: &[ChangeLimit]) -> Result<Vec<BrokenLimit>, NotMeasured> {
    let mut failed = Vec::new();
    for limit in limits {
        let lines = || comparison.lines.iter().filter(|line| line.metric == limit.metric);
        if lines().next().is_none() {
            return Err(NotMeasured { limit: limit.text.clone() });
        }
        failed.extend(lines().filter(|line| limit.is_broken_by(line)).map(|line| BrokenLimit {
            limit: limit.text.clone(),
            test: line.test.clone(),
            difference: line.difference,
        }));
    }
    Ok(failed)
}

/// `None` if a set lacks the figure.
fn line(first: &Case, second: &Case, metric: Metric) -> Option<ComparedFigure> {
    let (one, other) = (first.figures(metric), second.figures(metric));
    let (a, b) = (middle(&one)?, middle(&other)?);
    let share = (b - a) / a;
    if !share.is_finite() {
        return None;
    }
    let line = ComparedFigure {
        test: first.name.clone(),
        metric,
        unit: metric.unit().to_owned(),
        first: a,
        second: b,
        difference: share,
        interval: None,
        p: None,
        by: By::Nothing,
        shown: false,
    };
    if least_chance(one.len(), other.len()) <= CHANCE {
        let values = |figures: &[Figure]| figures.iter().map(|figure| figure.measured).collect::<Vec<f64>>();
        let p = mann_whitney(&values(&one), &values(&other))?.p;
        return Some(ComparedFigure { p: Some(p), by: By::Repeats, shown: p <= CHANCE && share != 0.0, ..line });
    }
    let (one, other) = (first.series(metric), second.series(metric));
    let Some(found) = difference(&one, &other) else { return Some(line) };
    // The series has whole intervals only: its mean is near the figure, but it is not the figure.
    let moved = (1.0 + share) / (1.0 + found.share);
    let around = |bound: f64| if moved.is_finite() { (1.0 + bound) * moved - 1.0 } else { bound };
    let interval = (around(found.interval.low), around(found.interval.high));
    let shown = interval.0 > 0.0 || interval.1 < 0.0;
    let certain = mean(&one) != 0.0;
    // Documents hold no infinite number.
    let interval = Some(interval).filter(|(low, high)| low.is_finite() && high.is_finite());
    Some(ComparedFigure { interval, by: By::Intervals, shown: shown && certain, ..line })
}

/// Returns the median; `None` without a figure.
fn middle(figures: &[Figure]) -> Option<f64> {
    let values: Vec<f64> = figures.iter().map(|figure| figure.measured).collect();
    (!values.is_empty()).then(|| stats::median(&values))
}

/// Returns the smallest p that repeats of these numbers can reach: all of one set above all of the other.
fn least_chance(first: usize, second: usize) -> f64 {
    let orders: f64 = (1..=first).map(|at| (second + at) as f64 / at as f64).product();
    2.0 / orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_repeats_of_each_are_the_fewest_that_can_show_something() {
        assert!((least_chance(3, 3) - 0.1).abs() < 1e-12);
        assert!(least_chance(4, 4) <= CHANCE && least_chance(3, 4) > CHANCE && least_chance(1, 30) > CHANCE);
    }
}
