//! What a capture shows of the load and of the device.

use schemars::JsonSchema;
use serde::Serialize;
use units::untrusted::UntrustedText;

use crate::bursts::Burstiness;
use crate::document::{End, Head};
use crate::latencies::Latencies;
use crate::lives::Changes;
use crate::owner::LeftOut;
use crate::regions::Regions;
use crate::slow::Slow;

const SCHEMA: &str = "fathom.capture/1";
/// Highest share of lost events of a capture that decides something.
const LOST_SHARE_MAX: f64 = 0.001;

/// The figures of a capture.
#[derive(Clone, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Figures {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// What was captured.
    pub capture: Head,
    /// Why the capture ended.
    pub end: End,
    /// Length of the capture.
    pub duration_ns: u64,
    /// True if at most 0.1 % of the events were lost, all trace entries were readable, no I/O was given up, and half of the I/Os completed.
    pub is_conclusive: bool,
    /// Completeness of the trace.
    pub losses: Losses,
    /// I/Os of the disk that are not in a capture of a process or control group. `null`: the capture has those of all programs.
    pub left_out: Option<LeftOut>,
    /// Reads. `null` without any.
    pub read: Option<Direction>,
    /// Writes. `null` without any.
    pub write: Option<Direction>,
    /// Discards. `null` without any.
    pub discard: Option<Direction>,
    /// Flushes of the device's cache. `null` without any.
    pub flush: Option<Flushes>,
    /// Commands of zones, and commands that programs pass through to the device.
    pub others: u64,
    /// I/Os that were not complete at the end. `null` if a trace has no completions.
    pub unfinished: Option<u64>,
    /// I/Os in flight. `null` if a trace has no completions.
    pub depth: Option<Depths>,
    /// Arrivals of all I/Os: reads, writes, discards, flushes and other commands.
    pub arrivals: Arrivals,
    /// Changes of I/Os between the program and the device.
    pub changes: Changes,
    /// The programs with the most I/Os. Empty without `--names`. I/Os of the page cache belong to threads of the kernel.
    pub programs: Vec<Program>,
    /// Length of the intervals of `over_time`.
    pub interval_ns: u64,
    /// Reads, writes, discards and flushes over time, at most 600 intervals.
    pub over_time: Vec<Interval>,
}

/// Completeness of the trace, and its own cost.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Losses {
    /// Events that were read.
    pub events: u64,
    /// Events that the kernel dropped: its buffer was full.
    pub lost_events: u64,
    /// Lost events of all events.
    pub lost_share: f64,
    /// Entries of the trace that are no events.
    pub unreadable: u64,
    /// CPU time of the thread that reads the trace.
    pub cpu_ns: u64,
}

impl Losses {
    /// Returns true if at most 0.1 % of the events were lost, and all trace entries were readable.
    pub fn is_conclusive(&self) -> bool {
        self.lost_share <= LOST_SHARE_MAX && self.unreadable == 0
    }
}

/// Figures of reads, writes or discards.
#[derive(Clone, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Direction {
    /// I/Os that started in the capture.
    pub ios: u64,
    /// Bytes of these I/Os.
    pub bytes: u64,
    /// Mean rate of I/Os.
    pub ios_per_s: f64,
    /// Mean bandwidth.
    pub bytes_per_s: f64,
    /// Most I/Os in one second.
    pub peak_ios_per_s: u64,
    /// How unevenly they arrive.
    pub burstiness: Burstiness,
    /// Mean size.
    pub mean_bytes: f64,
    /// The most frequent sizes, the most frequent first.
    pub sizes: Vec<SizeShare>,
    /// I/Os that begin where an I/O of one of the last 64 streams ended.
    pub sequential_share: f64,
    /// I/Os that a program waits for (`REQ_SYNC`).
    pub sync_share: f64,
    /// I/Os of metadata of a file system (`REQ_META`).
    pub metadata_share: f64,
    /// I/Os of read-ahead (`REQ_RAHEAD`).
    pub read_ahead_share: f64,
    /// I/Os with an error.
    pub failed: u64,
    /// Time in the device. Of a device without a queue, from submission to completion. `null` if no I/O completed.
    pub latency: Option<Latencies>,
    /// Time before the device. `null` of a device without a queue.
    pub waits: Option<Waits>,
    /// From submission to completion: the time before the device and in it. `null` if no I/O completed.
    pub whole: Option<Latencies>,
    /// The slowest 0.1 %. `null` if fewer than 1,000 I/Os completed.
    pub slow: Option<Slow>,
    /// Where the I/Os are. `null` if none has a size.
    pub regions: Option<Regions>,
}

/// A size and how often it occurs.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct SizeShare {
    /// Size of the I/Os.
    pub bytes: u64,
    /// I/Os with this size.
    pub ios_share: f64,
}

/// Time of I/Os between submission and device.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Waits {
    /// Mean time before the scheduler's queue: the block layer collects I/Os of a thread (plugging).
    pub before_queue_mean_ns: f64,
    /// Mean time in the queue of the scheduler.
    pub scheduler_mean_ns: f64,
    /// 99th percentile of both together.
    pub p99_ns: u64,
}

/// Flushes of the device's cache.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Flushes {
    /// Number of flushes. Several may share one of the device.
    pub flushes: u64,
    /// Rate of flushes.
    pub flushes_per_s: f64,
    /// From submission to completion. `null` if none completed.
    pub latency: Option<Latencies>,
    /// Writes that the device stores before it completes them (FUA).
    pub forced_writes: u64,
}

/// I/Os in flight, the new one included, at the starts of I/Os.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Depths {
    /// Mean over time.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Maximum.
    pub max: u64,
}

/// How I/Os arrive.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Arrivals {
    /// Mean rate of I/Os.
    pub ios_per_s: f64,
    /// Most I/Os in one second.
    pub peak_ios_per_s: u64,
    /// How unevenly they arrive.
    pub burstiness: Burstiness,
}

/// I/Os of a program.
#[derive(Clone, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Program {
    /// Name of the program or thread.
    pub name: UntrustedText,
    /// I/Os that it submitted.
    pub ios: u64,
    /// Bytes of these I/Os.
    pub bytes: u64,
}

/// I/Os that start in an interval.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema, Debug)]
pub struct Interval {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Discards.
    pub discards: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes of the reads.
    pub read_bytes: u64,
    /// Bytes of the writes.
    pub write_bytes: u64,
}

impl Figures {
    pub(crate) const SCHEMA: &'static str = SCHEMA;

    /// Returns true if there are reads, writes or discards.
    pub fn has_load(&self) -> bool {
        self.read.is_some() || self.write.is_some() || self.discard.is_some()
    }
}
