//! What a worker did to one of its targets.

use crate::{DdirStats, Moments};
use plan::Ddir;
use serde::{Deserialize, Serialize};

/// Room is made for so many intervals beforehand; more are added as time goes on.
const INTERVALS_AHEAD_MAX: u64 = 1 << 16;

/// What is known of a target before a phase on it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TargetFacts {
    pub path: String,
    pub phase: u32,
    /// Of a regular file that is there.
    pub size_bytes: Option<u64>,
    /// It is a block device.
    pub is_device: bool,
    /// Bytes of the part that one of fio's jobs reads that had never been written, where that can be told.
    pub unwritten_bytes: Option<u64>,
    /// Names of the devices under it; none of what is in memory or on another machine.
    pub disks: Vec<String>,
    /// Its file system keeps all in memory.
    #[serde(default)]
    pub in_memory: bool,
    /// Those of the devices under it that lie on a file, which they read through the page cache.
    #[serde(default)]
    pub cached_disks: Vec<String>,
}

/// Counts for one target of one worker.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TargetStats {
    pub path: String,
    pub size_bytes: u64,
    /// Bytes of the part in use that had never been written when the worker was set up, where that can be told.
    pub unwritten_bytes: Option<u64>,
    pub ddirs: [DdirStats; 3],
    /// What happened in each interval since measuring began, where it was asked for.
    pub series: Option<Series>,
    /// How the I/O was really spread over the target; empty is evenly.
    pub spread: Vec<SpreadRange>,
}

/// A share of the I/O on a range of the target, in bytes from the start of the part that is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SpreadRange {
    /// As it was asked for. Where the target was too small for all that was asked, the percentages of what is left add
    /// up to less than 100, and the I/O was shared out in their proportion.
    pub io_percent: u32,
    pub from: u64,
    pub to: u64,
}

/// Counts and latencies by interval of completion.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    pub interval_ms: u32,
    pub intervals: Vec<Interval>,
}

impl Series {
    pub fn new(interval_ms: u32, duration_ms: u64) -> Self {
        let expected = duration_ms.div_ceil(u64::from(interval_ms.max(1))).min(INTERVALS_AHEAD_MAX);
        Series { interval_ms, intervals: Vec::with_capacity(expected as usize) }
    }

    /// Counts an I/O that was done so long after measuring began.
    pub fn record(&mut self, since_ns: u64, ddir: Ddir, latency_ns: u64) {
        let at = (since_ns / (u64::from(self.interval_ms) * 1_000_000)) as usize;
        if at >= self.intervals.len() {
            self.intervals.resize_with(at + 1, Interval::default);
        }
        self.intervals[at].latency_ns[ddir as usize].record(latency_ns as f64);
    }

    pub fn clear(&mut self) {
        self.intervals.clear();
    }
}

/// One interval; indexed by direction. Latencies in ns.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Interval {
    pub latency_ns: [Moments; 3],
}
