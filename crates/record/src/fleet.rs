//! The hosts of a run on several hosts.
//!
//! The workers of all hosts are in one list, host by host. So the sums and percentiles of a record are those of the fleet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

use crate::{DiskUse, Machine, Message, PhaseRecord, TargetFacts, Timeline};

/// The hosts of a run, and how they were connected.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Fleet {
    /// The name and version of what connected the hosts.
    pub link: UntrustedText,
    /// All hosts had the same targets, and each used its own part of them.
    pub shared: bool,
    /// One per phase that started.
    pub starts: Vec<FleetStart>,
    /// In the order of their workers.
    pub hosts: Vec<HostRecord>,
}

/// The start of a phase on all hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FleetStart {
    pub phase: u32,
    /// Time from the start of the first host to that of the last, as measured.
    pub skew_ns: u64,
    /// Largest error of `skew_ns`: the clocks of the hosts are compared by messages.
    pub bound_ns: u64,
}

/// Placeholder in the paths of a plan for many hosts. Each host replaces it with its name.
pub const HOST_MARK: &str = "%h";

/// One host: everything of its record but its plan and its workers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostRecord {
    pub name: UntrustedText,
    /// Number of the host's workers in the record.
    pub workers: usize,
    /// Why the host has no result.
    pub failure: Option<UntrustedText>,
    /// The host's monotonic clock minus that of the first host.
    pub clock_offset_ns: i64,
    /// Largest error of that difference.
    pub clock_bound_ns: u64,
    /// Change of that difference over the run.
    pub clock_drift_ns: i64,
    /// CPUs that the launcher had allowed, if the host has more. fathom used all.
    pub narrowed_cpus: Option<usize>,
    /// Time from the first host's start until the host had ended.
    pub done_ns: u64,
    pub machine: Machine,
    pub messages: Vec<Message>,
    pub phases: Vec<PhaseRecord>,
    pub disks: Vec<DiskUse>,
    pub cpu_idle_percent: Vec<f64>,
    pub timeline: Vec<Timeline>,
    pub targets: Vec<TargetFacts>,
    /// The run was stopped before its end on this host.
    pub stopped: bool,
}
