//! The hosts of a run on several hosts.
//!
//! The workers of all hosts are in one list, host by host. So the sums and percentiles of a record are those of the fleet.

use std::ops::Range;
use std::sync::Arc;

use plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DiskUse, Machine, Message, PhaseRecord, Record, TargetFacts, Timeline, Totals};

/// The hosts of a run, and how they were connected.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Fleet {
    /// The name and version of what connected the hosts.
    pub link: String,
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

/// One host: everything of its record but its plan and its workers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostRecord {
    pub name: String,
    /// Number of the host's workers in the record.
    pub workers: usize,
    /// Why the host has no result.
    pub failure: Option<String>,
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
    pub stopped: bool,
}

impl Record {
    /// Returns the hosts. A run on one host has none.
    pub fn hosts(&self) -> &[HostRecord] {
        self.fleet.as_ref().map_or(&[], |fleet| &fleet.hosts)
    }

    /// Returns the hosts, each with the indices of its workers.
    pub fn host_workers(&self) -> impl Iterator<Item = (&HostRecord, Range<usize>)> {
        self.hosts().iter().scan(0, |first, host| {
            let range = *first..*first + host.workers;
            *first = range.end;
            Some((host, range))
        })
    }

    /// Returns the sum of each host's workers: reads, writes, trims, and all of them.
    pub fn host_totals(&self) -> Vec<(&HostRecord, Totals)> {
        self.host_records().map(|(host, record)| (host, record.totals())).collect()
    }

    /// Returns the record of each host of a fleet, as the host alone would have made it.
    pub fn host_records(&self) -> impl Iterator<Item = (&HostRecord, Record)> {
        self.host_workers().map(move |(host, range)| {
            let plan = Plan { workers: self.plan.workers[range.clone()].to_vec(), ..(*self.plan).clone() };
            let record = Record {
                fathom: self.fathom.clone(),
                plan: Arc::new(plan),
                workers: self.workers[range].to_vec(),
                machine: host.machine.clone(),
                messages: host.messages.clone(),
                phases: host.phases.clone(),
                disks: host.disks.clone(),
                cpu_idle_percent: host.cpu_idle_percent.clone(),
                timeline: host.timeline.clone(),
                targets: host.targets.clone(),
                stopped: host.stopped,
                fleet: None,
                ..*self
            };
            (host, record)
        })
    }
}
