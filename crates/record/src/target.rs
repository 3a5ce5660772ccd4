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
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SpreadRange {
    pub from: u64,
    pub to: u64,
    pub io_percent: f64,
    /// The percentage is what was asked for, not rescaled to a smaller target.
    pub as_asked: bool,
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
