//! Runs whose causes are known.

use plan::Ddir;
use record::{IoLayer, SlowCause, SlowIo, SlowIos};
use units::untrusted::UntrustedText;

use super::*;
use crate::io::{Flags, Io, Operation};

const MS: u64 = 1_000_000;
/// A run of 20 s.
const RUN: (u64, u64) = (1000 * MS, 21_000 * MS);

/// A read that takes 10 ms, with 1 ms before the block layer, 1 ms in the queue, 6 ms in the device and 2 ms after it.
fn slow(at_ns: u64) -> Explained {
    let io =
        SlowIo { ddir: Ddir::Read, file: 0, offset: 0, bytes: 4096, submitted_ns: at_ns, reaped_ns: at_ns + 10 * MS };
    let life = Life {
        start_ns: at_ns + MS,
        issued_ns: at_ns + 2 * MS,
        completed_ns: at_ns + 8 * MS,
        is_merged: false,
        is_split: false,
    };
    Explained { worker: 0, io, life: Some((0, life)) }
}

/// An I/O of a disk, at a time by `CLOCK_MONOTONIC`.
fn io(start_ns: u64, operation: Operation, ns: u64) -> Io {
    let (flags, sectors) = (Flags::default(), 8);
    let completed_ns = Some(ns);
    Io {
        start_ns,
        operation,
        flags,
        sector: 0,
        sectors,
        inserted_ns: None,
        issued_ns: None,
        completed_ns,
        program: None,
    }
}

/// Ten slow reads, 2 s apart.
fn ten() -> Vec<Explained> {
    (0..10).map(|nth| slow(RUN.0 + 500 * MS + nth * 2000 * MS)).collect()
}

fn explained(ios: &[Explained], evidence: &Evidence) -> SlowIos {
    let found = explain(ios, evidence, &Totals { ios: [10_000, 0, 0], run: RUN });
    assert_eq!(found.len(), 1);
    let found = found.into_iter().next().unwrap();
    assert!((found.parts.iter().map(|part| part.time_share).sum::<f64>() - 1.0).abs() < 1e-9);
    found
}

fn share(found: &SlowIos, layer: IoLayer, cause: Option<&SlowCause>) -> f64 {
    let parts = found.parts.iter().filter(|part| part.layer == layer && part.cause.as_ref() == cause);
    parts.map(|part| part.time_share).sum()
}

#[test]
fn time_is_divided_by_layers_and_nothing_is_invented() {
    let found = explained(&ten(), &Evidence::default());
    assert_eq!((found.ios, found.from_ns, found.period_s), (10, 10 * MS, Some(2.0)));
    let layers = [IoLayer::Submission, IoLayer::Queue, IoLayer::Device, IoLayer::Reaping];
    let shares = layers.map(|layer| (share(&found, layer, None) * 10.0).round());
    assert_eq!(shares, [1.0, 1.0, 6.0, 2.0]);
    assert_eq!((found.parts[0].layer, found.parts[0].ios), (IoLayer::Device, 10));
}

#[test]
fn ios_that_the_trace_lacks_are_told() {
    let ios: Vec<Explained> = ten().into_iter().map(|io| Explained { life: None, ..io }).collect();
    assert_eq!(share(&explained(&ios, &Evidence::default()), IoLayer::NotTraced, None), 1.0);
}

#[test]
fn flushes_and_other_programs_that_make_ios_slow_are_named() {
    let jbd2: UntrustedText = "jbd2/vda-8".into();
    let mut evidence = Evidence::default();
    for read in ten() {
        evidence.add(0, &io(read.io.submitted_ns, Operation::Flush, 8 * MS), Some(&jbd2), 0);
    }
    let flush = SlowCause::Flush { program: jbd2.clone() };
    let found = explained(&ten(), &evidence);
    assert!((share(&found, IoLayer::Device, Some(&flush)) - 0.6).abs() < 1e-9, "{found:#?}");
    assert_eq!(share(&found, IoLayer::Reaping, Some(&flush)), 0.0);
    // On another disk they are no cause.
    let mut evidence = Evidence::default();
    ten().iter().for_each(|read| evidence.add(1, &io(read.io.submitted_ns, Operation::Write, 8 * MS), Some(&jbd2), 0));
    assert_eq!(share(&explained(&ten(), &evidence), IoLayer::Device, None), 0.6);
}

#[test]
fn what_is_in_flight_by_chance_is_not_named() {
    let other: UntrustedText = "dd".into();
    for (every, busy) in [(10, 10), (10, 6), (100, 70)] {
        let mut evidence = Evidence::default();
        for nth in 0..20_000 / every {
            evidence.add(0, &io(RUN.0 + nth * every * MS, Operation::Write, busy * MS), Some(&other), 0);
        }
        // At any phase of the other program's I/Os.
        let reads: Vec<Explained> = (0..10).map(|nth| slow(RUN.0 + 500 * MS + nth * 1873 * MS)).collect();
        let found = explained(&reads, &evidence);
        assert!((share(&found, IoLayer::Device, None) - 0.6).abs() < 1e-9, "{every} {busy}: {found:#?}");
    }
}

#[test]
fn own_ios_are_no_cause() {
    let mut evidence = Evidence::default();
    ten().iter().for_each(|read| evidence.add(0, &io(read.io.submitted_ns, Operation::Read, 8 * MS), None, 0));
    assert!((share(&explained(&ten(), &evidence), IoLayer::Device, None) - 0.6).abs() < 1e-9);
}

#[test]
fn waits_of_the_worker_are_named_where_they_are() {
    type Change = fn(&mut Tick);
    let causes: [(Change, SlowCause); 4] = [
        (|tick| tick.run_delays_ns = vec![(0, 3 * MS)], SlowCause::CpuWait),
        (|tick| tick.throttled_ns = 3 * MS, SlowCause::CpuQuota),
        (|tick| tick.stolen_ns = 3 * MS, SlowCause::StolenCpu),
        (|tick| tick.reclaim_ns = 3 * MS, SlowCause::MemoryReclaim),
    ];
    for (change, cause) in causes {
        let mut evidence = Evidence::default();
        for read in ten() {
            let start_ns = read.io.submitted_ns;
            let mut tick = Tick { start_ns, end_ns: start_ns + 50 * MS, ..Tick::default() };
            change(&mut tick);
            evidence.tick(tick);
        }
        let found = explained(&ten(), &evidence);
        assert!((share(&found, IoLayer::Reaping, Some(&cause)) - 0.2).abs() < 1e-9, "{found:#?}");
        assert!((share(&found, IoLayer::Device, None) - 0.6).abs() < 1e-9, "{found:#?}");
    }
    // The wait of another worker is none of this one.
    let mut evidence = Evidence::default();
    let tick = |read: &Explained| Tick {
        start_ns: read.io.submitted_ns,
        end_ns: read.io.reaped_ns,
        run_delays_ns: vec![(1, 9 * MS)],
        ..Tick::default()
    };
    ten().iter().for_each(|read| evidence.tick(tick(read)));
    assert!((share(&explained(&ten(), &evidence), IoLayer::Reaping, None) - 0.2).abs() < 1e-9);
}

#[test]
fn a_limit_on_io_is_the_cause_of_time_before_the_block_layer() {
    let limited = |of_writes| {
        let mut evidence = Evidence::default();
        evidence.io_limits.push((0, of_writes));
        explained(&ten(), &evidence)
    };
    assert!((share(&limited(false), IoLayer::Submission, Some(&SlowCause::IoLimit)) - 0.1).abs() < 1e-9);
    assert!((share(&limited(true), IoLayer::Submission, None) - 0.1).abs() < 1e-9);
}
