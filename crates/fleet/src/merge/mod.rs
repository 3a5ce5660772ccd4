//! The records of all hosts become one.
//!
//! Counters and histograms are not touched: the workers of all hosts are in one list. Times are converted to rank 0's clock.

mod timeline;

use std::sync::Arc;

use plan::Plan;
use record::schema::{self, SchemaError};
use record::{CpuUse, DiskUse, Fleet, FleetStart, HostRecord, PhaseRecord, Record};
use units::untrusted::UntrustedText;

use crate::division::Sharing;
use crate::host::Host;
use crate::message::HostRun;
use crate::root::Outcome;

/// Why the results of the hosts do not become one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MergeError {
    /// No host has a result: why.
    #[error("{}", .0.join("\n"))]
    NoResult(Vec<String>),
    /// The record of a host is not valid.
    #[error("the record of {host}:{error}")]
    Invalid { host: UntrustedText, error: SchemaError },
}

/// A host with its record.
struct Part<'a> {
    host: &'a Host,
    record: Record,
}

/// Merges the results of a fleet.
///
/// # Errors
/// No host has a result, or a record is not valid.
pub fn merge(outcome: &Outcome) -> Result<Record, MergeError> {
    let mut parts = Vec::new();
    for host in &outcome.hosts {
        if let Some(run) = &host.run {
            let invalid = |error| MergeError::Invalid { host: host.name.clone(), error };
            let mut record = schema::read(run.record.as_bytes()).map_err(invalid)?;
            shift_system_times(&mut record, system_shift_us(outcome, host, run));
            parts.push(Part { host, record });
        }
    }
    let Some(first) = parts.first() else {
        let reason = |host: &Host| Some(format!("{}: {}", host.name, host.failure.as_ref()?));
        return Err(MergeError::NoResult(outcome.hosts.iter().filter_map(reason).collect()));
    };
    let mut merged = first.record.clone();
    let workers = parts.iter().flat_map(|part| part.record.plan.workers.iter().cloned()).collect();
    merged.plan = Arc::new(Plan { workers, ..(*first.record.plan).clone() });
    merged.workers = parts.iter().flat_map(|part| part.record.workers.iter().cloned()).collect();
    merged.messages = parts.iter().flat_map(|part| part.record.messages.iter().cloned()).collect();
    merged.disks = parts.iter().flat_map(|part| part.record.disks.iter().map(|disk| named(disk, part.host))).collect();
    merged.cpu_idle_percent = parts.iter().flat_map(|part| part.record.cpu_idle_percent.iter().copied()).collect();
    merged.targets = parts.iter().flat_map(|part| part.record.targets.iter().cloned()).collect();
    merged.stopped = parts.iter().any(|part| part.record.stopped);
    let phases = parts.iter().map(|part| part.record.phases.len()).max().unwrap_or(0);
    merged.phases = (0..phases).map(|phase| merged_phase(&parts, phase)).collect();
    merged.timeline = (0..phases).filter_map(|phase| timeline::merged(&parts, phase)).collect();
    let hosts: Vec<HostRecord> = outcome.hosts.iter().map(|host| host_record(host, &parts)).collect();
    let starts = (0..phases as u32).filter_map(|phase| start_of(&parts, phase)).collect();
    merged.stopped |= hosts.iter().any(|host| host.failure.is_some());
    merged.fleet =
        Some(Fleet { link: outcome.link.clone(), shared: outcome.sharing == Sharing::Shared, starts, hosts });
    Ok(merged)
}

/// Returns the start of a phase on rank 0's clock. `None` if the host did not start it.
fn start_ns(part: &Part, phase: u32) -> Option<u64> {
    let start = part.host.starts_ns.iter().find(|(started, _)| *started == phase)?;
    Some(part.host.clock.to_root(start.1))
}

/// Returns the time from the first host's start of a phase to this host's.
fn delay_ns(part: &Part, parts: &[Part], phase: u32) -> u64 {
    let first_ns = parts.iter().filter_map(|part| start_ns(part, phase)).min();
    start_ns(part, phase).zip(first_ns).map_or(0, |(own_ns, first_ns)| own_ns - first_ns)
}

fn start_of(parts: &[Part], phase: u32) -> Option<FleetStart> {
    let delays = parts.iter().filter(|part| start_ns(part, phase).is_some());
    // One host has nothing to differ from.
    if delays.clone().count() < 2 {
        return None;
    }
    let skew_ns = delays.map(|part| delay_ns(part, parts, phase)).max()?;
    let started = |part: &Part| part.host.starts_ns.iter().find(|start| start.0 == phase).map(|start| start.1);
    let bound_ns = |part: &Part| Some(part.host.clock.bound_at(started(part)?));
    let mut bounds: Vec<u64> = parts.iter().filter_map(bound_ns).collect();
    bounds.sort_unstable();
    Some(FleetStart { phase, skew_ns, bound_ns: bounds.iter().rev().take(2).sum() })
}

fn host_record(host: &Host, parts: &[Part]) -> HostRecord {
    let (clock_offset_ns, clock_bound_ns) = (host.clock.offset_ns(), host.clock.bound_ns());
    let about = HostRecord {
        name: host.name.clone(),
        failure: host.failure.clone(),
        clock_offset_ns,
        clock_bound_ns,
        clock_drift_ns: host.clock.drift_ns(),
        narrowed_cpus: host.hello.narrowed_cpus,
        ..HostRecord::default()
    };
    let Some(part) = parts.iter().find(|part| std::ptr::eq(part.host, host)) else { return about };
    let record = &part.record;
    HostRecord {
        workers: record.workers.len(),
        done_ns: done_ns(part, parts),
        machine: record.machine.clone(),
        messages: record.messages.clone(),
        phases: record.phases.clone(),
        disks: record.disks.clone(),
        cpu_idle_percent: record.cpu_idle_percent.clone(),
        timeline: record.timeline.clone(),
        targets: record.targets.clone(),
        stopped: record.stopped,
        ..about
    }
}

/// Returns the time from the first host's start of the first phase until this host's last worker had ended.
fn done_ns(part: &Part, parts: &[Part]) -> u64 {
    let begin_ns = parts.iter().filter_map(|part| start_ns(part, 0)).min();
    let workers = part.record.plan.workers.iter().zip(&part.record.workers);
    let ends = workers.filter_map(|(worker, done)| {
        Some(start_ns(part, worker.phase)?.saturating_add(done.stats.elapsed_ns).saturating_sub(begin_ns?))
    });
    ends.max().unwrap_or(0)
}

/// Returns a disk, and those that it consists of, with the name of the host before theirs.
fn named(disk: &DiskUse, host: &Host) -> DiskUse {
    let slaves = disk.slaves.iter().map(|slave| named(slave, host)).collect();
    DiskUse { name: format!("{}:{}", host.name.raw(), disk.name.raw()).into(), slaves, ..disk.clone() }
}

fn merged_phase(parts: &[Part], phase: usize) -> PhaseRecord {
    let mut merged = PhaseRecord::default();
    let mut first_cpu = 0;
    for part in parts {
        let Some(own) = part.record.phases.get(phase) else { continue };
        let delay_ns = delay_ns(part, parts, phase as u32);
        merged.measured_ns = merged.measured_ns.max(own.measured_ns.saturating_add(delay_ns));
        merged.cpus.extend(own.cpus.iter().map(|used| CpuUse { cpu: first_cpu + used.cpu, ..*used }));
        first_cpu = merged.cpus.iter().map(|used| used.cpu + 1).max().unwrap_or(0);
        merged.interruptions.extend(own.interruptions.iter().copied());
        if merged.error.is_none() {
            merged.error.clone_from(&own.error);
        }
    }
    merged.interruptions.sort_by_key(|interruption| interruption.from_ns);
    // 0 is the time of a host whose phase ended before the measured time.
    let starts_ms = parts.iter().filter_map(|part| Some(part.record.phases.get(phase)?.measured_from_unix_ms));
    merged.measured_from_unix_ms = starts_ms.filter(|start_ms| *start_ms > 0).min().unwrap_or(0);
    merged
}

/// Returns what to add to the system times of a host, so that they are of rank 0's system clock.
fn system_shift_us(outcome: &Outcome, host: &Host, run: &HostRun) -> i64 {
    let Some(root) = outcome.hosts.first().and_then(|root| root.run.as_ref()) else { return 0 };
    let since_ns = host.clock.to_root(run.monotonic_ns).wrapping_sub(root.monotonic_ns) as i64;
    (root.unix_us as i64).saturating_add(since_ns / 1000).saturating_sub(run.unix_us as i64)
}

fn shift_system_times(record: &mut Record, shift_us: i64) {
    let shift_ms = shift_us / 1000;
    for worker in &mut record.workers {
        if let Some(started) = &mut worker.started {
            started.unix_ms = started.unix_ms.saturating_add_signed(shift_ms);
        }
        let from_us = &mut worker.stats.measured_from_unix_us;
        if *from_us > 0 {
            *from_us = from_us.saturating_add_signed(shift_us);
        }
    }
    for phase in record.phases.iter_mut().filter(|phase| phase.measured_from_unix_ms > 0) {
        phase.measured_from_unix_ms = phase.measured_from_unix_ms.saturating_add_signed(shift_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_starts_with_the_first_host_that_measured_in_any_order_of_the_hosts() {
        let host = Host::new();
        for order in [[5, 0, 7], [0, 7, 5], [7, 5, 0]] {
            let part = |measured_from_unix_ms| {
                let phases = vec![PhaseRecord { measured_from_unix_ms, ..PhaseRecord::default() }];
                Part { host: &host, record: Record { phases, ..Record::new(Arc::default(), 0) } }
            };
            assert_eq!(merged_phase(&order.map(part), 0).measured_from_unix_ms, 5, "{order:?}");
        }
    }

    #[test]
    fn disks_have_the_name_of_their_host_on_each_level() {
        let disk = |name: &str, slaves| DiskUse { name: name.into(), slaves, ..DiskUse::default() };
        let host = Host { name: "b".into(), ..Host::new() };
        let raid = named(&disk("md0", vec![disk("dm-0", vec![disk("sda", Vec::new())])]), &host);
        assert_eq!(raid, disk("b:md0", vec![disk("b:dm-0", vec![disk("b:sda", Vec::new())])]));
    }
}
