//! What a worker did to one of its targets.

use crate::{DdirStats, Moments};

/// Counts for one target of one worker.
#[derive(Clone, Debug, Default)]
pub struct TargetStats {
    pub path: String,
    pub size_bytes: u64,
    pub ddirs: [DdirStats; 3],
    /// What happened in each interval since measuring began, where it was asked for.
    pub series: Option<Series>,
    /// How the I/O was really spread over the target; empty is evenly.
    pub spread: Vec<SpreadRange>,
}

/// A share of the I/O on a range of the target, in bytes from the start of the part that is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SpreadRange {
    /// As it was asked for. Where the target was too small for all that was asked, the percentages of what is left add
    /// up to less than 100, and the I/O was shared out in their proportion.
    pub io_percent: u32,
    pub from: u64,
    pub to: u64,
}

/// Counts and latencies by interval of completion.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    pub interval_ms: u32,
    pub intervals: Vec<Interval>,
}

/// One interval; indexed by direction. Latencies in ns.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Interval {
    pub latency_ns: [Moments; 3],
}
