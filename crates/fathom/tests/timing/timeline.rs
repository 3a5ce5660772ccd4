//! The time series of a saved record: the slots add up to the counters of the workers and of the device. Their values are
//! tested on a simulated device in `engine`.

use crate::stage::{Scratch, Zram, fathom, outcome, with_realtime_priority};
use record::{Record, Timeline};

fn fio(scratch: &Scratch, arguments: &str) -> Record {
    let line = format!("--record=record --output=report {arguments}");
    outcome(with_realtime_priority(fathom(scratch.path(), &line)).spawn().unwrap()).ended_with(0);
    saved(scratch)
}

fn saved(scratch: &Scratch) -> Record {
    record::schema::read(&std::fs::read(scratch.file("record")).unwrap()).unwrap()
}

/// I/Os, bytes and latencies of all slots.
fn sums(timeline: &Timeline) -> [(u64, u64, u64); 3] {
    std::array::from_fn(|at| {
        let slots = timeline.slots.iter().map(|slot| &slot.ddirs[at]);
        slots.fold((0, 0, 0), |sum, slot| (sum.0 + slot.ios, sum.1 + slot.bytes, sum.2 + slot.lat.total()))
    })
}

/// The same as the workers of a phase counted it.
fn counted(record: &Record, phase: u32) -> [(u64, u64, u64); 3] {
    let both = record.plan.workers.iter().zip(&record.workers);
    let stats: Vec<_> = both.filter(|(worker, _)| worker.phase == phase).map(|(_, kept)| &kept.stats).collect();
    std::array::from_fn(|at| {
        let ddirs = stats.iter().map(|stats| &stats.ddirs[at]);
        ddirs.fold((0, 0, 0), |sum, ddir| (sum.0 + ddir.ios, sum.1 + ddir.bytes, sum.2 + ddir.lat.count()))
    })
}

fn assert_adds_up(record: &Record) {
    for timeline in &record.timeline {
        assert_eq!(sums(timeline), counted(record, timeline.phase as u32), "phase {}", timeline.phase);
    }
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn slots_of_a_short_run_add_up_to_its_counts() {
    let scratch = Scratch::new("timeline-short");
    let job = "--name=j --ioengine=psync --rw=randrw --bs=4k --size=8m --runtime=1 --time_based --numjobs=3";
    let record = fio(&scratch, job);
    let timeline = &record.timeline[0];
    assert_eq!((timeline.phase, timeline.from_ns, timeline.interval_ns), (0, 0, 250_000_000));
    assert!(timeline.slots.len() >= 4, "{}", timeline.slots.len());
    assert_adds_up(&record);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn slots_have_the_counters_of_the_device_beside_those_of_the_workers() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("timeline-device");
    let job =
        "--name=j --ioengine=io_uring --direct=1 --bs=8k --rw=randwrite --rate_iops=2000 --time_based --runtime=1";
    let record = fio(&scratch, &format!("{job} --ramp_time=1 --filename={}", zram.device));
    let timeline = &record.timeline[0];
    assert_eq!(timeline.disks.len(), 1);
    assert!(zram.device.ends_with(&timeline.disks[0]), "{:?}", timeline.disks);
    assert!(timeline.slots.iter().all(|slot| slot.disks[0].ios[0] == 0), "{:?}", timeline.slots);
    let sum = |bytes: &dyn Fn(&record::Slot) -> u64| timeline.slots.iter().map(bytes).sum::<u64>();
    let (requested, written) = (sum(&|slot| slot.ddirs[1].bytes), sum(&|slot| slot.disks[0].bytes[1]));
    assert!(written.abs_diff(requested) < requested / 10, "{requested} {written}");
    assert_adds_up(&record);
}
