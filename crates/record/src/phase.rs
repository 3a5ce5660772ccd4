//! Phases as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunError;

/// The measured time of a phase, and the CPU time in it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRecord {
    /// Unix time of the start of the measured time, in ms. 0 if the phase ended before.
    pub measured_from_unix_ms: u64,
    /// Length of the measured time.
    pub measured_ns: u64,
    pub cpus: Vec<CpuUse>,
    /// Times in which fathom itself did not run, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interruptions: Vec<Interruption>,
    /// The error of the first worker that failed.
    pub error: Option<RunError>,
}

/// The time of one CPU over the measured time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    pub cpu: u32,
    pub user_ns: u64,
    pub kernel_ns: u64,
    pub idle_ns: u64,
}

/// A time in which the process did not run, for another reason than a busy CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Interruption {
    /// Start, after the start of the phase's measured time.
    pub from_ns: u64,
    pub length_ns: u64,
    pub cause: InterruptionCause,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterruptionCause {
    /// The process or the virtual machine was stopped.
    Stopped,
    /// The system was suspended. The monotonic clock does not count this time.
    Suspended,
}
