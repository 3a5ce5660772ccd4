//! Checks that the parts of a record fit together.

use super::SchemaError;
use crate::{DdirStats, DepthMap, DiskSlot, Record, Slot, Timeline, WorkerStats};

/// Phases of a record. Reports go through all of them.
const PHASES_MAX: u32 = 1 << 16;

pub(super) fn check(record: &Record) -> Result<(), SchemaError> {
    let (expected, found) = (record.plan.workers.len(), record.workers.len());
    if expected != found {
        return Err(SchemaError::new(format!("the plan has {expected} workers, but `workers` has {found}")));
    }
    let of_hosts = record.hosts().iter().fold(0usize, |sum, host| sum.saturating_add(host.workers));
    if record.fleet.is_some() && of_hosts != found {
        return Err(SchemaError::new(format!("the hosts have {of_hosts} workers, but `workers` has {found}")));
    }
    for worker in &record.plan.workers {
        if worker.phase >= PHASES_MAX {
            let (name, phase) = (&worker.name, worker.phase);
            return Err(SchemaError::new(format!(
                "worker `{name}` has phase {phase}, the maximum is {}",
                PHASES_MAX - 1
            )));
        }
        let streams = worker.stream_list().len();
        let mut shares =
            worker.streams().into_iter().flat_map(|streams| &streams.queues).flat_map(|queue| &queue.shares);
        if let Some(share) = shares.find(|share| share.stream as usize >= streams) {
            let (name, stream) = (&worker.name, share.stream);
            return Err(SchemaError::new(format!(
                "a queue of worker `{name}` has stream {stream}, but the worker has {streams} streams"
            )));
        }
    }
    for timeline in &record.timeline {
        check_timeline(timeline, record.phases.len())?;
    }
    for host in record.hosts() {
        for timeline in &host.timeline {
            check_timeline(timeline, host.phases.len())?;
        }
    }
    // Then every sum in a report fits into 64 bits, too.
    if u64::try_from(sum(record)).is_err() {
        return Err(SchemaError::new("the counts of all workers add up to more than 64 bits"));
    }
    Ok(())
}

/// Checks that a timeline is of a known phase, and that its slots fill its time.
fn check_timeline(timeline: &Timeline, phases: usize) -> Result<(), SchemaError> {
    let Timeline { phase, from_ns, until_ns, interval_ns, disks, slots } = timeline;
    if *phase >= phases {
        return Err(SchemaError::new(format!("a timeline has phase {phase}, but `phases` has {phases}")));
    }
    // The remainder is a slot, or part of the last one.
    let whole = until_ns.checked_sub(*from_ns).and_then(|length_ns| length_ns.checked_div(*interval_ns));
    if whole.is_none_or(|whole| whole.abs_diff(slots.len() as u64) > 1) {
        let span = format!("{from_ns} to {until_ns} ns");
        return Err(SchemaError::new(format!(
            "{} slots of {interval_ns} ns don't fill a timeline of {span}",
            slots.len()
        )));
    }
    let devices = |slot: &Slot| slot.disks.len();
    if let Some(slot) = slots.iter().find(|slot| slot.temperatures_c.len() > disks.len()) {
        let (expected, found) = (disks.len(), slot.temperatures_c.len());
        return Err(SchemaError::new(format!("a timeline of {expected} devices has a slot of {found} temperatures")));
    }
    if let Some(slot) = slots.iter().find(|slot| devices(slot) != disks.len()) {
        let (expected, found) = (disks.len(), devices(slot));
        return Err(SchemaError::new(format!("a timeline of {expected} devices has a slot of {found} devices")));
    }
    Ok(())
}

fn of_slot(slot: &Slot) -> u128 {
    let ddirs =
        slot.ddirs.iter().map(|ddir| wide([ddir.ios, ddir.bytes, ddir.lat.total(), ddir.response.histogram.total()]));
    let disk = |disk: &DiskSlot| wide(disk.ios) + wide(disk.bytes);
    ddirs.sum::<u128>() + wide([slot.syncs.histogram.total()]) + slot.disks.iter().map(disk).sum::<u128>()
}

/// Adds up all counts of a record. Times are left out: those of many workers may exceed 64 bits.
fn sum(record: &Record) -> u128 {
    let workers = record.workers.iter().map(|worker| of_worker(&worker.stats) + wide([worker.nonfatal_errors]));
    let slots = record.timeline.iter().flat_map(|timeline| &timeline.slots).map(of_slot);
    workers.sum::<u128>() + slots.sum::<u128>()
}

fn wide(counts: impl IntoIterator<Item = u64>) -> u128 {
    counts.into_iter().map(u128::from).sum()
}

fn of_worker(stats: &WorkerStats) -> u128 {
    let targets = stats.targets.iter().map(|target| {
        let intervals = target.series.iter().flat_map(|series| &series.intervals);
        let samples = intervals.flat_map(|interval| &interval.latency_ns).map(|moments| moments.count);
        of_ddirs(&target.ddirs) + wide(samples)
    });
    let depths = [&stats.depth, &stats.submit, &stats.complete];
    let (usage, waits) = (&stats.usage, &stats.waits);
    of_ddirs(&stats.ddirs)
        + targets.sum::<u128>()
        + depths.into_iter().map(of_depths).sum::<u128>()
        + wide([stats.syncs, stats.sync_lat.count()])
        + wide([usage.context_switches, usage.major_faults, usage.minor_faults])
        + wide([waits.completion, waits.throttle, waits.throttle_sleep, waits.lookaside])
        + wide(waits.lookaside_completions)
}

fn of_ddirs(ddirs: &[DdirStats; 3]) -> u128 {
    let each = ddirs.iter().map(|ddir| {
        let latencies = [&ddir.slat, &ddir.clat, &ddir.lat, &ddir.response].map(|latency| latency.count());
        let arrivals = ddir.arrivals.unwrap_or_default();
        wide([ddir.ios, ddir.bytes, ddir.issued, ddir.short, ddir.dropped])
            + wide(latencies)
            + wide([arrivals.due, arrivals.late, arrivals.queue_full, arrivals.unissued])
            + wide([ddir.bandwidth_kib.count, ddir.iops.count])
    });
    each.sum()
}

fn of_depths(map: &DepthMap) -> u128 {
    wide(map.floor) + wide(map.upto)
}
