//! Targets: facts before a phase, and the counters of a worker by target.

use crate::{DdirStats, Moments};
use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

/// Limit of the intervals that are allocated in advance.
const INTERVALS_AHEAD_MAX: u64 = 1 << 16;

/// A target as it was before a phase.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    pub path: String,
    pub phase: u32,
    /// Size of a file or block device. `None` if there is none.
    pub size_bytes: Option<u64>,
    /// The target is a block device.
    pub is_device: bool,
    /// Bytes that were never written, of the part that a fio job reads. `None` if the file system doesn't report it.
    pub unwritten_bytes: Option<u64>,
    /// Names of the block devices under it. Empty for file systems in memory or on another machine.
    pub disks: Vec<String>,
    /// The file system or the device is in memory.
    #[serde(default)]
    pub in_memory: bool,
    /// Those of `disks` that are backed by a file and read it through the page cache.
    #[serde(default)]
    pub cached_disks: Vec<String>,
    /// The path without `.` and `..`, from the root. Empty in records of early versions.
    #[serde(default)]
    pub absolute_path: String,
    /// The facts that identify `disks`.
    #[serde(default)]
    pub identities: Vec<TargetDisk>,
    /// The mount of a file; `None` for a device.
    #[serde(default)]
    pub mount: Option<TargetMount>,
}

/// The facts that identify a block device. A value that the kernel does not report is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TargetDisk {
    pub name: UntrustedText,
    pub model: UntrustedText,
    pub serial: UntrustedText,
    pub size_bytes: u64,
}

/// The mount of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TargetMount {
    pub point: UntrustedText,
    pub source: UntrustedText,
    pub file_system: UntrustedText,
}

/// The counters of one target of one worker.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TargetStats {
    pub path: String,
    pub size_bytes: u64,
    /// Bytes of the used part that were never written when the worker was set up. `None` if the file system doesn't report
    /// it.
    pub unwritten_bytes: Option<u64>,
    pub ddirs: [DdirStats; 3],
    /// Latencies by interval. `None` unless the profile requests them.
    pub series: Option<Series>,
    /// The effective distribution of I/O over the target. Empty if it is even.
    pub distribution: Vec<DistributionRange>,
}

/// A percentage of the I/O on a range of the target. The range starts at the used part's first byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DistributionRange {
    /// The requested percentage. If the target is too small for all ranges, the rest adds up to less than 100 and the I/O
    /// is distributed in proportion.
    pub io_percent: u32,
    pub from_bytes: u64,
    pub to_bytes: u64,
}

/// Latencies by interval of completion.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    pub interval_ms: u32,
    pub intervals: Vec<Interval>,
}

impl Series {
    /// Makes a series for `duration_ms`. It grows if the run takes longer.
    pub fn new(interval_ms: u32, duration_ms: u64) -> Self {
        let expected = duration_ms.div_ceil(u64::from(interval_ms.max(1))).min(INTERVALS_AHEAD_MAX);
        Series { interval_ms, intervals: Vec::with_capacity(expected as usize) }
    }

    /// Counts an I/O that completed `since_ns` after the start of the measured time.
    #[expect(clippy::cast_possible_truncation, reason = "a series beyond the address space does not fit into memory")]
    pub fn record(&mut self, since_ns: u64, ddir: Ddir, latency_ns: u64) {
        let at = (since_ns / (u64::from(self.interval_ms) * 1_000_000)) as usize;
        if at >= self.intervals.len() {
            self.intervals.resize_with(at + 1, Interval::default);
        }
        self.intervals[at].latency_ns[ddir as usize].record(latency_ns as f64);
    }

    /// Removes all intervals.
    pub fn clear(&mut self) {
        self.intervals.clear();
    }
}

/// The latencies of one interval, by direction.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    pub latency_ns: [Moments; 3],
}
