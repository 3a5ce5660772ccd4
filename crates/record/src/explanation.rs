//! The slowest I/Os of a run, and where they spent their time.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

/// One of the slowest I/Os of a worker. Times are those of `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SlowIo {
    pub ddir: Ddir,
    /// Index of the target.
    pub file: u32,
    pub offset: u64,
    pub bytes: u32,
    /// Start of the call that submitted it.
    pub submitted_ns: u64,
    /// The worker had its completion.
    pub reaped_ns: u64,
    /// Time in between that the worker spent outside of its engine.
    pub own_ns: u64,
}

impl SlowIo {
    pub fn latency_ns(&self) -> u64 {
        self.reaped_ns.saturating_sub(self.submitted_ns)
    }
}

/// Where the slowest I/Os of a run spent their time, from the trace of the block layer.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Completeness of the trace, and its cost.
    pub trace: TraceCost,
    /// One per direction with I/Os.
    pub directions: Vec<SlowIos>,
}

/// Completeness of the trace, and its cost.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TraceCost {
    /// Names of the traced disks.
    pub disks: Vec<UntrustedText>,
    /// Time from the start of the trace to its end.
    pub duration_ns: u64,
    /// Time in which events were recorded. Less than `duration_ns` if the rate of events was high.
    pub traced_ns: u64,
    /// Events that were read.
    pub events: u64,
    /// Events that the kernel dropped: its buffer was full.
    pub lost_events: u64,
    /// CPU time of the thread that reads the trace.
    pub cpu_ns: u64,
}

impl TraceCost {
    /// A smaller share of the time is a trace in windows.
    const ALL_MIN: f64 = 0.99;
    /// With more lost events, the explanation is inconclusive.
    const LOST_SHARE_MAX: f64 = 0.001;

    /// Returns the share of the time in which events were recorded; `None` if it was all of it.
    pub fn windows_share(&self) -> Option<f64> {
        let share = self.traced_ns as f64 / self.duration_ns.max(1) as f64;
        (share < Self::ALL_MIN).then_some(share)
    }

    /// Returns the share of the events that were lost.
    pub fn lost_share(&self) -> f64 {
        self.lost_events as f64 / self.events.saturating_add(self.lost_events).max(1) as f64
    }

    /// Returns whether the explanation can be wrong because of lost events.
    pub fn is_inconclusive(&self) -> bool {
        self.lost_share() > Self::LOST_SHARE_MAX
    }
}

/// The slowest I/Os of a direction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SlowIos {
    /// Direction.
    pub ddir: Ddir,
    /// Completed I/Os of the direction.
    pub all_ios: u64,
    /// Number of the slowest I/Os that are explained.
    pub ios: u64,
    /// Least latency among them.
    pub from_ns: u64,
    /// Parts of their time, the largest first. The shares add up to 1.
    pub parts: Vec<TimePart>,
    /// Distance of their bursts. `None` if they do not come in bursts at equal distances.
    pub period_s: Option<f64>,
    /// I/Os that the kernel merged with others.
    pub merged: u64,
    /// I/Os that the kernel split.
    pub split: u64,
    /// The slowest I/Os over time, at most 500.
    pub samples: Vec<SlowSample>,
}

/// A piece of the latency of the slowest I/Os.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TimePart {
    /// Where the I/Os were.
    pub layer: IoLayer,
    /// `None`: not known.
    pub cause: Option<SlowCause>,
    /// Share of the time of all these I/Os.
    pub time_share: f64,
    /// I/Os of which this is the largest part.
    pub ios: u64,
}

/// One of the slowest I/Os.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SlowSample {
    /// Completion, since the start of the measured time.
    pub at_ns: u64,
    /// From submission until the worker had the completion.
    pub latency_ns: u64,
    /// The layer with the largest part of its time.
    pub layer: IoLayer,
}

/// Layers of an I/O's way, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoLayer {
    /// From the call that submitted it to the block layer: system call, file system, limits of a control group.
    Submission,
    /// In the block layer: plug list and scheduler.
    Queue,
    /// From the issue to the driver until completion.
    Device,
    /// From completion until the worker had it.
    Reaping,
    /// It is not in the trace: the page cache answered it, or its place on the device is not known.
    NotTraced,
}

/// What else happened in a piece of the latency of the slowest I/Os.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlowCause {
    /// A flush of the device's cache was in flight.
    Flush {
        /// Name of the thread that submitted it. `None`: a thread of this run.
        program: Option<UntrustedText>,
    },
    /// A discard was in flight.
    Discard {
        /// Name of the thread that submitted it. `None`: a thread of this run.
        program: Option<UntrustedText>,
    },
    /// I/Os of another program were in flight.
    OtherProgram {
        /// Name of the thread that submitted it. `None`: a thread of this run.
        program: Option<UntrustedText>,
    },
    /// Writeback of the page cache was in flight.
    Writeback,
    /// The worker was ready and waited for a CPU.
    CpuWait,
    /// The CPU quota of a control group was used up.
    CpuQuota,
    /// The hypervisor ran something else.
    StolenCpu,
    /// The process did not run: SIGSTOP, a debugger, or a paused machine.
    Stopped,
    /// Memory was reclaimed.
    MemoryReclaim,
    /// A limit of a control group on I/O.
    IoLimit,
    /// The worker did something else: it wrote logs or snapshots, checked or made data, or waited for them.
    OwnWork,
    /// The device throttled itself because of heat.
    Heat,
}
