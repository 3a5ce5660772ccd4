//! Differences between two sets of runs, and between the repeats of one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Metric;

/// Two sets of runs, figure by figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    pub lines: Vec<ComparedFigure>,
    pub notes: Vec<ComparisonNote>,
    /// Changes of `--fail-on` that are shown.
    #[serde(default)]
    pub failed: Vec<BrokenLimit>,
}

/// Limits of what a comparison shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonNote {
    /// The test is only in the first set.
    OnlyInFirst(String),
    OnlyInSecond(String),
    /// The jobs of the test differ.
    JobsDiffer(String),
}

/// One figure of one test, in both sets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFigure {
    pub test: String,
    pub metric: Metric,
    /// `IOPS`, `B/s`, `ns`.
    pub unit: String,
    /// Median of the repeats.
    pub first: f64,
    pub second: f64,
    /// Share of the first: 0.05 is 5 % more.
    pub difference: f64,
    /// 95 % confidence interval of the difference, by the intervals of the runs.
    pub interval: Option<(f64, f64)>,
    /// Probability of so large a difference by chance, by the repeats.
    pub p: Option<f64>,
    pub by: By,
    /// The data show a difference.
    pub shown: bool,
}

/// What shows how certain a difference is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Mann and Whitney's test over the figures of the repeats.
    Repeats,
    /// A bootstrap over the intervals of the runs.
    Intervals,
    /// There are too few repeats and intervals.
    Nothing,
}

/// A change beyond a limit of `--fail-on`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BrokenLimit {
    /// The limit as typed.
    pub limit: String,
    pub test: String,
    pub difference: f64,
}

/// One figure of one test over its repeats.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedFigure {
    pub test: String,
    pub metric: Metric,
    /// `IOPS`, `B/s`, `ns`.
    pub unit: String,
    /// In the order of the runs.
    pub values: Vec<Option<f64>>,
    pub median: f64,
    pub least: f64,
    pub most: f64,
    /// From least to most as a share of the median; `None` for one run.
    pub spread: Option<f64>,
    /// Indexes of repeats that lie far from the others.
    pub outliers: Vec<usize>,
    pub drift: Option<Drift>,
}

/// A rise or fall from the first repeat to the last.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// Share of the median.
    pub change: f64,
    /// Probability of so even an order by chance (Mann and Kendall's test).
    pub p: f64,
}
