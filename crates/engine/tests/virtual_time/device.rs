//! The time series shows the behaviour of the device exactly.

use sim::{DeviceModel, Limit, ServiceTime};

use crate::harness::{MS, S, US, above, device, fio};

const TIMED: &str = "--name=a --rw=randread --time_based";

#[test]
fn burst_credit_and_throttle_appear_in_their_slots() {
    // 1000 IOPS until the burst credit of 2000 I/Os is used, then 100 IOPS.
    let limits = vec![Limit::iops(100).with_credit(2000), Limit::iops(1000)];
    let run = fio(DeviceModel { limits, ..device(US, 8) }, &format!("{TIMED} --iodepth=4 --runtime=5"));
    let slots = run.ios_by_slot(0);
    let mut expected = run.served_by_slot(0, 20);
    assert_eq!((&expected[..8], &expected[9..]), (&[250; 8][..], &[25; 11][..]));
    // I/Os in flight at the end count.
    expected[19] += 4;
    assert_eq!(slots, expected);
}

#[test]
fn stall_is_an_empty_slot_and_one_slow_io_per_queue_slot() {
    let model = DeviceModel { stalls: vec![S + 100 * US..1600 * MS], ..device(100 * US, 4) };
    let run = fio(model, &format!("{TIMED} --iodepth=4 --runtime=3"));
    let slots = run.ios_by_slot(0);
    let mut expected = run.served_by_slot(0, 12);
    expected[11] += 4;
    assert_eq!(slots, expected);
    assert_eq!(slots[3..8], [10_000, 8, 0, 5_996, 10_000]);
    let lat = &run.reads(0).lat;
    assert_eq!((lat.max_ns(), above(lat, MS)), (600 * MS, 4));
}

#[test]
fn bandwidth_samples_match_the_device() {
    let model = DeviceModel { limits: vec![Limit::bandwidth(100 << 20)], ..device(0, 8) };
    let run = fio(model, &format!("{TIMED} --bs=64k --iodepth=4 --runtime=4 --bwavgtime=500 --iopsavgtime=500"));
    let (bandwidth, iops) = (&run.reads(0).bandwidth_kib, &run.reads(0).iops);
    assert_eq!((bandwidth.count, bandwidth.min, bandwidth.max, bandwidth.mean), (8, 102_400.0, 102_400.0, 102_400.0));
    assert_eq!((iops.count, iops.min, iops.max), (8, 1600.0, 1600.0));
}

#[test]
fn two_latency_modes_match_the_device() {
    let service = ServiceTime::Modes(vec![(80 * US, 90), (4 * MS, 10)]);
    let run = fio(DeviceModel { service, ..DeviceModel::default() }, &format!("{TIMED} --runtime=5"));
    let slow = run.served.iter().filter(|io| io.done_ns - io.started_ns == 4 * MS).count() as u64;
    let lat = &run.reads(0).lat;
    assert_eq!((lat.count(), above(lat, MS)), (run.reads(0).ios, slow));
    assert_eq!((lat.min_ns(), lat.max_ns()), (80 * US, 4 * MS));
}

#[test]
fn many_workers_appear_in_every_slot() {
    let options = format!("{TIMED} --rate_iops=100 --runtime=2 --numjobs=256");
    let run = fio(device(US, 256), &options);
    assert_eq!(run.ios_by_slot(0), [256 * 25; 8]);
    assert!(run.record.timeline[0].slots.iter().all(|slot| slot.workers == 256));
}

#[test]
fn time_series_exclude_ramps_and_are_per_phase() {
    let options = "--rw=randread --rate_iops=1000 --time_based --name=a --ramp_time=1 --runtime=1 \
        --name=b --stonewall --ramp_time=0 --runtime=500ms";
    let run = fio(device(US, 1), options);
    assert_eq!((run.ios_by_slot(0), run.ios_by_slot(1)), (vec![250; 4], vec![250; 2]));
}

#[test]
fn workers_that_end_early_are_missing_from_the_later_slots() {
    let options = "--rw=randread --rate_iops=1000 --time_based --name=a --runtime=1 --name=b --runtime=500ms";
    let run = fio(device(US, 2), options);
    let slots = &run.record.timeline[0].slots;
    assert_eq!(slots.iter().map(|slot| slot.workers).collect::<Vec<_>>(), [2, 2, 1, 1]);
    assert_eq!(run.ios_by_slot(0), [500, 500, 250, 250]);
}

#[test]
fn slots_add_up_to_the_counters() {
    let model = DeviceModel { service: ServiceTime::Exponential { mean_ns: 200 * US }, channels: 4, ..device(0, 4) };
    let options = "--rw=randrw --time_based --runtime=2 --iodepth=4 --numjobs=3 --name=a --ramp_time=200ms";
    let run = fio(model, options);
    for (at, ios) in
        [run.ios(0).0 + run.ios(1).0 + run.ios(2).0, run.ios(0).1 + run.ios(1).1 + run.ios(2).1].into_iter().enumerate()
    {
        let slots = run.record.timeline[0].slots.iter().map(|slot| &slot.ddirs[at]);
        let sums = slots.fold((0, 0, 0), |sum, slot| (sum.0 + slot.ios, sum.1 + slot.bytes, sum.2 + slot.lat.total()));
        assert_eq!(sums, (ios, ios * 4096, ios));
    }
}
