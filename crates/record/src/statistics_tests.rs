//! Properties of the statistics, against plain arithmetic on the values.

use std::collections::BTreeMap;

use proptest::prelude::*;

use std::sync::Arc;

use plan::{Plan, Worker};

use crate::timeline::SlotDdir;
use crate::{
    DdirStats, Ended, Event, Histogram, Latency, Moments, Record, TargetUse, UseKind, UsedDevice, WorkerStats,
};

/// Values of up to `bits` bits (60 bits are 36 years), in parts that belong to different workers.
fn parts(bits: u32) -> impl Strategy<Value = Vec<Vec<u64>>> {
    let value = (any::<u64>(), 64 - bits..64).prop_map(|(value, shift)| value >> shift);
    prop::collection::vec(prop::collection::vec(value, 0..30), 1..6)
}

/// Operations on a histogram and a second one.
#[derive(Clone, Debug)]
enum Step {
    Record(u64, u64),
    Reserve,
    Copy,
    Load,
    Clear,
    Swap,
    Merge,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let record =
        (any::<u64>(), 0u32..64, 0u64..40).prop_map(|(value, shift, times)| Step::Record(value >> shift, times));
    let repeated = (0u64..4, 0u64..40).prop_map(|(value, times)| Step::Record(value << 40, times));
    let step = prop_oneof![
        12 => record,
        4 => repeated,
        1 => Just(Step::Reserve),
        2 => Just(Step::Copy),
        1 => Just(Step::Load),
        1 => Just(Step::Clear),
        2 => Just(Step::Swap),
        2 => Just(Step::Merge),
    ];
    prop::collection::vec(step, 0..200)
}

fn latency(values: &[u64]) -> Latency {
    let mut latency = Latency::default();
    values.iter().for_each(|ns| latency.record(*ns));
    latency
}

fn moments(values: &[u64]) -> Moments {
    let mut moments = Moments::default();
    values.iter().for_each(|value| moments.record(*value as f64));
    moments
}

/// Returns the mean, the sample deviation and the population deviation.
fn mean_and_deviations(values: &[u64]) -> (f64, f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().map(|value| *value as f64 / count).sum::<f64>();
    let squares: f64 = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt(), (squares / count).sqrt())
}

fn close(left: f64, right: f64, scale: f64) -> bool {
    (left - right).abs() <= scale * 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merged_latencies_equal_the_latency_of_all_values(parts in parts(60)) {
        let mut merged = Latency::default();
        parts.iter().for_each(|part| merged.merge(&latency(part)));
        prop_assert!(merged == latency(&parts.concat()));
    }

    #[test]
    fn a_histogram_equals_plain_counts_after_any_operations(steps in steps()) {
        let (mut histogram, mut plain) = (Histogram::default(), BTreeMap::new());
        let mut second = (histogram.clone(), plain.clone());
        for step in steps {
            match step {
                Step::Record(value, times) => {
                    histogram.record_many(value, times);
                    if times > 0 {
                        *plain.entry(Histogram::index_of(value)).or_insert(0) += times;
                    }
                }
                Step::Reserve => histogram.reserve(),
                Step::Copy => histogram = histogram.clone(),
                Step::Load => {
                    let saved = serde_json::to_string(&histogram).expect("a histogram can be saved");
                    histogram = serde_json::from_str(&saved).expect("what was saved can be loaded");
                }
                Step::Clear => {
                    histogram.clear();
                    plain.clear();
                }
                Step::Swap => {
                    std::mem::swap(&mut histogram, &mut second.0);
                    std::mem::swap(&mut plain, &mut second.1);
                }
                Step::Merge => {
                    histogram.merge(&second.0);
                    second.1.iter().for_each(|(&index, count)| *plain.entry(index).or_insert(0) += count);
                }
            }
            prop_assert_eq!(histogram.total(), plain.values().sum::<u64>());
            let bins: Vec<_> = histogram.bins().map(|bin| (bin.index, bin.count)).collect();
            prop_assert_eq!(bins, plain.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(&histogram, &histogram.clone());
            prop_assert_eq!(histogram == second.0, plain == second.1);
        }
        for index in 0..Histogram::FIO_BINS - 1 {
            prop_assert_eq!(histogram.fio_bin(index), plain.get(&index).copied().unwrap_or(0));
        }
        let beyond: u64 = plain.range(Histogram::FIO_BINS - 1..).map(|(_, count)| count).sum();
        prop_assert_eq!(histogram.fio_bin(Histogram::FIO_BINS - 1), beyond);
    }

    #[test]
    fn mean_and_deviation_are_those_of_the_values(parts in parts(50)) {
        let values = parts.concat();
        prop_assume!(values.len() > 1);
        let (latency, moments) = (latency(&values), moments(&values));
        let (mean, sample, all) = mean_and_deviations(&values);
        let scale = values.iter().max().map_or(1.0, |most| 1.0 + *most as f64);
        prop_assert!(close(latency.mean_ns(), mean, scale) && close(moments.mean, mean, scale));
        prop_assert!(close(latency.deviation_ns(), sample, scale), "{} {sample}", latency.deviation_ns());
        prop_assert!(close(moments.deviation(), sample, scale), "{} {sample}", moments.deviation());
        prop_assert!(close(latency.population_deviation_ns(), all, scale));
        prop_assert!(close(moments.population_deviation(), all, scale));
    }

    #[test]
    fn merged_moments_are_those_of_all_values(parts in parts(50)) {
        let mut merged = Moments::default();
        parts.iter().for_each(|part| merged.merge(&moments(part)));
        let values = parts.concat();
        prop_assert_eq!(merged.count, values.len() as u64);
        prop_assume!(values.len() > 1);
        let (mean, sample, _) = mean_and_deviations(&values);
        let scale = 1.0 + merged.max;
        prop_assert!(close(merged.mean, mean, scale) && close(merged.deviation(), sample, scale));
        prop_assert_eq!(Some(merged.min as u64), values.iter().min().copied());
    }

    #[test]
    fn a_percentile_is_in_the_bin_of_the_value_of_nearest_rank(parts in parts(60), permille in 0u32..=1000) {
        let mut values = parts.concat();
        prop_assume!(!values.is_empty());
        let percentile = latency(&values).percentile_ns(f64::from(permille) / 10.0);
        values.sort_unstable();
        // Integer arithmetic has no rounding errors.
        let rank = (permille as usize * values.len()).div_ceil(1000).max(1);
        let found = values[rank - 1];
        prop_assert_eq!(Histogram::index_of(percentile), Histogram::index_of(found));
        prop_assert!(values[0] <= percentile && percentile <= values[values.len() - 1]);
    }
}

#[test]
fn rates_are_over_the_runtime() {
    let stats = DdirStats { ios: 30, bytes: 8192, runtime_ns: 2_000_000_000, ..DdirStats::default() };
    assert_eq!((stats.ios_per_s(), stats.bytes_per_s()), (15.0, 4096.0));
    assert_eq!(DdirStats { ios: 30, ..DdirStats::default() }.ios_per_s(), 0.0);
}

#[test]
fn only_slots_with_latencies_save_them() {
    let saved = |slot: &SlotDdir| serde_json::to_value(slot).expect("JSON");
    let mut slot = SlotDdir { ios: 1, ..SlotDdir::default() };
    assert_eq!(saved(&slot), serde_json::json!({ "ios": 1 }));
    slot.lat.record(1000);
    assert!(saved(&slot).get("lat").is_some());
}

#[test]
fn events_of_a_worker_become_its_record() {
    let plan = Plan { workers: vec![Worker::default(), Worker::default()], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 0);
    let stats = |ios: u64| {
        let mut stats = WorkerStats::default();
        stats.ddirs[0].ios = ios;
        Box::new(stats)
    };
    record.apply(Event::Snapshot { worker: 1, stats: stats(5) });
    assert_eq!((record.workers[1].stats.ddirs[0].ios, record.workers[1].ended), (5, false));
    let ended = Ended { stats: stats(9), error: None, nonfatal_errors: 2, first_nonfatal_errno: 5 };
    record.apply(Event::Ended { worker: 1, ended });
    let worker = &record.workers[1];
    assert_eq!((worker.stats.ddirs[0].ios, worker.nonfatal_errors, worker.first_nonfatal_errno), (9, 2, 5));
    record.apply(Event::Stopped);
    assert!(worker_ended(&record) && record.stopped && !record.failed());
}

fn worker_ended(record: &Record) -> bool {
    record.workers[1].ended && !record.workers[0].ended
}

#[test]
fn each_use_of_a_target_has_its_end() {
    let release = |kind: UseKind| TargetUse { device: "/dev/sdb".into(), relation: UsedDevice::Target, kind }.release();
    assert_eq!(release(UseKind::Mounted { at: "/mnt".into() }), "umount /mnt first");
    assert_eq!(release(UseKind::Swap), "swapoff first");
    let member = release(UseKind::Member { of: "RAID".into() });
    assert!(member.contains("wipefs"), "{member}");
    let stacked = UseKind::Stacked { device: "dm-0".into(), then: Vec::new() };
    assert_eq!(release(stacked), "stop the devices above it first");
    assert_eq!(release(UseKind::Exclusive { by: Vec::new() }), "stop the program or driver that uses it first");
}

#[test]
fn uses_of_a_target_are_described() {
    let text = |relation, kind| TargetUse { device: "/dev/sdb1".into(), relation, kind }.to_string();
    let words = |list: &[&str]| list.iter().map(|word| (*word).into()).collect::<Vec<_>>();
    let stacked = |then: &[&str]| UseKind::Stacked { device: "dm-0".into(), then: words(then) };
    assert_eq!(text(UsedDevice::Target, UseKind::Mounted { at: "/mnt".into() }), "mounted on /mnt");
    assert_eq!(text(UsedDevice::Partition, UseKind::Swap), "in use as swap (partition /dev/sdb1)");
    assert_eq!(text(UsedDevice::WholeDisk, stacked(&[])), "in use by dm-0 (whole disk /dev/sdb1)");
    assert_eq!(text(UsedDevice::Target, stacked(&["swap", "b"])), "in use by dm-0, which is swap and b");
    let member = UseKind::Member { of: "RAID".into() };
    assert_eq!(text(UsedDevice::BackingFile, member), "RAID, by its signature (backing file /dev/sdb1)");
    let unknown = text(UsedDevice::Target, UseKind::Exclusive { by: Vec::new() });
    assert_eq!(unknown, "opened exclusively by another program or driver");
    let known = UseKind::Exclusive { by: words(&["a", "b"]) };
    assert_eq!(text(UsedDevice::Target, known), "opened exclusively; open in a, b");
}
