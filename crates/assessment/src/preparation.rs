//! Steps that prepare a target before its tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::tagged::tagged;
use crate::{Failure, SteadyState};

tagged! { PreparationReason PreparationDetail }

/// A step before the tests.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Preparation {
    pub step: PreparationStep,
    /// The target of the step, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub reason: PreparationReason,
    pub outcome: PreparationOutcome,
    pub detail: PreparationDetail,
    pub bytes: u64,
    pub took_ms: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum PreparationStep {
    /// Discards all blocks.
    Purge,
    /// Reads all blocks: a volume made from a snapshot fetches them on the first read.
    Initialise,
    /// Writes all blocks once.
    Fill,
    /// Writes at random places until the bandwidth is steady.
    Precondition,
    /// Reads until the cache holds what the tests read.
    Warm,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum PreparationReason {
    /// The user requested the step.
    Requested,
    /// These tests need the step; a knee search has no names.
    Needed { tests: Vec<String> },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreparationOutcome {
    Done,
    /// The target was in that state already.
    NotNeeded,
    /// The user excluded the step, or it is not possible.
    LeftOut,
    Failed,
}

/// What a step did, and what that showed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum PreparationDetail {
    /// All of the target was processed.
    Pass,
    /// Random writes in slices of `slice_s` seconds.
    Slices {
        slice_s: u64,
        state: SteadyState,
    },
    /// Passes of reads.
    Warm(WarmPasses),
    LeftOut(LeftOut),
    /// The step failed after `Preparation::bytes`.
    Failed(Failure),
}

/// Why a step was left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// `--no-prepare` was given.
    NotWanted,
    /// The target may hold data.
    NotOverwritable,
    /// A signal stopped the assessment before.
    Stopped,
}

/// Passes of reads that warm a cache.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WarmPasses {
    pub passes: u64,
    pub bytes_per_pass: u64,
    pub first: ReadRate,
    pub last: ReadRate,
    /// The last pass was no faster than the fastest before it.
    pub is_level: bool,
    /// The passes became faster.
    pub has_risen: bool,
    /// Bandwidth in the intervals of the last pass.
    pub last_pass: Option<IntervalRange>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReadRate {
    pub bytes_per_s: f64,
    pub p50_ns: f64,
}

/// The lowest and the highest of some intervals.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRange {
    pub intervals: u64,
    pub least_bytes_per_s: f64,
    pub most_bytes_per_s: f64,
}

impl PreparationStep {
    pub const ALL: &'static [PreparationStep] = PreparationStep::VARIANTS;

    /// Returns the name in documents and reports, such as `fill`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
