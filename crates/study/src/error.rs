//! Errors in the requests of studies, and in saved studies.

use std::fmt;

use units::markup::one_line;

use crate::turns::RUNS_MAX;

/// Why a study cannot be created or replayed.
#[derive(Clone, PartialEq, Debug)]
pub enum StudyError {
    /// A sweep without axes.
    NothingToVary,
    /// Two axes vary the same option.
    VariedTwice(String),
    /// More than [`RUNS_MAX`] runs.
    TooManyRuns,
    /// A saved study has an unknown order of runs.
    UnknownOrder(String),
    /// A saved search has a round with unknown settings.
    UnknownLoad,
    /// A saved sweep has more rounds than its request.
    TooManyRounds,
    /// A saved search judges a number that is not a percentile.
    NotAPercentile(f64),
    /// The saved runs of a workload are of different command lines.
    SeveralLines,
}

impl fmt::Display for StudyError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::NothingToVary => to.write_str("nothing to vary"),
            StudyError::VariedTwice(option) => write!(to, "`{}` is varied twice", one_line(option)),
            StudyError::TooManyRuns => write!(to, "more than {RUNS_MAX} runs"),
            StudyError::UnknownOrder(order) => write!(to, "`{}` is not an order of runs", one_line(order)),
            StudyError::UnknownLoad => to.write_str("a step of this search has unknown settings"),
            StudyError::TooManyRounds => to.write_str("this sweep has more repeats than its request"),
            StudyError::NotAPercentile(percent) => write!(to, "{percent} is not a percentile"),
            StudyError::SeveralLines => to.write_str("the runs are of different command lines"),
        }
    }
}

impl std::error::Error for StudyError {}
