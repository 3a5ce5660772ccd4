//! Published limits that measured figures are like.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Citation, LoadPattern, Metric};

/// A figure, and the published disk class that it is like.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClassMatch {
    pub test: String,
    pub pattern: LoadPattern,
    pub metric: Metric,
    /// In the metric's unit.
    pub measured: f64,
    pub provider: String,
    /// The name of the class, such as `P40`.
    pub class: String,
    /// The limit is provisioned by the user, in steps.
    pub is_provisioned: bool,
    /// The limit of the class at the block size of the test, in the metric's unit.
    pub limit: f64,
    /// The class as an expectation: `azure:P40`.
    pub expectation: String,
    pub source: Citation,
    /// Other programs disturbed the test: the disk may be faster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_disturbed: bool,
}
