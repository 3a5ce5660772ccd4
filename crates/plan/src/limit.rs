//! When a worker starts and ends, how fast it may go, and what it does about errors.

use crate::ddir::{Ddir, PerDdir};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Wait before the start, in ns: drawn from this range.
    pub start_delay_ns: (u64, u64),
    /// Measured time; 0 is no limit.
    pub runtime_ns: u64,
    /// Time of I/O after the measured time. It is not counted.
    pub cool_down_ns: u64,
    /// Go on after the pass until the time is over.
    pub time_based: bool,
    /// Time before measurement begins.
    pub ramp_ns: u64,
    /// Bytes before measurement begins.
    pub ramp_bytes: u64,
    /// Passes over the targets.
    pub loops: u32,
    /// I/Os after the ramp, over all passes, after which the worker ends; 0 is no limit.
    pub number_ios: u64,
    /// When this worker ends, these end too.
    pub exit_all: ExitAll,
    /// When this worker fails, these end too.
    pub exit_all_on_error: ExitAll,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
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

/// Speed limits; 0 is none.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Rate {
    pub bytes_per_s: PerDdir<u64>,
    pub ios_per_s: PerDdir<u64>,
    /// Below this the worker ends with an error.
    pub min_bytes_per_s: PerDdir<u64>,
    pub min_ios_per_s: PerDdir<u64>,
    /// Window over which the minimum is judged.
    pub cycle_ms: u64,
    /// I/Os arrive at random (exponential gaps), not evenly.
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

/// Pauses between I/Os.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ThinkTime {
    /// The whole pause; 0 is none.
    pub pause_us: u64,
    /// The part of it spent burning CPU.
    pub spin_us: u64,
    /// I/Os between pauses.
    pub blocks: u64,
    /// Counts I/Os as they are issued, not as they complete.
    pub count_issued: bool,
    /// Time of I/O between pauses, as an alternative to `blocks`; 0 is none.
    pub io_time_us: u64,
}

impl ThinkTime {
    pub fn pauses(&self) -> bool {
        self.pause_us > 0 || self.spin_us > 0
    }
}

/// Look for the queue depth that keeps latency below a target.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LatencyTarget {
    pub target_ns: u64,
    pub window_ns: u64,
    pub percentile: f64,
    /// Go on at the depth found, until the job ends by itself.
    pub keep_running: bool,
}

/// What is done about I/Os that fail.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ErrorPolicy {
    pub continue_on_read: bool,
    pub continue_on_write: bool,
    pub continue_on_verify: bool,
    /// The errors of reads, of writes (trims and syncs among them) and of verification that may be gone on after, as
    /// errno values. Where none is listed these are EIO and EILSEQ.
    pub survivable_errno: [Vec<i32>; 3],
    /// Print each error that is ignored or survived.
    pub dump: bool,
    /// A single I/O that takes longer ends the worker; 0 is no limit.
    pub max_latency_ns: PerDdir<u64>,
}
