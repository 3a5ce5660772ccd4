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
    let io = SlowIo {
        ddir: Ddir::Read,
        file: 0,
        offset: 0,
        bytes: 4096,
        submitted_ns: at_ns,
        reaped_ns: at_ns + 10 * MS,
        own_ns: 0,
    };
    let life = Life {
        start_ns: at_ns + MS,
        issued_ns: at_ns + 2 * MS,
        completed_ns: at_ns + 8 * MS,
        is_merged: false,
        is_split: false,
        is_held_back: false,
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
    explained_in(RUN, ios, evidence)
}

/// Explains the reads of a run whose measured time is this.
fn explained_in(measured: Time, ios: &[Explained], evidence: &Evidence) -> SlowIos {
    let times = Times::union([measured]);
    let totals = Totals { ios: [10_000, 0, 0], traced_share: 1.0, start_ns: RUN.0, times };
    let found = explain(ios, evidence, &totals);
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
fn windows_of_the_trace_are_no_bursts() {
    let totals = Totals { ios: [10_000, 0, 0], traced_share: 0.02, start_ns: RUN.0, times: Times::union([RUN]) };
    assert_eq!(explain(&ten(), &Evidence::default(), &totals)[0].period_s, None);
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
    let flush = SlowCause::Flush { program: Some(jbd2.clone()) };
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
        (|tick| (tick.stolen_ns, tick.stolen_max_ns) = (3 * MS, 6 * MS), SlowCause::StolenCpu),
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
fn a_wait_is_not_named_where_its_counter_proves_nothing() {
    let counted = |run_delay_ns| {
        let mut evidence = Evidence::default();
        for read in ten() {
            let start_ns = read.io.submitted_ns;
            evidence.tick(Tick {
                start_ns,
                end_ns: start_ns + 50 * MS,
                run_delays_ns: vec![(0, run_delay_ns)],
                ..Tick::default()
            });
        }
        let found = explained(&ten(), &evidence);
        [IoLayer::Reaping, IoLayer::Submission].map(|layer| share(&found, layer, Some(&SlowCause::CpuWait)) > 0.0)
    };
    // The longest part gets the wait first. There is none left for the other.
    assert_eq!(counted(2 * MS), [true, false]);
    assert_eq!(counted(3 * MS), [true, true]);
    // Waits of 20 ms are elsewhere: these parts have 2 and 1 ms. A worker that waits most of the time waits in them, too.
    assert_eq!(counted(20 * MS), [false, false]);
    assert_eq!(counted(30 * MS), [true, true]);
}

#[test]
fn ios_in_flight_together_share_a_wait() {
    let at_once: Vec<Explained> = (0..10).map(|_| slow(RUN.0 + 500 * MS)).collect();
    let mut evidence = Evidence::default();
    let (start_ns, end_ns) = (RUN.0 + 500 * MS, RUN.0 + 550 * MS);
    evidence.tick(Tick { start_ns, end_ns, run_delays_ns: vec![(0, 2 * MS)], ..Tick::default() });
    let found = explained(&at_once, &evidence);
    assert!((share(&found, IoLayer::Reaping, Some(&SlowCause::CpuWait)) - 0.2).abs() < 1e-9, "{found:#?}");
}

#[test]
fn a_limit_on_io_is_the_cause_of_time_before_the_block_layer_if_the_kernel_held_the_io_back() {
    let limited = |of_writes, is_held_back| {
        let mut evidence = Evidence::default();
        evidence.io_limits.push((0, of_writes));
        let held =
            |io: Explained| Explained { life: io.life.map(|(disk, life)| (disk, Life { is_held_back, ..life })), ..io };
        let ios: Vec<Explained> = ten().into_iter().map(held).collect();
        share(&explained(&ios, &evidence), IoLayer::Submission, Some(&SlowCause::IoLimit))
    };
    assert!((limited(false, true) - 0.1).abs() < 1e-9);
    assert_eq!(limited(true, true), 0.0, "a limit on writes");
    assert_eq!(limited(false, false), 0.0, "the limit was not reached");
}

/// Length of a stall of the device.
const STALL: u64 = 200 * MS;

/// Ten reads that wait in the device for the end of its stalls, which begin 1 ms before them.
fn stalled() -> Vec<Explained> {
    stalls().map(|at_ns| in_device(at_ns + MS, at_ns + STALL)).collect()
}

/// A read that is in the device all the time.
fn in_device(submitted_ns: u64, reaped_ns: u64) -> Explained {
    let io = SlowIo { ddir: Ddir::Read, file: 0, offset: 0, bytes: 4096, submitted_ns, reaped_ns, own_ns: 0 };
    let (start_ns, issued_ns, completed_ns) = (submitted_ns, submitted_ns, reaped_ns);
    let life = Life { start_ns, issued_ns, completed_ns, is_merged: false, is_split: false, is_held_back: false };
    Explained { worker: 0, io, life: Some((0, life)) }
}

fn stalls() -> impl Iterator<Item = u64> {
    (0..10).map(|nth| RUN.0 + 700 * MS + nth * 1900 * MS)
}

/// Returns when an I/O of the device ends that would take 0.1 ms.
fn end_ns(start_ns: u64) -> u64 {
    let stall = stalls().find(|stall| start_ns + MS / 10 > *stall && start_ns < stall + STALL);
    stall.map_or(start_ns, |stall| stall + STALL) + MS / 10
}

#[test]
fn victims_of_the_same_stall_are_no_cause() {
    let other: UntrustedText = "victim".into();
    // I/Os one after the other, with pauses between them.
    for pause_ns in [0, MS, 30 * MS, 700 * MS] {
        let mut evidence = Evidence::default();
        let mut at_ns = RUN.0;
        while at_ns < RUN.1 {
            let end_ns = end_ns(at_ns);
            evidence.add(0, &io(at_ns, Operation::Write, end_ns - at_ns), Some(&other), 0);
            at_ns = end_ns + pause_ns;
        }
        let found = explained(&stalled(), &evidence);
        assert!(share(&found, IoLayer::Device, None) > 0.99, "pauses of {pause_ns} ns: {found:#?}");
    }
    // I/Os at a rate, also during the stall.
    for every_ns in [MS, 9 * MS, 130 * MS] {
        let mut evidence = Evidence::default();
        for at_ns in (RUN.0..RUN.1).step_by(every_ns as usize) {
            evidence.add(0, &io(at_ns, Operation::Flush, end_ns(at_ns) - at_ns), Some(&other), 0);
        }
        let found = explained(&stalled(), &evidence);
        assert!(share(&found, IoLayer::Device, None) > 0.99, "one in {every_ns} ns: {found:#?}");
    }
}

#[test]
fn a_burst_of_a_program_is_named_also_beside_its_other_ios() {
    let (other, steady): (UntrustedText, UntrustedText) = ("burst".into(), "steady".into());
    let mut evidence = Evidence::default();
    let mut ios: Vec<(u64, u64, &UntrustedText)> = Vec::new();
    for at_ns in (RUN.0..RUN.1).step_by(MS as usize) {
        ios.push((at_ns, at_ns + MS / 10, &steady));
    }
    for at_ns in (RUN.0..RUN.1).step_by(20 * MS as usize) {
        ios.push((at_ns, at_ns + MS / 10, &other));
    }
    for burst_ns in stalls() {
        ios.extend((0..50).map(|nth| (burst_ns + nth * 4 * MS, burst_ns + (nth + 1) * 4 * MS, &other)));
    }
    ios.sort();
    for (start_ns, end_ns, program) in ios {
        evidence.add(0, &io(start_ns, Operation::Write, end_ns - start_ns), Some(program), 0);
    }
    let cause = SlowCause::OtherProgram { program: Some(other) };
    let found = explained(&stalled(), &evidence);
    assert!(share(&found, IoLayer::Device, Some(&cause)) > 0.99, "{found:#?}");
}

#[test]
fn a_few_long_bursts_are_named_also_beside_other_slow_ios() {
    let other: UntrustedText = "dd".into();
    // Five bursts in 12 s, each of which takes the disk 600 ms. Reads come every 10 ms.
    let measured = (RUN.0, RUN.0 + 12_000 * MS);
    let bursts = || (0..5).map(|nth| RUN.0 + 1000 * MS + nth * 2300 * MS);
    for is_flush in [false, true] {
        let mut evidence = Evidence::default();
        for burst_ns in bursts() {
            let (ios, operation) = if is_flush { (1, Operation::Flush) } else { (90, Operation::Write) };
            (0..ios).for_each(|_| evidence.add(0, &io(burst_ns, operation, 600 * MS), Some(&other), 0));
        }
        let behind = bursts().map(|burst_ns| in_device(burst_ns + 6 * MS, burst_ns + 600 * MS));
        let others =
            (0..5).map(|nth| in_device(RUN.0 + 300 * MS + nth * 2000 * MS, RUN.0 + 316 * MS + nth * 2000 * MS));
        let found = explained_in(measured, &behind.chain(others).collect::<Vec<_>>(), &evidence);
        let program = Some(other.clone());
        let cause = if is_flush { SlowCause::Flush { program } } else { SlowCause::OtherProgram { program } };
        let named = share(&found, IoLayer::Device, Some(&cause));
        assert!((0.95..0.99).contains(&named), "only what is behind the bursts: {found:#?}");
    }
}

#[test]
fn a_program_in_step_with_stalls_is_no_cause_if_its_other_ios_make_nothing_slow() {
    let other: UntrustedText = "victim".into();
    let mut evidence = Evidence::default();
    // One sync in 190 ms: each tenth is at the start of a stall.
    for at_ns in (RUN.0 + 130 * MS..RUN.1).step_by(190 * MS as usize) {
        evidence.add(0, &io(at_ns, Operation::Flush, end_ns(at_ns) - at_ns), Some(&other), 0);
    }
    let found = explained(&stalled(), &evidence);
    assert!(share(&found, IoLayer::Device, None) > 0.99, "{found:#?}");
}

#[test]
fn a_run_is_compared_with_its_measured_time_only() {
    let other: UntrustedText = "dd".into();
    let mut evidence = Evidence::default();
    // The other program has many I/Os before the measurement, and one at each slow read.
    let measured = (RUN.0 + 15_000 * MS, RUN.1);
    for at_ns in (RUN.0..measured.0).step_by(MS as usize) {
        evidence.add(0, &io(at_ns, Operation::Write, MS), Some(&other), 0);
    }
    let reads: Vec<Explained> = (0..10).map(|nth| slow(measured.0 + 100 * MS + nth * 473 * MS)).collect();
    reads.iter().for_each(|read| evidence.add(0, &io(read.io.submitted_ns, Operation::Write, 8 * MS), Some(&other), 0));
    let named = |found: &SlowIos| {
        1.0 - found.parts.iter().filter(|part| part.cause.is_none()).map(|part| part.time_share).sum::<f64>()
    };
    assert!(named(&explained_in(RUN, &reads, &evidence)) < 1e-9, "with the preparation it has no high load");
    assert!(named(&explained_in(measured, &reads, &evidence)) > 0.5);
}

#[test]
fn own_work_is_named_where_the_worker_did_not_wait() {
    let in_worker = |own_ns: u64| {
        let mut ios: Vec<Explained> = (0..10).map(|nth| slow(RUN.0 + 700 * MS + nth * 1900 * MS)).collect();
        for io in &mut ios {
            io.io.own_ns = own_ns;
            let (_, life) = io.life.as_mut().unwrap();
            (life.start_ns, life.issued_ns, life.completed_ns) =
                (io.io.submitted_ns, io.io.submitted_ns, io.io.submitted_ns + MS);
        }
        ios
    };
    let with = |ticks: Vec<Tick>| {
        let mut evidence = Evidence::default();
        evidence.watched.insert(0);
        ticks.into_iter().for_each(|tick| evidence.tick(tick));
        evidence
    };
    let named = |own_ns: u64, evidence: &Evidence| {
        share(&explained(&in_worker(own_ns), evidence), IoLayer::Reaping, Some(&SlowCause::OwnWork))
    };
    let quiet = || Tick { start_ns: RUN.0, end_ns: RUN.1, ..Tick::default() };
    let evidence = with(vec![quiet()]);
    assert!((named(8 * MS, &evidence) - 0.9).abs() < 0.01, "at least 7 of 9 ms after completion");
    assert_eq!(named(5 * MS, &evidence), 0.0, "perhaps 4 of 9 ms");
    assert_eq!(named(8 * MS, &Evidence::default()), 0.0, "waits are not known");
    let beside = |changed: fn(&mut Tick)| {
        let tick = |io: &Explained| {
            let (start_ns, end_ns) = (io.io.submitted_ns - 20 * MS, io.io.submitted_ns + 30 * MS);
            let mut tick = Tick { start_ns, end_ns, ..Tick::default() };
            changed(&mut tick);
            tick
        };
        with(in_worker(0).iter().map(tick).collect())
    };
    assert!(named(8 * MS, &beside(|_| ())) > 0.8);
    assert_eq!(named(8 * MS, &beside(|tick| tick.run_delays_ns = vec![(0, 9 * MS)])), 0.0, "it waited for a CPU");
    assert!(named(8 * MS, &beside(|tick| tick.stolen_max_ns = MS)) > 0.8, "6 of 9 ms were not stolen");
    assert_eq!(named(8 * MS, &beside(|tick| tick.stolen_max_ns = 4 * MS)), 0.0, "perhaps all were of its CPU");
}

#[test]
fn a_hot_time_is_named_if_the_slow_ios_are_in_it() {
    let with = |hot: Vec<(usize, Time)>| {
        let mut evidence = Evidence::default();
        evidence.hot = hot;
        evidence
    };
    let named = |hot: Time| {
        let evidence = with(vec![(0, hot)]);
        share(&explained(&stalled(), &evidence), IoLayer::Device, Some(&SlowCause::Heat))
    };
    let late = stalls().nth(6).unwrap();
    let hot = (late, late + 6000 * MS);
    assert_eq!(named(hot), 0.0, "4 of 10 slow I/Os are in 30 % of the time");
    assert_eq!(named(RUN), 0.0, "hot all the time");
    let evidence = with(vec![(0, hot), (1, RUN)]);
    let in_it: Vec<Explained> = stalled().into_iter().filter(|io| io.io.submitted_ns > late).collect();
    assert_eq!(in_it.len(), 4);
    let found = explained(&in_it, &evidence);
    assert!(share(&found, IoLayer::Device, Some(&SlowCause::Heat)) > 0.99, "all of them are in 30 % of the time");
}
