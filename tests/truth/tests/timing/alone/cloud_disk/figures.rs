//! The job files and command lines of the page: the number of I/Os agrees with the kernel's counters over the same interval,
//! and the rate is within the limit. The counters are the reference on any machine; how close a run comes to the limit
//! depends on the machine.

use std::process::Command;

use fathom_truth::kernel::History;
use fathom_truth::{fio_report, saved_record};
use harness::{command, with_realtime_priority};
use serde_json::Value;

use super::machine::{Machine, READ_IOPS, WRITE_IOPS};

const READS: usize = 0;
const WRITES: usize = 1;
const NAMES: [&str; 2] = ["read", "write"];
/// The throttle permits the I/Os of a period at once. A run can contain the I/Os of two more periods than its time has.
const THROTTLE_PERIOD_S: f64 = 0.1;
/// I/Os of a file system for itself.
const OF_FILE_SYSTEM: u64 = 50;

/// The page's job files, apart from directories, sizes, queue depth and rate: those are smaller, like the limits.
const FIO_WRITE: &str = "[global]\nsize=64m\ndirect=1\niodepth=16\nioengine=libaio\nbs=4k\nnumjobs=4\n\
                         [writer1]\nrw=randwrite\ndirectory=nocache\n";
const FIO_READ: &str = "[global]\nsize=256m\ndirect=1\niodepth=16\nioengine=libaio\nbs=4k\nnumjobs=4\n\
                        [reader1]\nrw=randread\ndirectory=readcache\n";
const FIO_BOTH: &str = "[global]\nsize=64m\ndirect=1\niodepth=16\nioengine=libaio\nbs=4k\nnumjobs=4\n\
                        [reader1]\nrw=randread\ndirectory=readcache\nsize=256m\n\
                        [writer1]\nrw=randwrite\ndirectory=nocache\nrate_iops=800\n";
/// I/Os in flight of four jobs.
const FIO_IN_FLIGHT: u64 = 64;
/// The page's command lines, with shorter times and a smaller queue depth.
const DISKSPD_WRITE: &str = "-c64M -w100 -b8K -F4 -r -o16 -W1 -d2 -Sh nocache/testfile.dat";
const DISKSPD_READ: &str = "-c64M -b4K -F4 -r -o16 -W1 -d2 -Sh readcache/testfile.dat";
const DISKSPD_IN_FLIGHT: u64 = 64;

/// Results of a run.
struct Measured {
    /// As reported, for reads and for writes.
    iops: [f64; 2],
    workers: Vec<saved_record::Worker>,
    /// Counters of the devices that are read and written.
    histories: [History; 2],
}

impl Machine {
    /// Runs a job file with `--runtime`, as the page does, and a ramp: an idle device starts with a burst.
    fn fio(&self, job_file: &str) -> Measured {
        let directory = self.scratch.path();
        std::fs::write(directory.join("job.ini"), job_file).unwrap();
        let words = "--runtime 2 --ramp_time=1 --output-format=json --record=record job.ini";
        self.measure(command(directory, "fio", words), |text| {
            let report = serde_json::from_str(text).unwrap();
            [READS, WRITES].map(|direction| group_iops(&report, direction))
        })
    }

    fn diskspd(&self, line: &str) -> Measured {
        let command = command(self.scratch.path(), "diskspd", &format!("-Rrecord=record {line}"));
        self.measure(command, |report| [total_iops(report); 2])
    }

    fn measure(&self, command: Command, iops: impl Fn(&str) -> [f64; 2]) -> Measured {
        let (outcome, histories) = self.run(&with_realtime_priority(command));
        let workers = saved_record::workers(&self.scratch.file("record"));
        Measured { iops: iops(&outcome.stdout), workers, histories }
    }
}

/// Compares the results of a run with the kernel's counters over the same interval, and with the limits.
fn assert_agrees(what: &str, limits: &[(usize, u32)], in_flight: u64, measured: &Measured) {
    for &(direction, limit) in limits {
        let workers = measured.workers.iter().filter(|worker| worker.ios(direction) > 0);
        let (way, history) = (NAMES[direction], &measured.histories[direction]);
        let ios: u64 = workers.clone().map(|worker| worker.ios(direction)).sum();
        let starts = workers.clone().map(saved_record::Worker::measured_from_unix_us);
        let ends = workers.clone().map(|worker| worker.measured_from_unix_us() + worker.runtime_ns() / 1000);
        let ((first_start, last_start), (first_end, last_end)) = (range(starts), range(ends));
        // An I/O that the kernel completed may be counted later: it is in flight for fathom until then.
        let most = history.ios_after(direction, last_end) - history.ios_before(direction, first_start) + in_flight;
        let least = history.ios_before(direction, first_end).saturating_sub(history.ios_after(direction, last_start));
        let least = least.saturating_sub(in_flight + OF_FILE_SYSTEM);
        let seconds = workers.map(saved_record::Worker::runtime_ns).max().unwrap() as f64 / 1e9;
        let iops = measured.iops[direction];
        println!("{what}: {iops:.1} {way}s a second, {ios} in {seconds:.4} s, by the kernel {least} to {most}");
        assert!((least..=most).contains(&ios), "{what}: {ios} {way}s, by the kernel {least} to {most}");
        assert!((iops * seconds / ios as f64 - 1.0).abs() < 0.002, "{what}: {iops} {way} IOPS, {ios} in {seconds} s");
        let possible = f64::from(limit) * (1.0 + 2.0 * THROTTLE_PERIOD_S / seconds) + in_flight as f64 / seconds;
        assert!(iops <= possible, "{what}: {iops} {way} IOPS above the limit of {limit}");
    }
}

fn range(times: impl Iterator<Item = u64> + Clone) -> (u64, u64) {
    (times.clone().min().unwrap(), times.max().unwrap())
}

/// All jobs' I/Os over the longest job's time, as in fio's group status.
fn group_iops(report: &Value, direction: usize) -> f64 {
    let jobs = fio_report::jobs(report).iter().map(|job| fio_report::direction(job, NAMES[direction]));
    let (ios, ms) = jobs.fold((0, 0), |(ios, ms), job| (ios + job.ios, ms.max(job.runtime_ms)));
    ios as f64 * 1000.0 / ms.max(1) as f64
}

/// IOPS in the first line of totals, reads and writes together.
fn total_iops(report: &str) -> f64 {
    let line = report.lines().find(|line| line.starts_with("total:")).expect("a report has totals");
    line.split('|').nth(3).unwrap().trim().parse().unwrap()
}

#[test]
#[ignore = "needs an idle machine: run by cargo xtask ci"]
fn the_job_files_find_the_limits_each_by_itself_and_both_at_once() {
    let Some(machine) = Machine::new("cloud-fio").map(Machine::with_files) else { return };
    let (writes, reads) = ((WRITES, WRITE_IOPS), (READS, READ_IOPS));
    assert_agrees("fiowrite.ini", &[writes], FIO_IN_FLIGHT, &machine.fio(FIO_WRITE));
    assert_agrees("fioread.ini", &[reads], FIO_IN_FLIGHT, &machine.fio(FIO_READ));
    assert_agrees("fioreadwrite.ini", &[reads, writes], FIO_IN_FLIGHT, &machine.fio(FIO_BOTH));
}

#[test]
#[ignore = "needs an idle machine: run by cargo xtask ci"]
fn the_lines_find_the_limits() {
    let Some(machine) = Machine::new("cloud-diskspd") else { return };
    for (line, limit) in [(DISKSPD_WRITE, (WRITES, WRITE_IOPS)), (DISKSPD_READ, (READS, READ_IOPS))] {
        assert_agrees(line, &[limit], DISKSPD_IN_FLIGHT, &machine.diskspd(line));
    }
}
