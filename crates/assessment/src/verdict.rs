//! Verdicts, and figures that were judged.

use std::fmt;

use serde::{Deserialize, Serialize};

/// In the order in which the overall verdict takes the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// There are figures, and nothing was expected of them.
    Measured,
    Pass,
    /// The measurement doesn't decide it.
    Inconclusive,
    Fail,
    /// What was measured is not what was to be judged.
    Invalid,
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.pad(match self {
            Verdict::Measured => "MEASURED",
            Verdict::Pass => "PASS",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::Fail => "FAIL",
            Verdict::Invalid => "INVALID",
        })
    }
}

/// One figure held against what it should be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Judgement {
    pub verdict: Verdict,
    /// The figure, as a requirement names it: `read.iops`, `write.clat.p99`.
    pub metric: String,
    /// In `unit`.
    pub measured: f64,
    pub expected: Option<f64>,
    /// `IOPS`, `B/s`, `ns`.
    pub unit: String,
    /// Measured over expected.
    pub ratio: Option<f64>,
    /// Where the figure lies with 95 % confidence.
    pub interval: Option<(f64, f64)>,
    /// Why, in one sentence.
    pub cause: String,
}
