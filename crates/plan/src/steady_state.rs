//! Steady state: a job ends when its rate or latency no longer changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The criterion of a steady state. Jobs that report together reach it together.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SteadyStateCriterion {
    pub metric: SteadyMetric,
    /// What must be below the limit.
    pub measure: SteadyMeasure,
    /// In percent of the mean, or in I/Os per second, bytes per second or ns. A slope is per interval.
    pub limit: f64,
    /// The limit is in percent of the mean.
    pub is_percent: bool,
    /// Number of the last intervals that the criterion is computed over.
    pub intervals: u32,
    /// Length of an interval.
    pub interval_s: u64,
    /// Time before the first interval, from the start of the measured time.
    pub ramp_s: u64,
}

impl SteadyStateCriterion {
    /// Returns the time that the criterion is computed over.
    pub fn duration_s(&self) -> u64 {
        u64::from(self.intervals) * self.interval_s
    }
}

/// The figure of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyMetric {
    Iops,
    Bandwidth,
    /// The mean completion latency.
    Latency,
}

/// What is computed from the figures of the intervals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SteadyMeasure {
    /// The largest difference to the mean.
    MaxDeviation,
    /// The slope of the regression line.
    Slope,
}
