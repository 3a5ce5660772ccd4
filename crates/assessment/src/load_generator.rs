//! The CPU cost of a run's I/O, and whether the load generator limited the figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

tagged! { LoadGeneratorEvidence }

/// The threads of one group as a load generator.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoadGenerator {
    /// CPU time of the threads per completed I/O, in user mode and in the kernel.
    pub user_ns_per_io: f64,
    pub system_ns_per_io: f64,
    /// Mean over the threads, of one CPU's time.
    pub on_cpu_percent: f64,
    /// Time ready to run without a CPU; `None` if the kernel does not report it.
    pub cpu_wait_percent: Option<f64>,
    pub limit: LoadGeneratorLimit,
    pub reason: LimitReason,
    /// Threads that the reason holds for, of all threads that completed I/O.
    pub threads: u64,
    pub of_threads: u64,
    /// Means over the threads that the reason holds for.
    pub shares: TimeShares,
}

/// What shows that the load generator, not the target, limited a run of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum LoadGeneratorEvidence {
    /// Its CPU time was used up.
    Cpu(LoadGenerator),
    /// I/Os were submitted late although the queue had room: these alone make the judged percentile.
    LateWithRoom { late: u64, due: u64, late_after_ms: u64 },
}

/// Whether the load generator was slower than the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadGeneratorLimit {
    Limit,
    NotLimit,
    Unknown,
}

/// What decides whether a thread was the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitReason {
    /// The run was too short for CPU times.
    TooShort,
    /// Other threads submit or do the I/O.
    OtherThreads,
    /// The job spins on purpose.
    Spins,
    /// The I/O is copying from and to mapped memory.
    MemoryCopies,
    /// The thread waited for the target, or for its rate.
    Slept,
    /// The requested rate was met.
    RateMet,
    /// The CPU did the I/O itself.
    IoOnCpu,
    /// The thread was ready and had no CPU.
    WaitedForCpu,
    /// The thread spent its time in user mode.
    OwnTime,
    /// Completions were there before the thread waited for them.
    NeverSlept,
}

/// Shares of the measured time, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TimeShares {
    pub user: f64,
    pub system: f64,
    /// Ready to run without a CPU; `None` if the kernel does not report it.
    pub cpu_wait: Option<f64>,
}

impl LoadGenerator {
    pub fn cpu_ns_per_io(&self) -> f64 {
        self.user_ns_per_io + self.system_ns_per_io
    }

    /// Returns the CPU time per I/O in user mode and in the kernel. `None` for a short run: the kernel divides the time
    /// between both by its tick.
    pub fn modes_ns_per_io(&self) -> Option<[f64; 2]> {
        (self.reason != LimitReason::TooShort).then_some([self.user_ns_per_io, self.system_ns_per_io])
    }
}

impl TimeShares {
    pub fn on_cpu(&self) -> f64 {
        self.user + self.system
    }

    pub fn slept(&self) -> f64 {
        (1.0 - self.on_cpu() - self.cpu_wait.unwrap_or(0.0)).max(0.0)
    }
}
