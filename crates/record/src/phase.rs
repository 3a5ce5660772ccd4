//! Phases as a whole.

use serde::{Deserialize, Serialize};

use crate::RunError;

/// The measured time of a phase, and the CPU time in it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Unix time of the start of the measured time, in ms. 0 if the phase ended before.
    pub measured_from_unix_ms: u64,
    /// Length of the measured time.
    pub measured_ns: u64,
    pub cpus: Vec<CpuUse>,
    /// The error of the first worker that failed.
    #[serde(alias = "failed")]
    pub error: Option<RunError>,
}

/// The time of one CPU over the measured time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CpuUse {
    pub cpu: u32,
    pub user_ns: u64,
    pub kernel_ns: u64,
    pub idle_ns: u64,
}
