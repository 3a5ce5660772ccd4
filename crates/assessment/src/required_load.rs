//! The load that a requirement is about, and requirements that no test measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The pattern of a load, with fio's names.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr, EnumString, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum LoadPattern {
    Read,
    Write,
    Rw,
    RandRead,
    RandWrite,
    RandRw,
}

impl LoadPattern {
    pub const ALL: &'static [LoadPattern] = LoadPattern::VARIANTS;

    /// Returns the pattern with these properties; `None` without reads and writes.
    pub fn of(reads: bool, writes: bool, random: bool) -> Option<LoadPattern> {
        Some(match (reads, writes, random) {
            (true, false, false) => LoadPattern::Read,
            (false, true, false) => LoadPattern::Write,
            (true, true, false) => LoadPattern::Rw,
            (true, false, true) => LoadPattern::RandRead,
            (false, true, true) => LoadPattern::RandWrite,
            (true, true, true) => LoadPattern::RandRw,
            (false, false, _) => return None,
        })
    }

    /// Returns fio's name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn is_random(self) -> bool {
        matches!(self, LoadPattern::RandRead | LoadPattern::RandWrite | LoadPattern::RandRw)
    }
}

/// A range with both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoadRange {
    pub least: u64,
    /// `None`: no upper end.
    pub most: Option<u64>,
}

impl LoadRange {
    pub fn includes(self, value: u64) -> bool {
        value >= self.least && self.most.is_none_or(|most| value <= most)
    }
}

/// The load that a requirement is about. Empty and absent values allow any load.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RequiredLoad {
    pub patterns: Vec<LoadPattern>,
    /// In bytes.
    pub blocks: Vec<LoadRange>,
    /// I/Os in flight, of all jobs together.
    pub depth: Option<LoadRange>,
    /// Requested I/Os per second of all jobs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<LoadRange>,
    /// The shortest measured time.
    pub duration_ns: Option<u64>,
    /// Each write is durable before the next write of its job.
    pub synced: bool,
}

/// A requirement that no test measured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Unmeasured {
    /// The text of the rule.
    pub rule: String,
    /// The application that has the rule, as in `--for`.
    pub application: Option<String>,
    pub load: RequiredLoad,
    /// The suite and the test that measure it.
    pub measured_by: Option<MeasuredBy>,
}

/// A test of a built-in suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredBy {
    pub suite: String,
    pub test: String,
}
