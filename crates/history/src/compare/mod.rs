//! Whether two runs differ, or two sets of repeats: test by test and figure by figure, with how sure that is.
//!
//! Repeats say more than one run: they show how much a run differs from the next. Of single runs there are only the
//! intervals in them.

mod bound;
pub(crate) mod side;

use assessment::Metric;
use judge::inference::{difference, mann_whitney, mean};
use judge::verdict::Figure;
use serde::Serialize;

use crate::Document;
pub use bound::Bound;
use side::{Case, cases};

/// A difference is shown where chance alone has less than this part of cases as far apart.
const CHANCE: f64 = 0.05;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    pub lines: Vec<Line>,
    /// What is in one side only, and jobs that differ.
    pub notes: Vec<String>,
}

/// One figure of one test, on both sides.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Line {
    pub test: String,
    pub metric: String,
    /// `IOPS`, `B/s`, `ns`.
    pub unit: String,
    /// The middle one of the repeats.
    pub first: f64,
    pub second: f64,
    /// As a part of the first: 0.05 is 5 % more.
    pub difference: f64,
    /// Where the difference lies with 95 % confidence, by the intervals.
    pub interval: Option<(f64, f64)>,
    /// The chance of a difference as large where there is none, by the repeats.
    pub p: Option<f64>,
    pub by: By,
    pub shown: bool,
    #[serde(skip)]
    pub kind: Metric,
}

/// What tells how sure a difference is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Mann and Whitney's test over the figures of the repeats.
    Repeats,
    /// A bootstrap over the intervals of the runs.
    Intervals,
    /// Nothing: there are too few of both.
    Nothing,
}

/// Compares two sets of runs; figures that a bound is of are among the lines.
pub fn compare(first: &[Document], second: &[Document], bounds: &[Bound]) -> Comparison {
    let (first, second) = (cases(first), cases(second));
    let mut comparison = Comparison { lines: Vec::new(), notes: Vec::new() };
    for case in &first {
        let Some(other) = second.iter().find(|other| other.name == case.name) else {
            comparison.notes.push(format!("{} is only in A", case.name));
            continue;
        };
        if case.job != other.job {
            comparison.notes.push(format!("{}: the jobs differ, and so may the figures for that alone", case.name));
        }
        for metric in case.metrics(bounds) {
            comparison.lines.extend(line(case, other, metric));
        }
    }
    let only = second.iter().filter(|case| first.iter().all(|other| other.name != case.name));
    comparison.notes.extend(only.map(|case| format!("{} is only in B", case.name)));
    comparison
}

/// `None` where a side has no such figure.
fn line(first: &Case, second: &Case, metric: Metric) -> Option<Line> {
    let (one, other) = (first.figures(metric), second.figures(metric));
    let (a, b) = (middle(&one)?, middle(&other)?);
    let share = (b - a) / a;
    if !share.is_finite() {
        return None;
    }
    let line = Line {
        test: first.name.clone(),
        metric: metric.to_string(),
        unit: metric.unit().to_owned(),
        first: a,
        second: b,
        difference: share,
        interval: None,
        p: None,
        by: By::Nothing,
        shown: false,
        kind: metric,
    };
    if least_chance(one.len(), other.len()) <= CHANCE {
        let values = |figures: &[Figure]| figures.iter().map(|figure| figure.measured).collect::<Vec<f64>>();
        let p = mann_whitney(&values(&one), &values(&other))?.p;
        return Some(Line { p: Some(p), by: By::Repeats, shown: p <= CHANCE && share != 0.0, ..line });
    }
    let (one, other) = (first.series(metric), second.series(metric));
    let Some(found) = difference(&one, &other) else { return Some(line) };
    // The series is of whole intervals only: its mean is near the figure, not the figure.
    let moved = (1.0 + share) / (1.0 + found.share);
    let around = |bound: f64| if moved.is_finite() { (1.0 + bound) * moved - 1.0 } else { bound };
    let interval = (around(found.interval.low), around(found.interval.high));
    let shown = interval.0 > 0.0 || interval.1 < 0.0;
    let certain = mean(&one) != 0.0;
    Some(Line { interval: Some(interval), by: By::Intervals, shown: shown && certain, ..line })
}

/// The middle one; of two in the middle their mean.
fn middle(figures: &[Figure]) -> Option<f64> {
    let mut values: Vec<f64> = figures.iter().map(|figure| figure.measured).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

/// The least chance that so many repeats of each can show: all of one side above all of the other.
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
