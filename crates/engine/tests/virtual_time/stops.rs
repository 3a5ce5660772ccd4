//! Stops, devices that do not respond, errors.

use os::errno;
use record::{ErrorKind, IoError, Message, MessageKind};
use sim::{DeviceModel, Fault, FaultKind};

use crate::harness::{Files, MS, S, Script, US, device, fio, fio_by};

const TIMED: &str = "--rw=randread --time_based --runtime=10";

fn stopped_at(stop_ns: u64) -> Script {
    Script { stop_ns: Some(stop_ns), ..Script::default() }
}

#[test]
fn stop_ends_all_workers_with_their_figures() {
    let run = fio_by(device(100 * US, 2), &format!("{TIMED} --name=a --numjobs=2"), stopped_at(333 * MS));
    let stopped_ns = run.stopped_ns.unwrap();
    assert!((333 * MS..=353 * MS).contains(&stopped_ns), "{stopped_ns}");
    for worker in 0..2 {
        assert_eq!(run.error(worker), None);
        assert_eq!(run.reads(worker).ios, run.ended_ns[worker] / (100 * US));
        assert!(run.ended_ns[worker] - stopped_ns <= 100 * US);
    }
    assert_eq!(run.served.len() as u64, run.reads(0).ios + run.reads(1).ios);
}

#[test]
fn stop_ends_sleeps_and_skips_later_phases() {
    let options = format!("{TIMED} --name=a --startdelay=5 --name=b --thinktime=5s --name=c --stonewall");
    let run = fio_by(device(100 * US, 2), &options, stopped_at(S));
    assert_eq!([0, 1, 2].map(|worker| run.reads(worker).ios), [0, 1, 0]);
    assert!(run.took_ns < 1200 * MS, "{}", run.took_ns);
}

/// A queue of this depth needs 3.2 s.
const SLOW: &str = "--rw=randread --time_based --runtime=60 --iodepth=32";

fn slow() -> DeviceModel {
    device(100 * MS, 1)
}

#[test]
fn a_normal_end_waits_for_all_ios_of_a_slow_device() {
    let finish = Script { finishes: true, ..stopped_at(5 * S) };
    for (options, script, failed) in [
        ("--name=a --number_ios=10 --time_based=0 --iodepth=1 --exitall --name=b", Script::default(), None),
        (
            "--name=a --number_ios=10 --time_based=0 --iodepth=1 --exitall --exit_what=group --name=b",
            Script::default(),
            None,
        ),
        ("--name=a --max_latency=2s --exitall_on_error --name=b", Script::default(), Some(errno::ETIMEDOUT)),
        (
            "--name=a --steadystate=iops:90% --steadystate_duration=5 --name=b --new_group=1 --runtime=6",
            Script::default(),
            None,
        ),
        ("--name=a --name=b", finish, None),
        ("--name=a --runtime=5 --name=b --rate_iops=20 --runtime=6", Script::default(), None),
    ] {
        let run = fio_by(slow(), &format!("{SLOW} {options}"), script);
        assert_eq!((run.error(0).map(|(number, _)| number), run.error(1)), (failed, None), "{options}");
        let counted = run.reads(0).ios + run.reads(1).ios;
        assert_eq!(counted, run.served.len() as u64, "{options}");
        assert_eq!(run.took_ns, run.served.len() as u64 * 100 * MS, "{options}");
    }
}

#[test]
fn an_error_waits_for_the_other_ios_of_its_job() {
    let faults = vec![Fault { ios: 40..41, kind: FaultKind::Errno(errno::EIO) }];
    let run = fio(DeviceModel { faults, ..slow() }, &format!("{SLOW} --name=a"));
    assert_eq!((run.error(0).unwrap().0, run.reads(0).ios), (errno::EIO, run.served.len() as u64 - 1));
    let full = vec![Fault { ios: 40..41, kind: FaultKind::Errno(errno::ENOSPC) }];
    let run = fio(DeviceModel { faults: full, ..slow() }, &format!("{SLOW} --rw=write --fill_device=1 --name=a"));
    assert_eq!((run.error(0), run.writes(0).ios), (None, run.served.len() as u64 - 1));
}

#[test]
fn a_signal_waits_for_a_device_that_is_only_slow() {
    for stop_ns in [500 * MS, 2 * S, 10 * S] {
        let run = fio_by(slow(), &format!("{SLOW} --name=a"), stopped_at(stop_ns));
        assert_eq!((run.error(0), run.reads(0).ios), (None, run.served.len() as u64), "{stop_ns}");
    }
    let files = Files::new();
    // Each read takes 3 s.
    let options = format!("{TIMED} --name=a --ioengine=psync --size=1m --filename={}", files.path("a"));
    let run = fio_by(device(3 * S, 1), &options, stopped_at(4 * S));
    assert_eq!((run.error(0), run.reads(0).ios, run.took_ns), (None, 2, 6 * S));
}

#[test]
fn a_signal_waits_for_a_multiple_of_the_longest_latency() {
    // The device needs 10 s, 100 ms and 1 s for an I/O. It completes none after 20 s.
    for (service_ns, patience_ns) in [(10 * S, 10 * S), (100 * MS, 800 * MS), (S, 4 * S)] {
        let model = DeviceModel { dies_at_ns: Some(20 * S), ..device(service_ns, 1) };
        let run = fio_by(model, &format!("{TIMED} --runtime=100 --name=a"), stopped_at(30 * S));
        assert!(matches!(run.error(0), Some((errno::EIO, ErrorKind::Io(IoError::Unanswered { ios: 1, .. })))));
        let waited_ns = run.ended_ns[0] - run.stopped_ns.unwrap();
        assert!((patience_ns..=patience_ns + 300 * MS).contains(&waited_ns), "{service_ns}: {waited_ns}");
    }
    // It never completed an I/O. The first may take as long again.
    let model = DeviceModel { dies_at_ns: Some(0), ..device(S, 1) };
    let run = fio_by(model, &format!("{TIMED} --name=a"), stopped_at(3 * S));
    let waited_ns = run.ended_ns[0] - run.stopped_ns.unwrap();
    assert!((2900 * MS..=3300 * MS).contains(&waited_ns), "{waited_ns}");
}

#[test]
fn jobs_that_are_to_end_and_do_not_are_reported() {
    let stalls = vec![3 * S..60 * S];
    let options = format!("{SLOW} --runtime=100 --name=a --steadystate=iops:90% --steadystate_duration=2");
    let run = fio(DeviceModel { stalls, ..slow() }, &options);
    let at_ns = run.messages.iter().find_map(|(at_ns, message)| {
        matches!(message, Message::Warning(MessageKind::NotResponding { jobs: 1, .. })).then_some(*at_ns)
    });
    assert!((11 * S..15 * S).contains(&at_ns.unwrap()), "{at_ns:?}");
    assert_eq!((run.error(0), run.reads(0).ios), (None, run.served.len() as u64));
}

#[test]
fn worker_abandons_ios_that_do_not_complete() {
    let model = DeviceModel { dies_at_ns: Some(S), ..device(100 * US, 4) };
    let run = fio_by(model, &format!("{TIMED} --name=a --iodepth=4"), stopped_at(3 * S));
    let (number, kind) = run.error(0).unwrap();
    assert_eq!(number, errno::EIO);
    assert!(matches!(kind, ErrorKind::Io(IoError::Unanswered { ios: 4, .. })), "{kind:?}");
    // All I/Os before the device died. The worker waits for 0.8 s from the stop.
    assert_eq!(run.reads(0).ios, 4 * 9999);
    let waited_ns = run.ended_ns[0] - run.stopped_ns.unwrap();
    assert!((800 * MS..=S).contains(&waited_ns), "{waited_ns}");
}

#[test]
fn worker_blocked_in_a_call_is_reported_with_its_figures() {
    let model = DeviceModel { dies_at_ns: Some(S), ..device(100 * US, 1) };
    let files = Files::new();
    let options = format!("{TIMED} --name=a --ioengine=psync --size=1m --filename={}", files.path("a"));
    let run = fio_by(model, &options, stopped_at(3 * S));
    let (number, kind) = run.error(0).unwrap();
    assert_eq!((number, run.reads(0).ios), (errno::EIO, 9999));
    assert!(matches!(kind, ErrorKind::Io(IoError::Stuck { .. })), "{kind:?}");
}

#[test]
fn end_of_the_runtime_waits_for_ios_in_flight() {
    let model = DeviceModel { stalls: vec![400 * MS..2 * S], ..device(100 * US, 4) };
    let run = fio(model, "--name=a --rw=randread --time_based --runtime=500ms --iodepth=4");
    assert_eq!((run.reads(0).ios, run.took_ns), (16_004, 2 * S + 100 * US));
}

#[test]
fn error_ends_the_job_unless_continue_on_error() {
    let model = |errno| DeviceModel {
        faults: vec![Fault { ios: 10..13, kind: FaultKind::Errno(errno) }],
        ..device(100 * US, 1)
    };
    let options = "--name=a --rw=randread --number_ios=100";
    let run = fio(model(errno::EIO), options);
    assert_eq!((run.error(0).unwrap().0, run.reads(0).ios, run.took_ns), (errno::EIO, 10, 1100 * US));
    let run = fio(model(errno::EIO), &format!("{options} --continue_on_error=io"));
    let worker = &run.record.workers[0];
    assert_eq!((run.error(0), worker.nonfatal_errors, worker.first_nonfatal_errno), (None, 3, errno::EIO));
    assert_eq!((run.reads(0).ios, run.served.len()), (97, 100));
    let run = fio(model(errno::ENOSPC), &format!("{options} --continue_on_error=io"));
    assert_eq!(run.error(0).unwrap().0, errno::ENOSPC, "not an error of a device");
}

#[test]
fn the_rest_of_a_short_transfer_is_submitted_again() {
    let faults = vec![Fault { ios: 5..6, kind: FaultKind::Short(1024) }];
    let run = fio(DeviceModel { faults, ..device(100 * US, 1) }, "--name=a --rw=read --number_ios=10");
    let reads = run.reads(0);
    assert_eq!((reads.ios, reads.bytes, reads.short, run.served.len()), (10, 40_960, 1, 11));
    assert_eq!((run.served[6].offset, run.served[6].len), (run.served[5].offset + 1024, 3072));
    assert_eq!((reads.lat.max_ns(), reads.lat.min_ns()), (200 * US, 100 * US));
    let stuck = vec![Fault { ios: 5..6, kind: FaultKind::Short(0) }];
    let run = fio(DeviceModel { faults: stuck, ..device(100 * US, 1) }, "--name=a --rw=read --number_ios=10");
    assert_eq!((run.error(0).unwrap().0, run.reads(0).ios), (errno::EIO, 5));
}

#[test]
fn first_io_above_max_latency_ends_the_job() {
    let model = DeviceModel { stalls: vec![2 * MS..3 * MS], ..device(100 * US, 1) };
    let run = fio(model, "--name=a --rw=randread --number_ios=100 --max_latency=1ms");
    assert_eq!((run.error(0).unwrap().0, run.reads(0).ios, run.took_ns), (errno::ETIMEDOUT, 21, 3100 * US));
}
