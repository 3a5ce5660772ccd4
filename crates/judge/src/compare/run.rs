//! The runs of a comparison.

use assessment::{Assessment, Failure};
use record::Record;

/// Name of the test of a single run.
pub const SINGLE: &str = "run";

/// A saved run of a set.
#[derive(Clone, Copy, Debug)]
pub enum Run<'a> {
    Assessment(&'a Assessment),
    Record(&'a Record),
}

impl Run<'_> {
    /// Whether the run was not stopped and has no error.
    pub fn is_whole(self) -> bool {
        match self {
            Run::Record(record) => !record.stopped && Failure::of_figures(record).is_none(),
            Run::Assessment(assessment) => !assessment.stopped,
        }
    }
}

/// A run of the history.
#[derive(Clone, Copy, Debug)]
pub struct SavedRun<'a> {
    /// Number in the history.
    pub id: i64,
    pub run: Run<'a>,
}
