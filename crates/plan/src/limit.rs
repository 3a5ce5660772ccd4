//! Start, end and rate of a worker, and its behaviour after errors.

use crate::ddir::{Ddir, PerDdir};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Wait before the start, in ns: drawn from this range.
    pub start_delay_ns: (u64, u64),
    /// Measured time; 0 is no limit.
    pub runtime_ns: u64,
    /// Time of I/O after the measured time. It is not counted.
    pub cool_down_ns: u64,
    /// Repeats the passes until the time is over (`time_based`).
    pub time_based: bool,
    /// Time before measurement begins.
    pub ramp_ns: u64,
    /// Bytes before measurement begins.
    pub ramp_bytes: u64,
    /// Passes over the targets.
    pub loops: u32,
    /// I/Os after the ramp, over all passes, after which the worker ends; 0 is no limit.
    pub number_ios: u64,
    /// The workers that end when this worker ends.
    pub exit_all: ExitAll,
    /// The workers that end when this worker fails.
    pub exit_all_on_error: ExitAll,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExitAll {
    #[default]
    #[serde(rename = "nobody")]
    None,
    Group,
    Phase,
    #[serde(rename = "everybody")]
    All,
}

/// Rate limits; 0 is no limit.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    pub bytes_per_s: PerDdir<u64>,
    pub ios_per_s: PerDdir<u64>,
    /// Minimum rate. The worker ends with an error if it is not met.
    pub min_bytes_per_s: PerDdir<u64>,
    pub min_ios_per_s: PerDdir<u64>,
    /// Window over which the minimum rate is measured.
    pub cycle_ms: u64,
    /// Intended starts form a Poisson process instead of constant intervals.
    pub poisson: bool,
    /// Think time does not count against the rate.
    pub ignore_think_time: bool,
}

impl Rate {
    pub fn is_limited(&self) -> bool {
        self.bytes_per_s.0.iter().chain(&self.ios_per_s.0).any(|&rate| rate > 0)
    }

    pub fn limits(&self, ddir: Ddir) -> bool {
        self.bytes_per_s[ddir] > 0 || self.ios_per_s[ddir] > 0
    }

    pub fn has_minimum(&self) -> bool {
        self.min_bytes_per_s.0.iter().chain(&self.min_ios_per_s.0).any(|&rate| rate > 0)
    }
}

/// Flow control: the jobs of a flow do I/Os in proportion to their weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Flow {
    /// Jobs with the same number share a flow.
    pub id: u32,
    /// Share of the I/Os, as a part of the sum of the weights.
    pub weight: u32,
    /// Pause of a job that is ahead of the others; 0 is short.
    pub sleep_us: u64,
}

/// Pauses between I/Os.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ThinkTime {
    /// The whole pause; 0 is none.
    pub pause_us: u64,
    /// The part of the pause in which the thread spins.
    pub spin_us: u64,
    /// I/Os between pauses.
    pub blocks: u64,
    /// Counts I/Os as they are issued, not as they complete.
    pub count_issued: bool,
    /// Time of I/O between pauses, as an alternative to `blocks`; 0 is none.
    pub io_time_us: u64,
    /// Steps of an empty loop after each I/O; 0 is none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cycles_per_io: u32,
}

fn is_none(cycles: &u32) -> bool {
    *cycles == 0
}

impl ThinkTime {
    pub fn pauses(&self) -> bool {
        self.pause_us > 0 || self.spin_us > 0
    }
}

/// The search for the largest queue depth whose latency is below a target.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LatencyTarget {
    pub target_ns: u64,
    pub window_ns: u64,
    pub percentile: f64,
    /// Continues with the depth that was found until the end of the job (`latency_run`).
    pub keep_running: bool,
}

/// Behaviour after failed I/Os.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ErrorPolicy {
    pub continue_on_read: bool,
    pub continue_on_write: bool,
    pub continue_on_verify: bool,
    /// The errors of reads, of writes (trims and syncs among them) and of verification that may be gone on after, as
    /// errno values. Where none is listed these are EIO and EILSEQ.
    pub survivable_errno: [Vec<i32>; 3],
    /// Prints each error that does not end the job.
    pub dump: bool,
    /// Maximum latency of an I/O. The worker ends if it is exceeded. 0 is no limit.
    pub max_latency_ns: PerDdir<u64>,
}
