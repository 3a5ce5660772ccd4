//! Errors in the requests of studies, and in saved studies.

use units::markup::one_line;

use crate::turns::RUNS_MAX;

/// Why a study cannot be created or replayed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum StudyError {
    /// A sweep without axes.
    #[error("nothing to vary")]
    NothingToVary,
    /// Two axes vary the same option.
    #[error("`{}` is varied twice", one_line(.0))]
    VariedTwice(String),
    /// More than [`RUNS_MAX`] runs.
    #[error("more than {RUNS_MAX} runs")]
    TooManyRuns,
    /// A saved study has an unknown order of runs.
    #[error("`{}` is not an order of runs", one_line(.0))]
    UnknownOrder(String),
    /// A saved search has a round with unknown settings.
    #[error("a step of this search has unknown settings")]
    UnknownLoad,
    /// A saved sweep has more rounds than its request.
    #[error("this sweep has more repeats than its request")]
    TooManyRounds,
    /// A saved search judges a number that is not a percentile.
    #[error("{0} is not a percentile")]
    NotAPercentile(f64),
    /// The saved runs of a workload are of different command lines.
    #[error("the runs are of different command lines")]
    SeveralLines,
}
