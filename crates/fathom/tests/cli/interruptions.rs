//! A process that was stopped during the measured time says so, and blames nothing else.

use std::time::{Duration, Instant};

use assessment::{FindingKind, Verdict};
use record::InterruptionCause;

use crate::stage::{Scratch, command, fathom, outcome, signal, wait_for_work, wait_until, with_realtime_priority};

/// The watch of a run wakes up after this time. An interruption is what a wait took longer.
const WATCH_INTERVAL: Duration = Duration::from_millis(100);

#[test]
fn a_stopped_process_is_reported_and_decides_nothing() {
    let scratch = Scratch::new("interruptions");
    scratch.filled("data", 1 << 20);
    let line = "--name=a --filename=data --rw=randread --rate_iops=200 --time_based --runtime=4 --record=record";
    let spawned = Instant::now();
    // Without a CPU for half a second, the process would be stopped more often than the test does it.
    let child = with_realtime_priority(fathom(scratch.path(), line)).spawn().unwrap();
    wait_for_work(&child, 50);
    signal(&child, "STOP");
    let until_stop = spawned.elapsed();
    let stat = format!("/proc/{}/stat", child.id());
    wait_until("the process is stopped", || std::fs::read_to_string(&stat).unwrap().contains(") T "));
    let stopped = Instant::now();
    std::thread::sleep(Duration::from_millis(1500));
    let at_least = stopped.elapsed() - WATCH_INTERVAL;
    signal(&child, "CONT");
    outcome(child).assert_success();
    let at_most = spawned.elapsed();

    let record = record::schema::read(&std::fs::read(scratch.file("record")).unwrap()).unwrap();
    let found = judge::findings(&record);
    let interrupted = found.iter().find_map(|finding| match &finding.kind {
        FindingKind::Interrupted(interruptions) => Some(interruptions),
        _ => None,
    });
    let interrupted = interrupted.expect("the interruption is found");
    // A virtual machine can be stopped as well.
    let is_it = |one: &&record::Interruption| {
        one.cause == InterruptionCause::Stopped && Duration::from_nanos(one.length_ns) >= at_least
    };
    let one = interrupted.iter().find(is_it).unwrap_or_else(|| panic!("{interrupted:?}"));
    let [from, length] = [one.from_ns, one.length_ns].map(Duration::from_nanos);
    assert!(length <= at_most, "{one:?}: {at_least:?} to {at_most:?}");
    assert!(from <= until_stop, "{one:?}: {until_stop:?}");
    let of_rate = ["step-down", "step-up", "levels", "not-steady", "rate-missed", "late-arrivals", "throttled"];
    assert!(!found.iter().any(|finding| of_rate.contains(&finding.kind.name())), "{found:?}");
    assert_eq!(judge::single::assessment(&record).verdict, Verdict::Inconclusive);
    let shown = outcome(command(scratch.path(), "show", "record").spawn().unwrap());
    shown.complained_of("fathom itself was interrupted");
}
