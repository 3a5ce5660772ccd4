//! The time series of a phase: counts of its workers and of the devices under their targets, in slots of equal length.
//!
//! Warm-up, ramp and cool-down are not included. Counts of a time span are distributed evenly over its slots, in whole
//! numbers: the slots add up to the count.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::share::Share;
use crate::{CoarseHistogram, SlotLatencies};

/// Limit of the slots. Above it each two slots become one.
pub const SLOTS_MAX: usize = 1024;

/// The time series of a phase.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// Index of the phase.
    pub phase: usize,
    /// Start of the first slot, after the start of the phase's measured time. The first worker that is measured starts it.
    pub from_ns: u64,
    /// End of the last slot, after the same start.
    pub until_ns: u64,
    /// Length of a slot. The last slot has 0.5 to 1.5 times this length.
    pub interval_ns: u64,
    /// Names of the devices under the targets, in the order of [`Slot::disks`].
    pub disks: Vec<String>,
    pub slots: Vec<Slot>,
}

/// One slot of a [`Timeline`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Slot {
    /// Number of workers that were measured over at least 80 % of the slot.
    pub workers: u32,
    /// Reads, writes and trims.
    pub ddirs: [SlotDdir; 3],
    /// Latencies of syncs.
    #[serde(skip_serializing_if = "SlotLatencies::is_empty")]
    pub syncs: SlotLatencies,
    pub disks: Vec<DiskSlot>,
    /// Highest temperature of each of these devices, in degrees Celsius. Empty if none was read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub temperatures_c: Vec<Option<f64>>,
    /// Time for which the workers were ready and waited for a CPU, of all workers together.
    #[serde(skip_serializing_if = "is_zero")]
    pub cpu_wait_ns: u64,
    /// Time that the hypervisor gave to others while a CPU of this machine was ready to run, of all CPUs together.
    #[serde(skip_serializing_if = "is_zero")]
    pub stolen_ns: u64,
}

/// The I/Os of one direction that completed in a slot.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SlotDdir {
    #[serde(skip_serializing_if = "is_zero")]
    pub ios: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// Latencies (`lat`), from the workers' snapshots. If snapshots are rarer than slots, the latencies between two
    /// snapshots are distributed over the slots between them.
    #[serde(skip_serializing_if = "CoarseHistogram::is_empty")]
    pub lat: CoarseHistogram,
    /// Exact sum of these latencies. Records of early versions have none of the sums, responses and syncs.
    #[serde(skip_serializing_if = "is_zero")]
    pub lat_sum_ns: u128,
    /// Response times, in the same way.
    #[serde(skip_serializing_if = "SlotLatencies::is_empty")]
    pub response: SlotLatencies,
}

impl SlotDdir {
    /// Returns the latencies (`lat`) with their sum.
    pub fn latencies(&self) -> SlotLatencies {
        SlotLatencies { sum_ns: self.lat_sum_ns, histogram: self.lat.clone() }
    }
}

/// The kernel's counts of a device in a slot. Pairs are reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct DiskSlot {
    pub ios: [u64; 2],
    pub bytes: [u64; 2],
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl Timeline {
    /// Makes an empty timeline.
    pub fn new(phase: usize, interval_ns: u64, disks: Vec<String>) -> Self {
        Timeline { phase, interval_ns: interval_ns.max(1), disks, ..Timeline::default() }
    }

    /// Returns the length of a slot.
    pub fn slot_ns(&self, at: usize) -> u64 {
        let begins_ns = (at as u64).saturating_mul(self.interval_ns);
        if at + 1 < self.slots.len() {
            self.interval_ns
        } else {
            self.until_ns.saturating_sub(self.from_ns).saturating_sub(begins_ns)
        }
    }

    /// Returns the I/Os per second of each slot, of one direction or of all.
    pub fn ios_per_s(&self, ddir: Option<Ddir>) -> Vec<f64> {
        self.rates(ddir, |counts| counts.ios)
    }

    /// Returns the bytes per second of each slot, of one direction or of all.
    pub fn bytes_per_s(&self, ddir: Option<Ddir>) -> Vec<f64> {
        self.rates(ddir, |counts| counts.bytes)
    }

    fn rates(&self, ddir: Option<Ddir>, count: impl Fn(&SlotDdir) -> u64) -> Vec<f64> {
        let counted = |slot: &Slot| match ddir {
            Some(ddir) => count(&slot.ddirs[ddir as usize]),
            None => slot.ddirs.iter().map(&count).sum(),
        };
        let rate = |(at, slot)| counted(slot) as f64 * 1e9 / self.slot_ns(at).max(1) as f64;
        self.slots.iter().enumerate().map(rate).collect()
    }

    /// Adds the I/Os of a direction in a span (ns after the start).
    pub fn count(&mut self, span: (u64, u64), ddir: Ddir, ios: u64, bytes: u64) {
        if ios > 0 || bytes > 0 {
            self.distribute(span, |slot, share| {
                let counts = &mut slot.ddirs[ddir as usize];
                counts.ios += share.of_count(ios);
                counts.bytes += share.of_count(bytes);
            });
        }
    }

    /// Adds the latencies of a direction in a span (ns after the start).
    pub fn count_lat(&mut self, span: (u64, u64), ddir: Ddir, lat: &SlotLatencies) {
        self.count_latencies(span, lat, |slot, part| {
            let counts = &mut slot.ddirs[ddir as usize];
            counts.lat.merge(&part.histogram);
            counts.lat_sum_ns = counts.lat_sum_ns.saturating_add(part.sum_ns);
        });
    }

    /// Adds the response times of a direction in a span (ns after the start).
    pub fn count_response(&mut self, span: (u64, u64), ddir: Ddir, response: &SlotLatencies) {
        self.count_latencies(span, response, |slot, part| slot.ddirs[ddir as usize].response.merge(part));
    }

    /// Adds the latencies of syncs in a span (ns after the start).
    pub fn count_syncs(&mut self, span: (u64, u64), syncs: &SlotLatencies) {
        self.count_latencies(span, syncs, |slot, part| slot.syncs.merge(part));
    }

    fn count_latencies(
        &mut self,
        span: (u64, u64),
        all: &SlotLatencies,
        mut add: impl FnMut(&mut Slot, &SlotLatencies),
    ) {
        if !all.is_empty() {
            self.distribute(span, |slot, share| add(slot, &all.part(share)));
        }
    }

    /// Adds the counts of a device in a span (ns after the start).
    pub fn count_disk(&mut self, span: (u64, u64), disk: usize, counted: &DiskSlot) {
        let disks = self.disks.len();
        if disk < disks && *counted != DiskSlot::default() {
            self.distribute(span, |slot, share| {
                slot.disks.resize(disks, DiskSlot::default());
                for way in 0..2 {
                    slot.disks[disk].ios[way] += share.of_count(counted.ios[way]);
                    slot.disks[disk].bytes[way] += share.of_count(counted.bytes[way]);
                }
            });
        }
    }

    /// Adds temperatures of the devices that were read in a span (ns after the start).
    pub fn add_temperatures(&mut self, span: (u64, u64), read_c: &[Option<f64>]) {
        if read_c.iter().any(Option::is_some) {
            self.distribute(span, |slot, _| slot.add_temperatures(read_c));
        }
    }

    /// Adds time for which a worker waited for a CPU, in a span (ns after the start).
    pub fn count_cpu_wait(&mut self, span: (u64, u64), ns: u64) {
        if ns > 0 {
            self.distribute(span, |slot, share| slot.cpu_wait_ns += share.of_count(ns));
        }
    }

    /// Adds stolen CPU time in a span (ns after the start).
    pub fn count_stolen(&mut self, span: (u64, u64), ns: u64) {
        if ns > 0 {
            self.distribute(span, |slot, share| slot.stolen_ns += share.of_count(ns));
        }
    }

    /// Calls `add` for each slot that the span covers, with its share of the span.
    fn distribute(&mut self, span: (u64, u64), mut add: impl FnMut(&mut Slot, &Share)) {
        let to_ns = span.1.max(span.0);
        // A span that ends at the border of two slots belongs to the first. So does a span of length 0.
        let last_ns = to_ns.saturating_sub(1);
        let from_ns = span.0.min(last_ns);
        while last_ns / self.interval_ns >= SLOTS_MAX as u64 {
            self.merge_neighbours();
        }
        let (first, last) = (self.slot_at(from_ns), self.slot_at(last_ns));
        if last >= self.slots.len() {
            self.slots.resize_with(last + 1, Slot::default);
        }
        // A span without length is in one slot.
        let whole = (to_ns - from_ns).max(1);
        let start = |at: usize| (at as u64 * self.interval_ns).clamp(from_ns, to_ns) - from_ns;
        for at in first..=last {
            let to = if at == last { whole } else { start(at + 1) };
            add(&mut self.slots[at], &Share { from: start(at), to, whole });
        }
    }

    /// Returns the slot of a time. Times are within `SLOTS_MAX` slots.
    #[expect(clippy::cast_possible_truncation, reason = "slots are merged until their number is small")]
    fn slot_at(&self, ns: u64) -> usize {
        (ns / self.interval_ns) as usize
    }

    /// Merges each two slots into one of twice the length.
    pub(crate) fn merge_neighbours(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        let mut slots = slots.into_iter();
        while let Some(mut slot) = slots.next() {
            if let Some(next) = slots.next() {
                slot.append(&next);
            }
            self.slots.push(slot);
        }
        self.interval_ns = self.interval_ns.saturating_mul(2);
    }

    /// Ends the timeline `until_ns` after its start. Later counts are dropped. A last slot of less than half the length is
    /// merged into the one before. `measured` has the measured time of each worker, as start and end.
    pub fn end(&mut self, until_ns: u64, measured: &[(u64, u64)]) {
        self.until_ns = until_ns.max(1);
        while self.until_ns.div_ceil(self.interval_ns) > SLOTS_MAX as u64 {
            self.merge_neighbours();
        }
        let interval_ns = self.interval_ns;
        let (whole, rest_ns) = (self.slot_at(self.until_ns), self.until_ns % interval_ns);
        self.slots.resize_with(whole + usize::from(rest_ns > 0), Slot::default);
        if whole > 0
            && rest_ns > 0
            && rest_ns < interval_ns / 2
            && let Some(rest) = self.slots.pop()
            && let Some(last) = self.slots.last_mut()
        {
            last.append(&rest);
        }
        let disks = self.disks.len();
        for at in 0..self.slots.len() {
            let length_ns = self.slot_ns(at);
            let begins_ns = at as u64 * interval_ns;
            // Workers that start together differ by some ns.
            let slack_ns = length_ns / 10;
            let (early_ns, late_ns) = (begins_ns + slack_ns, begins_ns + length_ns - slack_ns);
            let present = measured.iter().filter(|(from_ns, to_ns)| *from_ns <= early_ns && *to_ns >= late_ns);
            self.slots[at].workers = u32::try_from(present.count()).unwrap_or(u32::MAX);
            self.slots[at].disks.resize(disks, DiskSlot::default());
        }
    }
}

impl Slot {
    fn add_temperatures(&mut self, read_c: &[Option<f64>]) {
        self.temperatures_c.resize(self.temperatures_c.len().max(read_c.len()), None);
        for (mine, read) in self.temperatures_c.iter_mut().zip(read_c) {
            *mine = [*mine, *read].into_iter().flatten().reduce(f64::max);
        }
    }

    /// Adds the counts of the next slot.
    fn append(&mut self, next: &Slot) {
        self.workers = self.workers.min(next.workers);
        for (mine, more) in self.ddirs.iter_mut().zip(&next.ddirs) {
            mine.ios = mine.ios.saturating_add(more.ios);
            mine.bytes = mine.bytes.saturating_add(more.bytes);
            mine.lat.merge(&more.lat);
            mine.lat_sum_ns = mine.lat_sum_ns.saturating_add(more.lat_sum_ns);
            mine.response.merge(&more.response);
        }
        self.syncs.merge(&next.syncs);
        self.cpu_wait_ns = self.cpu_wait_ns.saturating_add(next.cpu_wait_ns);
        self.stolen_ns = self.stolen_ns.saturating_add(next.stolen_ns);
        self.add_temperatures(&next.temperatures_c);
        self.disks.resize(self.disks.len().max(next.disks.len()), DiskSlot::default());
        for (mine, more) in self.disks.iter_mut().zip(&next.disks) {
            for way in 0..2 {
                mine.ios[way] = mine.ios[way].saturating_add(more.ios[way]);
                mine.bytes[way] = mine.bytes[way].saturating_add(more.bytes[way]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn ios(timeline: &Timeline) -> Vec<u64> {
        timeline.slots.iter().map(|slot| slot.ddirs[0].ios).collect()
    }

    #[test]
    fn counts_of_a_span_are_distributed_and_add_up() {
        let mut timeline = Timeline::new(0, SECOND, vec!["a".into()]);
        timeline.count((SECOND / 2, 3 * SECOND), Ddir::Read, 10, 11);
        assert_eq!(ios(&timeline), [2, 4, 4]);
        assert_eq!(timeline.slots.iter().map(|slot| slot.ddirs[0].bytes).sum::<u64>(), 11);
        timeline.count((SECOND, SECOND), Ddir::Read, 5, 5);
        timeline.count_disk((0, 2 * SECOND), 0, &DiskSlot { ios: [3, 1], bytes: [8, 0] });
        timeline.count_cpu_wait((SECOND, 3 * SECOND), 9);
        timeline.count_stolen((0, 2 * SECOND), 7);
        timeline.end(3 * SECOND, &[(0, 3 * SECOND), (0, 2 * SECOND)]);
        assert_eq!(ios(&timeline), [7, 4, 4]);
        assert_eq!(timeline.slots.iter().map(|slot| slot.workers).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!(timeline.slots.iter().map(|slot| slot.disks[0].ios[0]).collect::<Vec<_>>(), [2, 1, 0]);
        let others: Vec<_> = timeline.slots.iter().map(|slot| (slot.cpu_wait_ns, slot.stolen_ns)).collect();
        assert_eq!(others, [(0, 4), (5, 3), (4, 0)]);
    }

    #[test]
    fn slots_have_the_highest_temperature_that_was_read_in_them() {
        let mut timeline = Timeline::new(0, SECOND, vec!["a".into(), "b".into()]);
        for (at_ns, read_c) in [(1, [Some(40.0), None]), (2, [Some(39.0), None]), (SECOND * 2 + 1, [None, Some(71.5)])]
        {
            timeline.add_temperatures((at_ns, at_ns), &read_c);
        }
        timeline.add_temperatures((SECOND, SECOND * 2), &[None, None]);
        let read =
            |timeline: &Timeline| timeline.slots.iter().map(|slot| slot.temperatures_c.clone()).collect::<Vec<_>>();
        assert_eq!(read(&timeline), [vec![Some(40.0), None], vec![], vec![None, Some(71.5)]]);
        timeline.merge_neighbours();
        assert_eq!(read(&timeline), [vec![Some(40.0), None], vec![None, Some(71.5)]]);
    }

    #[test]
    fn a_remainder_becomes_a_slot_or_part_of_the_last() {
        for (until_ns, slots, last_ns) in [
            (2_400_000_000, 2, 1_400_000_000),
            (2_600_000_000, 3, 600_000_000),
            (2_000_000_000, 2, SECOND),
            (300_000_000, 1, 300_000_000),
        ] {
            let mut timeline = Timeline::new(0, SECOND, Vec::new());
            timeline.count((0, 3 * SECOND), Ddir::Read, 3000, 0);
            timeline.end(until_ns, &[]);
            assert_eq!((timeline.slots.len(), timeline.slot_ns(timeline.slots.len() - 1)), (slots, last_ns));
        }
    }

    #[test]
    fn slots_stay_below_the_limit_and_counts_add_up() {
        let mut timeline = Timeline::new(0, SECOND, Vec::new());
        for second in 0..86_400 {
            timeline.count((second * SECOND, (second + 1) * SECOND), Ddir::Write, 1, 4096);
        }
        timeline.end(86_400 * SECOND, &[]);
        assert!(timeline.slots.len() <= SLOTS_MAX && timeline.slots.len() > SLOTS_MAX / 2);
        assert_eq!(timeline.interval_ns, 128 * SECOND);
        assert_eq!(timeline.slots.iter().map(|slot| slot.ddirs[1].ios).sum::<u64>(), 86_400);
        assert_eq!(timeline.ios_per_s(None)[3], 1.0);
    }
}
