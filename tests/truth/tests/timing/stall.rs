//! A device that stalls while I/Os keep arriving: each of them waits, and the report must show it.
//!
//! The files record when a request arrived and when it was answered, and the record of the run has the time of its start.
//! Both bounds of a response time follow from these and the rate, on any machine. The exact figures are tested on a
//! simulated device, in the tests of `engine`.

use std::collections::HashMap;
use std::time::Duration;

use fathom_truth::arithmetic::{fio_bin, percentile};
use fathom_truth::fio_log::{self, Entry};
use fathom_truth::fio_report::{self, Direction, Latency, OpenLoop};
use fathom_truth::saved_record;
use fathom_truth::slots::Slots;
use fathom_truth::timed_files::{Program, Served, TimedFiles};

const SHARES: [f64; 9] = [10.0, 50.0, 75.0, 84.0, 87.0, 90.0, 95.0, 99.0, 99.9];
const MS: Duration = Duration::from_millis(1);
/// 1,000 I/Os per second, of which the stall delays 300.
const RATE: u64 = 1000;
const RUNTIME_MS: u64 = 1200;
const STALL: Duration = Duration::from_millis(300);
/// Delay from which an I/O is late.
const LATE: Duration = MS;
/// Tolerance: the clocks of the files and of fathom are compared by the time of day.
const CLOCKS: Duration = Duration::from_micros(50);

/// Depths: enough for all I/Os in flight without a stall, and one.
const ENGINES: [(&str, usize); 3] = [("psync", 1), ("libaio", 16), ("io_uring", 16)];

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn response_times_are_those_that_arithmetic_gives_for_a_stall() {
    let Some(files) = TimedFiles::mount("stall", 1, 64 << 20) else { return };
    for (engine, depth) in ENGINES {
        let program = Program::constant(MS / 10).stalled(600 * MS, STALL);
        let run = Run::of(&files, program, depth, &format!("--ioengine={engine} --runtime={RUNTIME_MS}ms"));
        let what = format!("{engine}, depth {depth}");
        run.assert_counts(&what, RATE * RUNTIME_MS / 1000);
        let ios = run.bounds(&files, depth);
        run.assert_response_times(&what, &ios);
        run.assert_late(&what, &ios);
        run.assert_service_times(&what, &ios);
    }
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn arrivals_that_never_got_a_place_are_counted_to_the_last() {
    let Some(files) = TimedFiles::mount("stall-end", 1, 64 << 20) else { return };
    for (engine, depth, process) in
        [("psync", 1, "poisson"), ("libaio", 16, "linear"), ("io_uring", 16, "linear"), ("io_uring", 16, "poisson")]
    {
        // No answers until after the end.
        let program = Program::constant(MS / 10).stalled(Duration::ZERO, 600 * MS);
        let job = format!("--ioengine={engine} --rate_process={process} --runtime=500ms");
        let run = Run::of(&files, program, depth, &job);
        let OpenLoop { due, unissued, .. } = run.open;
        assert_eq!((run.served.len(), unissued), (depth, due - depth as u64), "{job}: {:?}", run.open);
        assert!(process == "poisson" || due == RATE / 2, "{job}: {due}");
        assert!(run.findings.contains(&"rate-missed".to_owned()), "{job}: {:?}", run.findings);
    }
}

/// The report of a run, and the requests that the files saw.
struct Run {
    read: Direction,
    open: OpenLoop,
    response: Latency,
    findings: Vec<String>,
    served: Vec<Served>,
}

/// Bounds of an I/O, in times since the intended start of the first one.
struct Bounds {
    intended: Duration,
    arrived: Duration,
    answered: Duration,
    /// Time of the answer that freed its slot: the earliest start.
    slot_freed: Option<Duration>,
    latest_completion: Option<Duration>,
}

impl Run {
    fn of(files: &TimedFiles, program: Program, depth: usize, job: &str) -> Run {
        files.begin(program);
        let shares = SHARES.map(|share| share.to_string()).join(":");
        let arguments = format!(
            "--name=job --filename={} --size=64m --direct=1 --rw=randread --bs=4k --rate_iops={RATE} --time_based \
             --iodepth={depth} --output-format=json+ --lat_percentiles=1 --percentile_list={shares} \
             --write_lat_log=job --log_offset=1 --record=record {job}",
            files.file(0).display()
        );
        let report = fathom_truth::fio(files.beside(), &arguments).assert_success().json();
        Run {
            read: fio_report::only(&report, "read"),
            open: fio_report::only_open_loop(&report, "read"),
            response: fio_report::only_response(&report, "read"),
            findings: fio_report::findings(&report),
            served: files.served(),
        }
    }

    /// Checks that all due I/Os were answered, and no others.
    fn assert_counts(&self, what: &str, due: u64) {
        let OpenLoop { due: counted, unissued, .. } = self.open;
        assert_eq!((counted, due - unissued), (due, self.served.len() as u64), "{what}: {:?}", self.open);
        assert_eq!((self.read.ios, self.response.count), (due - unissued, due - unissued), "{what}");
    }

    /// Returns the bounds of each I/O, in the order of submission.
    fn bounds(&self, files: &TimedFiles, depth: usize) -> Vec<Bounds> {
        let log = |kind: &str| fio_log::entries(&files.beside().join(format!("job_{kind}.1.log")));
        let (completed, mut submitted) = (log("lat"), log("slat"));
        if submitted.is_empty() {
            // A synchronous engine submits in the order of completion.
            submitted.clone_from(&completed);
        }
        let number = |log: &[Entry]| (0..).zip(log).map(|(nth, io)| (io.offset, nth)).collect::<HashMap<u64, usize>>();
        let nth_completed = number(&completed);
        let served: HashMap<u64, &Served> = self.served.iter().map(|request| (request.offset, request)).collect();
        let slots = Slots::of(&self.served, depth);
        let started_us = saved_record::workers(&files.beside().join("record"))[0].measured_from_unix_us();
        let first = Duration::from_micros(files.first_arrival_unix_us().saturating_sub(started_us));
        let bounds = submitted.iter().enumerate().map(|(nth, io)| Bounds {
            intended: MS * u32::try_from(nth).unwrap(),
            arrived: first + served[&io.offset].arrived,
            answered: first + served[&io.offset].answered(),
            slot_freed: slots.earliest_start(nth).map(|freed| first + freed),
            latest_completion: slots.latest_completion(nth_completed[&io.offset]).map(|completion| first + completion),
        });
        bounds.collect()
    }

    /// Checks that each percentile of the response time is within the bounds of the I/Os.
    fn assert_response_times(&self, what: &str, ios: &[Bounds]) {
        // I/Os that were due and not issued count, with an unknown time.
        let missing = self.open.unissued as usize;
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let least = ios.iter().map(|io| ns((io.answered - CLOCKS.min(io.answered)).saturating_sub(io.intended)));
        let least: Vec<u64> = least.chain(std::iter::repeat_n(0, missing)).collect();
        let most = ios.iter().map(|io| io.latest_completion.map_or(u64::MAX, |end| ns(end + CLOCKS - io.intended)));
        let most: Vec<u64> = most.chain(std::iter::repeat_n(u64::MAX, missing)).collect();
        for share in SHARES {
            let seen = self.response.percentile_ns(share);
            let ((least, _), (_, most)) = (fio_bin(percentile(&least, share)), fio_bin(percentile(&most, share)));
            println!("{what}: {share}th percentile: {least} ns to {most} ns, reported as {seen} ns");
            assert!(
                (least..=most).contains(&seen),
                "{what}: {share}th percentile: {least} ns to {most} ns, not {seen} ns"
            );
        }
    }

    /// Checks the number of late I/Os. Those that had no free slot in time are late, and all late ones arrive late.
    fn assert_late(&self, what: &str, ios: &[Bounds]) {
        let is_late = |io: &&Bounds, at: Duration| at > io.intended + LATE + CLOCKS;
        let without_slot = ios.iter().filter(|io| io.slot_freed.is_some_and(|freed| is_late(io, freed))).count() as u64;
        let arrived_late = ios.iter().filter(|io| io.arrived + 2 * CLOCKS > io.intended + LATE).count() as u64;
        let OpenLoop { late, queue_full, .. } = self.open;
        println!("{what}: {without_slot} without a slot, {arrived_late} arrived late: {:?}", self.open);
        assert!((without_slot..=arrived_late).contains(&late), "{what}: {without_slot} to {arrived_late}: {late}");
        assert!(queue_full <= late, "{what}: {:?}", self.open);
    }

    /// Checks the number of I/Os that are slow from their submission on.
    fn assert_service_times(&self, what: &str, ios: &[Bounds]) {
        const SLOW: Duration = Duration::from_millis(100);
        let slow = self.read.lat.bins.iter().filter(|(ns, _)| *ns > SLOW.as_nanos() as u64).map(|(_, count)| count);
        let slow = slow.sum::<u64>() as usize;
        let least = ios.iter().filter(|io| io.answered - io.arrived > SLOW + 2 * MS).count();
        let may_be_slow = |io: &&Bounds| match (io.slot_freed, io.latest_completion) {
            (Some(start), Some(completion)) => completion + CLOCKS - start.max(io.intended) > SLOW - 2 * MS,
            _ => true,
        };
        let most = ios.iter().filter(may_be_slow).count();
        println!("{what}: {least} to {most} are slow, reported as {slow}");
        assert!((least..=most).contains(&slow), "{what}: {least} to {most} I/Os are slow, not {slow}");
    }
}
