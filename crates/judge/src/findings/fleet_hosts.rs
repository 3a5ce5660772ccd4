//! The records of the hosts of a fleet, each without the I/O of the fleet's other processes on the same machine: the counters
//! of a device have the I/O of all.

use record::{DiskSlot, HostRecord, Record, Slot, Timeline};

use crate::findings::device::is_direct;

/// Returns the record of each host, as the host alone would have made it.
pub fn host_records(record: &Record) -> Vec<(&HostRecord, Record)> {
    let mut all: Vec<(&HostRecord, Record)> = record.host_records().collect();
    let alone: Vec<Vec<Timeline>> = (0..all.len()).map(|at| without_neighbours(&all, at)).collect();
    all.iter_mut().zip(alone).for_each(|((_, record), timeline)| record.timeline = timeline);
    all
}

fn without_neighbours(all: &[(&HostRecord, Record)], own: usize) -> Vec<Timeline> {
    let (host, record) = &all[own];
    let mut timelines = record.timeline.clone();
    let neighbours = all.iter().enumerate().filter(|(at, (other, _))| *at != own && is_same_machine(host, other));
    for (_, (_, other)) in neighbours.filter(|(_, (_, other))| other.plan.workers.iter().all(is_direct)) {
        for timeline in &mut timelines {
            let of_phase = |series: &&Timeline| {
                series.phase == timeline.phase
                    && series.interval_ns == timeline.interval_ns
                    && series.disks.iter().all(|disk| timeline.disks.contains(disk))
            };
            let Some(series) = other.timeline.iter().find(of_phase) else { continue };
            let shared: Vec<usize> =
                (0..timeline.disks.len()).filter(|at| series.disks.contains(&timeline.disks[*at])).collect();
            for (slot, did) in timeline.slots.iter_mut().zip(&series.slots) {
                subtract(slot, &shared, did);
            }
        }
    }
    timelines
}

/// Processes on one machine have one monotonic clock.
fn is_same_machine(one: &HostRecord, other: &HostRecord) -> bool {
    let apart_ns = one.clock_offset_ns.abs_diff(other.clock_offset_ns);
    one.machine.hostname == other.machine.hostname
        && apart_ns <= one.clock_bound_ns.saturating_add(other.clock_bound_ns)
}

/// Subtracts the I/O of a process from the counts of the devices that it used.
fn subtract(slot: &mut Slot, devices: &[usize], did: &Slot) {
    for way in 0..2 {
        let (mut ios, mut bytes) = (did.ddirs[way].ios, did.ddirs[way].bytes);
        for at in devices {
            let Some(disk) = slot.disks.get_mut(*at) else { continue };
            let part = DiskSlot { ios: [ios.min(disk.ios[way]); 2], bytes: [bytes.min(disk.bytes[way]); 2] };
            disk.ios[way] -= part.ios[way];
            disk.bytes[way] -= part.bytes[way];
            ios -= part.ios[way];
            bytes -= part.bytes[way];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use assessment::FindingKind;
    use plan::Plan;
    use record::Fleet;

    use super::*;
    use crate::findings::device::simulated::on_device;

    const MIB: u64 = 1 << 20;

    /// Two processes that read 100 MiB/s each, and the bytes per second that their device counted.
    fn fleet(counted: u64, clock_offset_ns: i64) -> Record {
        let one = on_device([100 * MIB, 0], [counted, 0], true);
        let host = |name: &str, clock_offset_ns| HostRecord {
            name: name.into(),
            workers: 1,
            clock_offset_ns,
            clock_bound_ns: 1_000,
            timeline: one.timeline.clone(),
            targets: one.targets.clone(),
            phases: one.phases.clone(),
            ..HostRecord::default()
        };
        let mut fleet = one.clone();
        fleet.plan = Arc::new(Plan {
            workers: [one.plan.workers.clone(), one.plan.workers.clone()].concat(),
            ..Plan::clone(&one.plan)
        });
        fleet.workers = [one.workers.clone(), one.workers.clone()].concat();
        fleet.fleet = Some(Fleet { hosts: vec![host("a", 0), host("b", clock_offset_ns)], ..Fleet::default() });
        fleet
    }

    fn other_loads(record: &Record) -> usize {
        let found = crate::findings::findings(record);
        found.iter().filter(|finding| matches!(finding.kind, FindingKind::OtherLoad(_))).count()
    }

    #[test]
    fn a_process_of_the_fleet_on_the_same_machine_is_no_other_program() {
        assert_eq!(other_loads(&fleet(200 * MIB, 1_500)), 0);
        // Another program reads 50 MiB/s.
        assert_eq!(other_loads(&fleet(250 * MIB, 1_500)), 2);
        // Another machine has another clock. There the 100 MiB/s are those of another program.
        assert_eq!(other_loads(&fleet(200 * MIB, 1_000_000_000)), 2);
    }
}
