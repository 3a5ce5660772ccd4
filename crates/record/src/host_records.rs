//! The parts of a record that are of one host.

use std::ops::Range;
use std::sync::Arc;

use plan::Plan;

use crate::{HostRecord, Record, Totals};

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
        let mut without_workers = Plan::clone(&self.plan);
        without_workers.workers.clear();
        self.host_workers().map(move |(host, range)| {
            let plan = Plan { workers: self.plan.workers[range.clone()].to_vec(), ..without_workers.clone() };
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
                explanation: None,
                working_directory: self.working_directory.clone(),
                ..*self
            };
            (host, record)
        })
    }
}
