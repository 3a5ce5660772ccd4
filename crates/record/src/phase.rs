//! What a phase was as a whole.

use serde::{Deserialize, Serialize};

/// How long a phase was measured and what its processors did meanwhile.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Unix time of the start of the measured part, in ms; 0 where it never came to that.
    pub measured_from_unix_ms: u64,
    pub measured_ns: u64,
    pub cpus: Vec<CpuUse>,
    /// What the first worker to fail failed with.
    pub failed: Option<String>,
}

/// What one processor did over the measured part, in ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CpuUse {
    pub cpu: u32,
    pub user_ns: u64,
    pub kernel_ns: u64,
    pub idle_ns: u64,
}
