//! Differences between sets of runs, and between the repeats of one.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Cause, Metric};

/// Sets of runs, figure by figure. Each set is compared with the first.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// One line per figure and set that is compared with the first.
    pub lines: Vec<ComparedFigure>,
    /// Limits of what the comparison shows.
    pub notes: Vec<ComparisonNote>,
    /// Number of lines with a p. The false discovery rate is controlled over them.
    pub tested: usize,
    /// Confidence of the intervals of these lines: 0.95 or more.
    pub confidence: f64,
    /// Changes of `--fail-on` that are shown.
    pub failed: Vec<LimitedChange>,
    /// Changes of `--fail-on` that cannot be decided.
    pub undecided: Vec<LimitedChange>,
    /// Tests with INVALID runs. Their figures are not compared.
    pub invalid: Vec<InvalidRuns>,
}

/// Runs of a test whose figures are not those of the target.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InvalidRuns {
    pub test: String,
    /// Index of the set: 0 is A.
    pub side: usize,
    /// Number of INVALID runs.
    pub runs: usize,
    /// Cause of the first of them.
    pub cause: Cause,
}

impl InvalidRuns {
    /// Whether the comparison of the first set with another has these runs of a test.
    pub fn is_in(&self, test: &str, side: usize) -> bool {
        self.test == test && (self.side == 0 || self.side == side)
    }
}

/// Fewest I/Os of a direction that are compared. With fewer, the 95 % interval of the ratio of two numbers of I/Os,
/// exp(±1.96 √(2 / n)), is wider than a factor of [`INTERVAL_FACTOR_MAX`], and a median latency has no interval.
pub const COMPARED_IOS_MIN: u64 = 6;

/// Limits of what a comparison shows. `side` is an index; 0 is the first set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonNote {
    /// The test is in the first set or in a later one, but not in this one.
    Missing {
        /// Name of the test.
        test: String,
        /// Index of the set: 0 is A.
        side: usize,
    },
    /// The jobs of the test differ from those of the first set.
    JobsDiffer {
        /// Name of the test.
        test: String,
        /// Index of the set: 1 is B.
        side: usize,
    },
    /// The runs of a set differ in their load, length, size or target: their figures are not pooled.
    NotRepeats {
        /// Name of the test.
        test: String,
        /// Index of the set: 0 is A.
        side: usize,
    },
    /// Most runs of a set were disturbed by other load or interruptions: a limit that they exceed is undecided, unless the other set
    /// was disturbed too.
    Disturbed {
        /// Name of the test.
        test: String,
        /// Index of the set: 0 is A.
        side: usize,
    },
    /// Each run has fewer than 6 I/Os of a direction, and less than 1 % of its bytes: their figures are not compared.
    FewIos {
        /// Name of the test.
        test: String,
        direction: Ddir,
    },
}

/// A wider interval of a ratio or of a mean states nothing: it is left out.
pub const INTERVAL_FACTOR_MAX: f64 = 10.0;

/// One figure of one test, in the first set and in another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFigure {
    pub test: String,
    pub metric: Metric,
    /// `IOPS`, `B/s`, `ns`.
    pub unit: String,
    /// Index of the other set: 1 is B.
    pub side: usize,
    /// Mean over the runs of the first set.
    pub first: f64,
    /// Mean over the runs of the other set.
    pub second: f64,
    /// Number of runs of both sets.
    pub runs: (usize, usize),
    /// The second mean over the first.
    pub ratio: f64,
    /// Confidence interval of the ratio; `None` without one, or if it is wider than a factor of [`INTERVAL_FACTOR_MAX`] (10).
    pub interval: Option<(f64, f64)>,
    /// Probability of so large a difference between runs of one distribution; `None` if the run-to-run variation is unknown.
    pub p: Option<f64>,
    /// The change that comparisons of this kind show in 80 % of cases, as a share of the first mean. `None` if the run-to-run
    /// variation is unknown, or the interval is too wide.
    pub detectable: Option<f64>,
    /// Standard deviation from run to run, as a share of the mean; `None` if it is unknown.
    pub variation: Option<f64>,
    pub by: By,
    /// Runs of the history that the run-to-run variation is computed from.
    pub history: Vec<i64>,
    /// The data show a difference.
    pub shown: bool,
}

impl ComparedFigure {
    /// Returns the difference as a share of the first mean: 0.05 is 5 % more.
    pub fn difference(&self) -> f64 {
        self.ratio - 1.0
    }

    /// Whether the figures vary too much to state a difference and its size.
    pub fn is_too_uncertain(&self) -> bool {
        matches!(self.by, By::Repeats | By::History | By::Intervals) && self.interval.is_none()
    }
}

/// Source of the variation that a difference is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The repeats of the sets.
    Repeats,
    /// Repeats of the same job on the same target in the history.
    History,
    /// The intervals of the runs. The run-to-run variation is unknown.
    Intervals,
    /// There are too few repeats and intervals.
    Nothing,
    /// A run is INVALID. Nothing is compared.
    Invalid,
    /// The runs of a set are not repeats of one job. Nothing is compared.
    NotRepeats,
}

/// A change, compared with a limit of `--fail-on`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LimitedChange {
    /// The limit as typed.
    pub limit: String,
    pub test: String,
    /// Index of the set: 1 is B.
    pub side: usize,
    /// Share of the first mean: 0.05 is 5 % more.
    pub difference: f64,
    /// Why the limit cannot be decided; `None` if it is exceeded.
    pub undecided: Option<Undecided>,
}

/// Why a limit of `--fail-on` cannot be decided.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Undecided {
    /// The run-to-run variation is unknown.
    VariationUnknown,
    /// The runs of a set are not repeats of one job.
    NotRepeats,
    /// Most runs of the slower set were disturbed, and those of the other set were not.
    Disturbed {
        /// Index of the set: 0 is A.
        side: usize,
    },
    /// The runs cannot show a change of the limit's size.
    NotDetectable {
        /// The detectable change, as a share of the first mean; `None` if the figures vary too much for a number.
        detectable: Option<f64>,
        /// Runs per set that show a change of the limit's size in 80 % of cases; `None` if more than 1,000 are needed.
        repeats: Option<usize>,
    },
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
    /// Mean, in `unit`.
    pub mean: f64,
    /// 95 % confidence interval of the mean; `None` for one run.
    pub interval: Option<(f64, f64)>,
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
