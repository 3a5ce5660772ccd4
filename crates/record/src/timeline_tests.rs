//! Timelines, compared with a plain distribution of counts over slots.

use plan::Ddir;
use proptest::prelude::*;

use crate::share::Share;
use crate::timeline::SLOTS_MAX;
use crate::{CoarseHistogram, DiskSlot, Slot, SlotLatencies, Timeline};

const SLOT: u64 = 100;

fn timeline(disks: usize) -> Timeline {
    Timeline::new(3, SLOT, (0..disks).map(|at| format!("sd{at}")).collect())
}

fn latencies(values: &[u64]) -> SlotLatencies {
    let mut all = SlotLatencies::default();
    values.iter().for_each(|ns| all.record(*ns));
    all
}

fn each<T>(timeline: &Timeline, of: impl Fn(&Slot) -> T) -> Vec<T> {
    timeline.slots.iter().map(of).collect()
}

/// The share of a count that lies before `until`, of a span.
fn before(count: u64, (from, to): (u64, u64), until: u64) -> u64 {
    if until >= to {
        count
    } else {
        // Halves are rounded up.
        (2 * count * until.saturating_sub(from) + (to - from)) / (2 * (to - from))
    }
}

proptest! {
    #[test]
    fn a_count_is_distributed_evenly(from in 0u64..1000, length in 1u64..900, count in 0u64..5000) {
        let span = (from, from + length);
        let mut timeline = timeline(0);
        timeline.count(span, Ddir::Write, count, 7 * count);
        let expected = |at: u64| {
            let of = |count| before(count, span, (at + 1) * SLOT) - before(count, span, at * SLOT);
            (of(count), of(7 * count))
        };
        for (at, slot) in (0..).zip(&timeline.slots) {
            prop_assert_eq!((slot.ddirs[1].ios, slot.ddirs[1].bytes), expected(at), "slot {}", at);
        }
        prop_assert_eq!(timeline.slots.len() as u64, if count > 0 { span.1.div_ceil(SLOT) } else { 0 });
    }
}

#[test]
fn a_span_without_length_is_in_the_slot_that_ends_with_it() {
    for (at, slot) in [(0, 0), (99, 0), (100, 0), (101, 1), (200, 1)] {
        let mut timeline = timeline(0);
        timeline.count((at, at), Ddir::Trim, 4, 0);
        assert_eq!(timeline.slots.len(), slot + 1, "{at}");
        assert_eq!(timeline.slots[slot].ddirs[2].ios, 4);
    }
    // A span that ends before its start has no length.
    let mut backwards = timeline(0);
    backwards.count((250, 50), Ddir::Read, 4, 0);
    assert_eq!(each(&backwards, |slot| slot.ddirs[0].ios), [0, 0, 4]);
    let mut bytes_only = timeline(0);
    bytes_only.count((0, 50), Ddir::Read, 0, 9);
    assert_eq!(each(&bytes_only, |slot| slot.ddirs[0].bytes), [9]);
}

#[test]
fn latencies_of_each_kind_are_distributed() {
    let mut timeline = timeline(0);
    let all = latencies(&[10, 10, 10, 10, 20, 20]);
    timeline.count_lat((0, 200), Ddir::Read, &all);
    timeline.count_response((100, 300), Ddir::Write, &all);
    timeline.count_syncs((0, 300), &all);
    timeline.count_syncs((0, 999), &SlotLatencies::default());
    let read = each(&timeline, |slot| (slot.ddirs[0].lat.total(), slot.ddirs[0].lat_sum_ns));
    assert_eq!(read, [(3, 40), (3, 40), (0, 0)]);
    let lat = timeline.slots[0].ddirs[0].latencies();
    assert_eq!((lat.sum_ns, lat.histogram.total(), lat.histogram.percentile(50.0)), (40, 3, Some(10)));
    let response = each(&timeline, |slot| (slot.ddirs[1].response.histogram.total(), slot.ddirs[1].response.sum_ns));
    assert_eq!(response, [(0, 0), (3, 40), (3, 40)]);
    // Each bin by itself: 4 / 3 and 2 / 3, rounded so that the parts add up.
    let syncs = each(&timeline, |slot| (slot.syncs.histogram.total(), slot.syncs.sum_ns));
    assert_eq!(syncs, [(2, 27), (2, 26), (2, 27)]);
}

#[test]
fn counts_of_devices_are_distributed() {
    let mut timeline = timeline(2);
    let counted = DiskSlot { ios: [4, 8], bytes: [40, 80] };
    timeline.count_disk((0, 200), 1, &counted);
    timeline.count_disk((0, 900), 2, &counted);
    timeline.count_disk((0, 900), 0, &DiskSlot::default());
    let half = DiskSlot { ios: [2, 4], bytes: [20, 40] };
    assert_eq!(each(&timeline, |slot| slot.disks.clone()), vec![vec![DiskSlot::default(), half]; 2]);
}

#[test]
fn merged_slots_have_the_counts_of_both() {
    let mut timeline = timeline(1);
    let all = latencies(&[10, 20]);
    for at in 0..3 {
        let span = (at * SLOT, (at + 1) * SLOT);
        timeline.count(span, Ddir::Read, at + 1, 10 * (at + 1));
        timeline.count_lat(span, Ddir::Read, &all);
        timeline.count_response(span, Ddir::Read, &all);
        timeline.count_syncs(span, &all);
        timeline.count_disk(span, 0, &DiskSlot { ios: [at, 1], bytes: [5, at] });
    }
    timeline.end(SLOT * SLOTS_MAX as u64 + 1, &[]);
    assert_eq!((timeline.interval_ns, timeline.slots.len()), (2 * SLOT, SLOTS_MAX / 2));
    let (first, second) = (&timeline.slots[0], &timeline.slots[1]);
    assert_eq!((first.ddirs[0].ios, first.ddirs[0].bytes, second.ddirs[0].ios), (3, 30, 3));
    assert_eq!((first.ddirs[0].lat.total(), first.ddirs[0].lat_sum_ns), (4, 60));
    assert_eq!((first.ddirs[0].response.sum_ns, first.syncs.sum_ns, second.syncs.sum_ns), (60, 60, 30));
    assert_eq!(first.disks, [DiskSlot { ios: [1, 2], bytes: [10, 1] }]);
    assert_eq!(second.disks, [DiskSlot { ios: [2, 1], bytes: [5, 2] }]);
}

#[test]
fn the_number_of_slots_has_a_limit() {
    let last = |at: u64| {
        let mut timeline = timeline(0);
        timeline.count((at - 1, at), Ddir::Read, 1, 0);
        (timeline.slots.len(), timeline.interval_ns)
    };
    let limit = SLOTS_MAX as u64 * SLOT;
    assert_eq!([last(limit), last(limit + 1)], [(SLOTS_MAX, SLOT), (SLOTS_MAX / 2 + 1, 2 * SLOT)]);
    let ended = |until| {
        let mut timeline = timeline(0);
        timeline.end(until, &[]);
        (timeline.slots.len(), timeline.interval_ns)
    };
    assert_eq!([ended(limit), ended(limit + 1)], [(SLOTS_MAX, SLOT), (SLOTS_MAX / 2, 2 * SLOT)]);
    assert_eq!(Timeline::new(0, 0, Vec::new()).interval_ns, 1);
}

#[test]
fn a_remainder_below_half_of_a_slot_is_part_of_the_last() {
    let ended = |until: u64| {
        let mut timeline = timeline(0);
        timeline.count((0, 400), Ddir::Read, 4, 0);
        timeline.end(until, &[]);
        let lengths = (0..timeline.slots.len()).map(|at| timeline.slot_ns(at)).collect::<Vec<_>>();
        (lengths, each(&timeline, |slot| slot.ddirs[0].ios))
    };
    assert_eq!(ended(249), (vec![100, 149], vec![1, 2]));
    assert_eq!(ended(250), (vec![100, 100, 50], vec![1, 1, 1]));
    assert_eq!(ended(300), (vec![100; 3], vec![1; 3]));
    assert_eq!(ended(49), (vec![49], vec![1]));
    assert_eq!(ended(0), (vec![1], vec![1]));
}

#[test]
fn a_worker_is_in_the_slots_of_which_it_was_measured_80_percent() {
    let present = |measured: (u64, u64)| {
        let mut timeline = timeline(1);
        timeline.end(300, &[measured]);
        assert!(timeline.slots.iter().all(|slot| slot.disks.len() == 1));
        each(&timeline, |slot| slot.workers)
    };
    assert_eq!(present((0, 300)), [1, 1, 1]);
    assert_eq!([present((10, 300)), present((11, 300))], [[1, 1, 1], [0, 1, 1]]);
    assert_eq!([present((110, 300)), present((111, 300))], [[0, 1, 1], [0, 0, 1]]);
    assert_eq!([present((0, 290)), present((0, 289))], [[1, 1, 1], [1, 1, 0]]);
    assert_eq!([present((0, 190)), present((0, 189))], [[1, 1, 0], [1, 0, 0]]);
}

#[test]
fn rates_are_over_the_length_of_each_slot() {
    let mut timeline = Timeline { from_ns: 1000, ..timeline(0) };
    for (ddir, ios) in [(Ddir::Read, 3), (Ddir::Write, 6)] {
        (0..2).for_each(|at| timeline.count((at * SLOT, (at + 1) * SLOT), ddir, ios, 10 * ios));
    }
    timeline.end(1000 + 150, &[]);
    timeline.slots.truncate(2);
    assert_eq!((timeline.phase, timeline.slot_ns(0), timeline.slot_ns(1)), (3, 100, 50));
    assert_eq!(timeline.ios_per_s(Some(Ddir::Read)), [3e7, 6e7]);
    assert_eq!(timeline.bytes_per_s(Some(Ddir::Write)), [6e8, 1.2e9]);
    assert_eq!((timeline.ios_per_s(None), timeline.bytes_per_s(None)), (vec![9e7, 1.8e8], vec![9e8, 1.8e9]));
}

#[test]
fn coarse_histograms_have_means_and_percentiles() {
    let mut all = CoarseHistogram::default();
    assert_eq!((all.percentile(50.0), all.mean(), all.is_empty()), (None, None, true));
    [1, 2, 3, 4, 10].into_iter().for_each(|value| all.record(value));
    assert_eq!((all.mean(), all.total(), all.is_empty()), (Some(4.0), 5, false));
    let of = [0.0, 20.0, 20.1, 40.0, 80.0, 80.1, 100.0].map(|percent| all.percentile(percent));
    assert_eq!(of, [1, 1, 2, 2, 4, 10, 10].map(Some));
    let mut more = CoarseHistogram::default();
    [2, 5, 2, 30].into_iter().for_each(|value| more.record(value));
    more.merge(&all);
    let bins: Vec<(u64, u64)> = more.bins().map(|bin| (bin.low, bin.count)).collect();
    assert_eq!((bins, more.total()), (vec![(1, 1), (2, 3), (3, 1), (4, 1), (5, 1), (10, 1), (30, 1)], 9));
    assert_eq!(
        more.part(&Share { from: 0, to: 1, whole: 2 }).bins().map(|bin| (bin.low, bin.count)).collect::<Vec<_>>(),
        [(1, 1), (2, 2), (3, 1), (4, 1), (5, 1), (10, 1), (30, 1)]
    );
}

#[test]
fn latencies_of_a_slot_may_have_a_sum_only() {
    let all = latencies(&[100]);
    let parts = [(0, 2), (2, 5)].map(|(from, to)| all.part(&Share { from, to, whole: 5 }));
    assert_eq!(parts.each_ref().map(|part| (part.sum_ns, part.histogram.total())), [(40, 0), (60, 1)]);
    assert_eq!(parts.each_ref().map(SlotLatencies::is_empty), [false, false]);
    assert!(SlotLatencies::default().is_empty());
    let mut both = parts[0].clone();
    both.merge(&parts[1]);
    assert_eq!(both, all);
}
