//! The runs of a comparison.

use assessment::Assessment;
use record::Record;

/// Name of the test of a single run.
pub const SINGLE: &str = "run";

/// A saved run of a set.
#[derive(Clone, Copy, Debug)]
pub enum Run<'a> {
    Assessment(&'a Assessment),
    Record(&'a Record),
}

/// A run of the history.
#[derive(Clone, Copy, Debug)]
pub struct SavedRun<'a> {
    /// Number in the history.
    pub id: i64,
    pub run: Run<'a>,
}
