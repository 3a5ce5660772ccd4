//! The job files and command lines of the page measure the limits, and the kernel's counters over the same interval agree.
//!
//! The kernel's throttle permits the I/Os of 100 ms at once and then none until the next 100 ms. An idle device therefore
//! begins with a burst: the first second is not measured. The ends of the measured time matter, too: see [`ramp_ms`] and
//! [`Interval::is_clear`].
//!
//! The duration of such a burst depends on the machine. If it is too slow for the limits of the page, limits and
//! queue depths are halved until a burst ends well before the next one.

use fathom_truth::fio_report;
use fathom_truth::kernel::History;
use harness::{command, with_realtime_priority};
use serde_json::Value;

use super::machine::{Machine, READ_IOPS, WRITE_IOPS};

const READS: usize = 0;
const WRITES: usize = 1;
const NAMES: [&str; 2] = ["read", "write"];
/// Period of the kernel's throttle.
const THROTTLE_MS: f64 = 100.0;
/// Tolerance: one burst more or less is 2 %; the ends of the interval add much less.
const RUNTIME_S: u32 = 6;

/// The page's job files, apart from directories and sizes. `DEPTH` and `RATE` stand for the page's queue depth and rate,
/// divided like the limits.
const FIO_WRITE: &str = "[global]\nsize=192m\ndirect=1\niodepth=DEPTH\nioengine=libaio\nbs=4k\nnumjobs=4\n\
                         [writer1]\nrw=randwrite\ndirectory=nocache\n";
const FIO_READ: &str = "[global]\nsize=1g\ndirect=1\niodepth=DEPTH\nioengine=libaio\nbs=4k\nnumjobs=4\n\
                        [reader1]\nrw=randread\ndirectory=readcache\n";
const FIO_BOTH: &str = "[global]\nsize=192m\ndirect=1\niodepth=DEPTH\nioengine=libaio\nbs=4k\nnumjobs=4\n\
                        [reader1]\nrw=randread\ndirectory=readcache\nsize=1g\n\
                        [writer1]\nrw=randwrite\ndirectory=nocache\nrate_iops=RATE\n";
const FIO_DEPTH: u32 = 256;
const FIO_BOTH_DEPTH: u32 = 128;
const JOBS: u32 = 4;
/// The page's command lines, with shorter times.
const DISKSPD_WRITE: &str = "-c256M -w100 -b8K -F4 -r -oDEPTH -W1 -d3 -Sh nocache/testfile.dat";
const DISKSPD_READ: &str = "-c256M -b4K -F4 -r -oDEPTH -W1 -d3 -Sh readcache/testfile.dat";
const DISKSPD_DEPTH: u32 = 128;

impl Machine {
    /// Runs a job file with `--runtime`, as the page does, and a ramp. The limit of `iops` is reached when the ramp ends.
    fn fio(&self, job_file: &str, depth: u32, iops: u32, divisor: u32) -> Measured {
        let directory = self.scratch.path();
        let (depth, iops, rate) = (depth / divisor, iops / divisor, WRITE_IOPS / JOBS / divisor);
        let job_file = job_file.replace("DEPTH", &depth.to_string()).replace("RATE", &rate.to_string());
        std::fs::write(directory.join("job.ini"), job_file).unwrap();
        let ramp_ms = ramp_ms(JOBS * depth, iops);
        let words =
            format!("--runtime {RUNTIME_S} --ramp_time={ramp_ms}ms --output-format=json --record=record job.ini");
        let (outcome, histories) = self.run(&with_realtime_priority(command(directory, "fio", &words)));
        let report = outcome.json();
        Measured {
            iops: [READS, WRITES].map(|direction| group_iops(&report, direction)),
            record: self.record(),
            histories,
        }
    }

    fn diskspd(&self, line: &str, divisor: u32) -> Measured {
        let line = line.replace("DEPTH", &(DISKSPD_DEPTH / divisor).to_string());
        let command =
            with_realtime_priority(command(self.scratch.path(), "diskspd", &format!("-Rrecord=record {line}")));
        let (outcome, histories) = self.run(&command);
        Measured { iops: [total_iops(&outcome.stdout); 2], record: self.record(), histories }
    }

    fn record(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.scratch.file("record")).unwrap()).unwrap()
    }
}

/// Results of a run.
struct Measured {
    /// As reported, for reads and for writes.
    iops: [f64; 2],
    record: Value,
    /// Counters of the devices that are read and written.
    histories: [History; 2],
}

/// Returns a ramp of about one second. I/Os in flight at its end complete with the next burst. If the ramp ends as long before
/// a burst as these I/Os take at the mean rate, the measured time consists of whole bursts. It must end clear of the burst
/// before and of the burst after.
fn ramp_ms(in_flight: u32, iops: u32) -> u32 {
    const CLEAR_MS: f64 = 35.0;
    const SOON_MS: f64 = 80.0;
    let after_burst_ms = THROTTLE_MS - f64::from(in_flight) * 1000.0 / f64::from(iops);
    (1000.0 + after_burst_ms.clamp(CLEAR_MS, SOON_MS)).round() as u32
}

/// Measured values of one direction, over all workers.
struct Interval {
    from_us: u64,
    to_us: u64,
    ios: u64,
}

impl Interval {
    fn of(record: &Value, direction: usize) -> Self {
        let whole = |of: &Value| of.as_u64().or_else(|| of.as_str()?.parse().ok()).unwrap();
        let workers = record["workers"].as_array().unwrap().iter().map(|worker| &worker["stats"]);
        let mut all = Interval { from_us: u64::MAX, to_us: 0, ios: 0 };
        for stats in workers.filter(|stats| whole(&stats["ddirs"][direction]["ios"]) > 0) {
            let from_us = whole(&stats["measured_from_unix_us"]);
            all.from_us = all.from_us.min(from_us);
            all.to_us = all.to_us.max(from_us + whole(&stats["runtime_ns"]) / 1000);
            all.ios += whole(&stats["ddirs"][direction]["ios"]);
        }
        all
    }

    fn seconds(&self) -> f64 {
        (self.to_us - self.from_us) as f64 / 1e6
    }

    /// Whether the counters are a valid reference for I/Os that began or ended at a time. A thread sees a completion slightly later
    /// than the kernel counts it. The time must therefore not be within a burst, with hundreds of I/Os per ms, nor within a time
    /// in which the machine stood still.
    fn is_clear(&self, at_us: u64, history: &History, direction: usize) -> bool {
        const NEAR_US: u64 = 25_000;
        const GAP_US: u64 = 3_000;
        let before = history.ios_between(direction, at_us - NEAR_US, at_us);
        let evenly = self.ios as f64 * NEAR_US as f64 / (self.to_us - self.from_us) as f64;
        let is_even = (evenly * 0.7..evenly * 1.3).contains(&before);
        before == 0.0 || is_even && history.longest_gap_us(at_us - NEAR_US, at_us) < GAP_US
    }
}

/// Compares the results of a run with the kernel's counters over the same interval, and with the limits.
fn agrees(what: &str, limits: &[(usize, u32)], measured: &Measured) -> Result<(), String> {
    for &(direction, limit) in limits {
        let (interval, history) = (Interval::of(&measured.record, direction), &measured.histories[direction]);
        let by_kernel = history.ios_between(direction, interval.from_us, interval.to_us);
        let (iops, seconds) = (measured.iops[direction], interval.seconds());
        let (way, ios) = (NAMES[direction], interval.ios);
        let summary =
            format!("{what}: {iops:.1} {way}s a second, {ios} in {seconds:.4} s, by the kernel {by_kernel:.0}");
        println!("{summary}");
        // I/Os in flight at the end of a fio job are measured; only those of the file system come later.
        let after = history.ios_between(direction, interval.to_us, u64::MAX);
        let ends_in_flight = after < ios as f64 * 0.0005;
        if !interval.is_clear(interval.from_us, history, direction)
            || !(ends_in_flight || interval.is_clear(interval.to_us, history, direction))
        {
            return Err(format!("{summary}: the ends are not clear"));
        }
        let near = |one: f64, other: f64, share: f64| (one / other - 1.0).abs() <= share;
        if !near(ios as f64, by_kernel, 0.001) {
            return Err(format!("{summary}: fathom and the kernel disagree"));
        }
        if !near(iops, f64::from(limit), 0.01) {
            return Err(format!("{summary}: this is not the limit of {limit}"));
        }
    }
    Ok(())
}

/// Runs until fathom, the kernel and the limit agree. A wrong count is wrong in every run. A busy machine may stop threads for
/// longer than the tolerance: each divisor has several tries. On a slow machine a burst takes too long for the limit: the next
/// divisor makes the burst smaller. Starts with `divisor` and stores the one that succeeded in it.
fn find(
    machine: &mut Machine,
    divisor: &mut u32,
    limits: &[(usize, u32)],
    what: &str,
    run: impl Fn(&Machine, u32) -> Measured,
) {
    const TRIES: u32 = 3;
    const DIVISOR_MAX: u32 = 16;
    let mut failures = Vec::new();
    while *divisor <= DIVISOR_MAX {
        machine.divide_limits(*divisor).unwrap();
        let limits: Vec<_> = limits.iter().map(|(direction, limit)| (*direction, limit / *divisor)).collect();
        for _ in 0..TRIES {
            match agrees(what, &limits, &run(machine, *divisor)) {
                Ok(()) => return,
                Err(why) => failures.push(why),
            }
        }
        *divisor *= 2;
    }
    panic!("in none of {} runs:\n{}", failures.len(), failures.join("\n"));
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
fn the_job_files_find_the_limits_each_by_itself_and_both_at_once() {
    let Some(mut machine) = Machine::new("cloud-fio").map(Machine::with_files) else { return };
    let (writes, reads) = ((WRITES, WRITE_IOPS), (READS, READ_IOPS));
    let fio = |file: &'static str, depth, iops| move |machine: &Machine, part| machine.fio(file, depth, iops, part);
    let mut divisor = 1;
    find(&mut machine, &mut divisor, &[writes], "fiowrite.ini", fio(FIO_WRITE, FIO_DEPTH, WRITE_IOPS));
    find(&mut machine, &mut divisor, &[reads], "fioread.ini", fio(FIO_READ, FIO_DEPTH, READ_IOPS));
    find(&mut machine, &mut divisor, &[reads, writes], "fioreadwrite.ini", fio(FIO_BOTH, FIO_BOTH_DEPTH, READ_IOPS));
}

#[test]
fn the_lines_find_the_limits() {
    let Some(mut machine) = Machine::new("cloud-diskspd") else { return };
    let diskspd = |line: &'static str| move |machine: &Machine, part| machine.diskspd(line, part);
    let mut divisor = 1;
    find(&mut machine, &mut divisor, &[(WRITES, WRITE_IOPS)], DISKSPD_WRITE, diskspd(DISKSPD_WRITE));
    find(&mut machine, &mut divisor, &[(READS, READ_IOPS)], DISKSPD_READ, diskspd(DISKSPD_READ));
}
