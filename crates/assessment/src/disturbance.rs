//! Evidence, other than the figures, that a test was disturbed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Metric;

/// Evidence that other programs or the hypervisor disturbed a test. It does not depend on the figures of the test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Disturbance {
    /// What disturbed the test, each once.
    pub causes: Vec<DisturbanceCause>,
    /// Share of the time for which the threads waited for a CPU, if that is a cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_wait_share: Option<f64>,
    /// Number of whole intervals of the runs.
    pub intervals: u64,
    /// Number of those with such evidence, and of their neighbours.
    pub disturbed_intervals: u64,
    /// The figures of the test, if they are those of the other intervals. Empty if too few intervals are undisturbed, or if the
    /// evidence does not explain the others.
    pub figures: Vec<UndisturbedFigure>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisturbanceCause {
    /// The device counted I/O of other programs.
    OtherLoad,
    /// The threads waited for a CPU.
    CpuWait,
    /// The hypervisor gave CPU time of this machine to others.
    StolenTime,
    /// fathom itself did not run.
    Interrupted,
}

/// A figure without the disturbed intervals.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndisturbedFigure {
    pub metric: Metric,
    /// The figure of the undisturbed intervals, in the metric's unit.
    pub undisturbed: f64,
    /// The figure of the whole run.
    pub whole_run: f64,
}
