//! Settings of files and threads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::EnumString;

/// By the values of fio's `clocksource`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    /// The CPU's time-stamp counter (TSC).
    #[default]
    Cpu,
    /// `clock_gettime(CLOCK_MONOTONIC)`.
    Monotonic,
    /// `gettimeofday`: the wall clock in µs. The system can set it during a run.
    Gettimeofday,
}

/// NUMA memory policies, by the values of fio's `numa_mem_policy`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NumaMemory {
    Default,
    Local,
    /// Prefer this node while it has free memory.
    Prefer(u32),
    Bind(Vec<u32>),
    Interleave(Vec<u32>),
}

/// How long written data lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum WriteHint {
    /// The kernel's numbers.
    None = 1,
    Short = 2,
    Medium = 3,
    Long = 4,
    Extreme = 5,
}
