//! Counters of a worker, event by event.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use os::clock::{Clock, Source, VirtualTime};
use plan::{Ddir, IoPrio, Worker};
use record::{DdirStats, PriorityLatency, Series, TargetStats, WorkerStats};

use crate::live::WorkerLive;
use crate::logs::Logs;
use crate::worker::accounting::Accounting;
use crate::worker::deadlines::Deadlines;
use crate::worker::in_flight::{InFlightIo, Purpose, Times};

/// An I/O of file 0, made at 100 ns and accepted at 130 ns.
fn io(len: u32, ioprio: u16) -> InFlightIo {
    InFlightIo {
        purpose: Purpose::Data(Ddir::Write),
        ioprio,
        file: 0,
        offset: 0,
        len,
        done: 0,
        times: Times { start_ns: 100, issue_ns: 130 },
    }
}

fn deadlines(now_ns: u64) -> Deadlines {
    Deadlines { now_ns, start_ns: 40, ..Deadlines::new(Clock::new(Source::Monotonic)) }
}

fn accounting<'a>(worker: &Worker, live: &'a WorkerLive, stats: WorkerStats) -> Accounting<'a> {
    Accounting::new(worker, live, stats, Logs::default())
}

#[test]
fn each_event_is_counted_once() {
    let live = WorkerLive::default();
    let mut counted = accounting(&Worker::default(), &live, WorkerStats::default());
    counted.issued(0, Ddir::Write, 4096, true);
    counted.issued(0, Ddir::Write, 512, false);
    counted.issued_beside(0, Ddir::Read);
    let totals = counted.totals;
    assert_eq!((totals.pass_bytes, totals.issued_bytes, totals.issued_ios), (4608, 4096, 2));
    assert_eq!(counted.stats.ddirs.each_ref().map(|ddir| ddir.issued), [1, 2, 0]);
    counted.canceled(0, Ddir::Write);
    counted.canceled(0, Ddir::Trim);
    assert_eq!(counted.stats.ddirs.each_ref().map(|ddir| ddir.issued), [1, 1, 0]);
    assert_eq!(counted.completed(Ddir::Write, &io(4096, 0), &deadlines(1000)), 900);
    assert_eq!(counted.completed(Ddir::Write, &io(512, 0), &deadlines(2000)), 1900);
    let write = &counted.stats.ddirs[1];
    assert_eq!((write.ios, write.bytes), (2, 4608));
    assert_eq!((write.clat.sum_ns(), write.lat.sum_ns()), (870 + 1870, 900 + 1900));
    assert_eq!((counted.totals.completed_ios, counted.totals.completed_bytes), (2, 4608));
    counted.completed_beside(Ddir::Read, 0);
    assert_eq!((counted.totals.completed_ios, counted.totals.completed_bytes), (1, 4608));
    counted.completed_beside(Ddir::Trim, 512);
    assert_eq!((counted.totals.completed_ios, counted.totals.completed_bytes), (1, 4096));
    let issued = counted.totals.issued_ios;
    counted.issued_beside(0, Ddir::Read);
    counted.issued_beside(0, Ddir::Trim);
    assert_eq!(counted.totals.issued_ios, issued + 1);
    counted.survived(5);
    counted.survived(28);
    assert_eq!((counted.totals.errors, counted.totals.first_errno), (2, 5));
}

#[test]
fn only_requested_latencies_are_recorded() {
    let live = WorkerLive::default();
    for (clat, lat, of_ios) in [(true, false, true), (false, true, true), (true, true, false)] {
        let mut worker = Worker::default();
        (worker.measure.clat, worker.measure.lat) = (clat, lat);
        let mut counted = accounting(&worker, &live, WorkerStats::default());
        counted.measures.of_ios = of_ios;
        counted.completed(Ddir::Read, &io(1, 0), &deadlines(1000));
        counted.sync_completed(&io(0, 0), 700);
        let (read, stats) = (&counted.stats.ddirs[0], &counted.stats);
        assert_eq!((read.clat.count() > 0, read.lat.count() > 0), (clat && of_ios, lat && of_ios));
        assert_eq!((stats.syncs, stats.sync_lat.sum_ns()), (1, if clat { 570 } else { 0 }));
    }
}

#[test]
fn ios_of_a_target_are_counted_for_it_and_published_with_the_others() {
    let live = WorkerLive::default();
    let series = Some(Series { interval_ms: 1, intervals: Vec::new() });
    let targets = vec![TargetStats { series, ..TargetStats::default() }, TargetStats::default()];
    let mut counted = accounting(&Worker::default(), &live, WorkerStats { targets, ..WorkerStats::default() });
    let measured = Deadlines { measured_from_ns: Some(500), ..deadlines(3_000_499) };
    counted.completed(Ddir::Write, &io(4096, 0), &measured);
    counted.completed(Ddir::Read, &InFlightIo { file: 1, ..io(100, 0) }, &measured);
    let [first, second] = counted.stats.targets.as_slice() else { panic!("two targets") };
    assert_eq!((first.ddirs[1].ios, second.ddirs[0].bytes, counted.stats.ddirs[1].ios), (1, 100, 0));
    let intervals = &first.series.as_ref().expect("a series").intervals;
    assert_eq!((intervals.len(), intervals[2].latency_ns[1].mean), (3, 3_000_399.0));
    counted.stats.ddirs[0].ios = 5;
    counted.stats.ddirs[0].bytes = 7;
    counted.publish();
    assert_eq!(live.ios.each_ref().map(|ios| ios.load(Relaxed)), [6, 1, 0]);
    assert_eq!(live.bytes.each_ref().map(|bytes| bytes.load(Relaxed)), [107, 4096, 0]);
}

#[test]
fn latencies_of_a_priority_are_those_that_have_percentiles() {
    let live = WorkerLive::default();
    let own = IoPrio { class: 2, level: 3, hint: 0 };
    let other = IoPrio::of_word(1 << 13 | 4);
    for lat_percentiles in [false, true] {
        let mut worker = Worker::default();
        (worker.measure.clat, worker.measure.lat) = (true, true);
        worker.measure.lat_percentiles = lat_percentiles;
        worker.process.ioprio = Some(own);
        let mut stats = WorkerStats::default();
        stats.ddirs[1].priorities = [own, other].map(|prio| PriorityLatency { prio, ..Default::default() }).to_vec();
        let mut counted = accounting(&worker, &live, stats);
        counted.priority_completed(Ddir::Write, &io(1, 0), 1000);
        counted.priority_completed(Ddir::Write, &io(1, 1 << 13 | 4), 2000);
        let sums: Vec<u128> = counted.stats.ddirs[1].priorities.iter().map(|one| one.latency.sum_ns()).collect();
        assert_eq!(sums, if lat_percentiles { [900, 1900] } else { [870, 1870] });
        (counted.measures.clat, counted.measures.lat) = (lat_percentiles, !lat_percentiles);
        counted.priority_completed(Ddir::Write, &io(1, 0), 1000);
        assert_eq!(counted.stats.ddirs[1].priorities[0].latency.count(), 1, "not measured");
    }
}

#[test]
fn statistics_have_the_times_of_directions_with_io() {
    let live = WorkerLive::default();
    let mut counted = accounting(&Worker::default(), &live, WorkerStats::default());
    counted.completed(Ddir::Write, &io(0, 0), &deadlines(1000));
    counted.stats.ddirs[2] = DdirStats { bytes: 1, ..DdirStats::default() };
    let ramp = counted.stats_at(1000, &deadlines(1000));
    assert_eq!(ramp.ddirs.each_ref().map(|ddir| ddir.runtime_ns), [0, 960, 960]);
    assert_eq!((ramp.runtime_ns, ramp.elapsed_ns), (960, 960));
    let measured = Deadlines { measured_from_ns: Some(300), ..deadlines(1000) };
    let stats = counted.stats_at(1000, &measured);
    assert_eq!((stats.ddirs[1].runtime_ns, stats.runtime_ns, stats.elapsed_ns), (700, 700, 960));
    let empty = counted.no_stats();
    assert_eq!((empty.ddirs[1].ios, empty.ddirs[1].issued, empty.runtime_ns), (0, 0, 0));
    assert!(counted.measured().is_none());
    counted.end_measuring(stats);
    assert_eq!(counted.measured().map(|stats| stats.ddirs[1].ios), Some(1));
    counted.clear();
    assert_eq!(counted.stats.ddirs[1].ios, 0);
}

#[test]
fn an_io_of_an_earlier_run_counts_towards_the_statistics_and_no_limit() {
    let live = WorkerLive::default();
    let mut counted = accounting(&Worker::default(), &live, WorkerStats::default());
    counted.assumed(0, Ddir::Write, 4096);
    counted.assumed(0, Ddir::Write, 512);
    let write = &counted.stats.ddirs[1];
    assert_eq!((write.issued, write.ios, write.bytes, write.lat.count()), (2, 2, 4608, 0));
    assert_eq!((counted.totals.completed_ios, counted.totals.issued_ios, counted.totals.pass_bytes), (0, 0, 0));
}

#[test]
fn the_start_of_the_measured_time_is_a_system_time() {
    let (live, clock) = (WorkerLive::default(), Clock::from(sim::VirtualClock::leaked() as &dyn VirtualTime));
    let now_ns = clock.now();
    let from = Some(now_ns - 3_000_500);
    let measured = Deadlines { measured_from_ns: from, start_ns: now_ns - 4_000_000, ..Deadlines::new(clock) };
    let counted = accounting(&Worker::default(), &live, WorkerStats::default());
    assert_eq!(counted.stats_at(now_ns, &measured).measured_from_unix_us, clock.unix_us() - 3000);
}

#[test]
fn empty_statistics_have_the_targets_of_the_worker() {
    let live = WorkerLive::default();
    let targets = vec![TargetStats::default(), TargetStats::default()];
    let mut counted = accounting(&Worker::default(), &live, WorkerStats { targets, ..WorkerStats::default() });
    counted.completed(Ddir::Write, &InFlightIo { file: 1, ..io(4096, 0) }, &deadlines(1000));
    let targets = &counted.no_stats().targets;
    assert_eq!(targets.iter().map(|target| target.ddirs[1].ios).collect::<Vec<_>>(), [0, 0]);
}

/// Returns the context switches of the calling thread.
fn switches() -> u64 {
    let used = os::process::thread_usage();
    used.voluntary_switches + used.involuntary_switches
}

#[test]
fn the_usage_is_that_of_the_thread_since_the_last_restart() {
    // A thread of its own: its counters start at 0.
    let test = || {
        (0..20).for_each(|_| std::thread::sleep(Duration::from_micros(100)));
        let live = WorkerLive::default();
        let mut counted = accounting(&Worker::default(), &live, WorkerStats::default());
        let used = |counted: &Accounting| counted.stats_at(1000, &deadlines(1000)).usage.context_switches;
        let before = switches();
        let since_start = used(&counted);
        assert!(before > 0 && (before..=switches()).contains(&since_start), "{since_start}, {before} before");
        let before = switches();
        counted.restart_usage();
        let since_restart = used(&counted);
        assert!(since_restart <= switches() - before, "{since_restart}");
    };
    std::thread::spawn(test).join().expect("the counters of the thread");
}
