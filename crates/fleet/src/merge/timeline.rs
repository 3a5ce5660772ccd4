//! The time series of a phase on all hosts, laid on rank 0's clock.

use plan::Ddir;
use record::Timeline;

use super::{Part, delay_ns};

/// A host whose slots differ from those of the fleet by less than this part of a slot counts as aligned: agreed starts differ
/// by microseconds. Otherwise the counts of each slot would be distributed over two.
const ALIGNED_PART: u64 = 20;

/// A host's series, and its start after the first one's.
struct Placed<'a> {
    series: &'a Timeline,
    shift_ns: u64,
    /// Index of its first device among those of all hosts.
    first_disk: usize,
}

/// Returns the sum of the hosts' series. `None` if no host has one.
pub(super) fn merged(parts: &[Part], phase: usize) -> Option<Timeline> {
    let mut placed = Vec::new();
    let mut disks = Vec::new();
    for part in parts {
        if let Some(series) = part.record.timeline.iter().find(|series| series.phase == phase) {
            let shift_ns = delay_ns(part, parts, phase as u32).saturating_add(series.from_ns);
            placed.push(Placed { series, shift_ns, first_disk: disks.len() });
            disks.extend(series.disks.iter().map(|name| format!("{}:{name}", part.host.name)));
        }
    }
    let from_ns = placed.iter().map(|placed| placed.shift_ns).min()?;
    let interval_ns = placed.iter().map(|placed| placed.series.interval_ns).max()?;
    for one in &mut placed {
        one.shift_ns = aligned(one.shift_ns - from_ns, interval_ns);
    }
    let mut sum = Timeline::new(phase, interval_ns, disks);
    placed.iter().for_each(|placed| add(&mut sum, placed));
    let until_ns = placed.iter().map(|placed| placed.shift_ns + length_ns(placed.series)).max()?;
    sum.end(until_ns, &[]);
    (sum.from_ns, sum.until_ns) = (from_ns, from_ns + sum.until_ns);
    for at in 0..sum.slots.len() {
        let middle_ns = at as u64 * sum.interval_ns + sum.slot_ns(at) / 2;
        sum.slots[at].workers = placed.iter().map(|placed| workers_at(placed, middle_ns)).sum();
    }
    Some(sum)
}

fn aligned(shift_ns: u64, interval_ns: u64) -> u64 {
    let rest_ns = shift_ns % interval_ns;
    if rest_ns <= interval_ns / ALIGNED_PART {
        shift_ns - rest_ns
    } else if interval_ns - rest_ns <= interval_ns / ALIGNED_PART {
        shift_ns - rest_ns + interval_ns
    } else {
        shift_ns
    }
}

fn length_ns(series: &Timeline) -> u64 {
    series.until_ns.saturating_sub(series.from_ns)
}

fn workers_at(placed: &Placed, at_ns: u64) -> u32 {
    let Some(since_ns) = at_ns.checked_sub(placed.shift_ns).filter(|since_ns| *since_ns < length_ns(placed.series))
    else {
        return 0;
    };
    let at = (since_ns / placed.series.interval_ns.max(1)) as usize;
    let slots = &placed.series.slots;
    slots.get(at.min(slots.len().saturating_sub(1))).map_or(0, |slot| slot.workers)
}

fn add(sum: &mut Timeline, placed: &Placed) {
    for (at, slot) in placed.series.slots.iter().enumerate() {
        let begin_ns = placed.shift_ns + at as u64 * placed.series.interval_ns;
        let span = (begin_ns, begin_ns + placed.series.slot_ns(at));
        for ddir in Ddir::ALL {
            let counts = &slot.ddirs[ddir as usize];
            sum.count(span, ddir, counts.ios, counts.bytes);
            sum.count_lat(span, ddir, &counts.latencies());
            sum.count_response(span, ddir, &counts.response);
        }
        sum.count_syncs(span, &slot.syncs);
        sum.count_cpu_wait(span, slot.cpu_wait_ns);
        sum.count_stolen(span, slot.stolen_ns);
        for (disk, counted) in slot.disks.iter().enumerate() {
            sum.count_disk(span, placed.first_disk + disk, counted);
        }
        let before = std::iter::repeat_n(None, placed.first_disk);
        let temperatures_c: Vec<Option<f64>> = before.chain(slot.temperatures_c.iter().copied()).collect();
        sum.add_temperatures(span, &temperatures_c);
    }
}
