//! Something about a measurement that its figures don't show.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
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
