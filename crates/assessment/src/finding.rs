//! Something about a measurement that its figures don't show.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a finding takes from the figures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know; the figures stand.
    Info,
    /// The figures are right, but may not be of what was meant.
    Warning,
    /// The figures are not of the disk, or not of the job that was asked for.
    Invalid,
}

impl Severity {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Invalid => "invalid",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Its name for programs, in lower case with `-`: the same for every finding of the kind.
    pub id: String,
    pub severity: Severity,
    /// What is wrong with the measurement.
    pub what: String,
    /// The figures that show it.
    pub evidence: String,
    /// What to do about it.
    pub advice: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}; {}", self.what, self.evidence, self.advice)
    }
}
