//! A device that stalls for half a second while I/Os keep arriving: each of them waits, and the report must show it.
//!
//! The files record when a request arrived and when it was answered. The response time of its I/O is the time from the intended
//! start, given by the rate, to that answer.

use std::time::Duration;

use fathom_truth::arithmetic::{fio_bin, percentile};
use fathom_truth::fio_report::{self, Direction, Latency, OpenLoop};
use fathom_truth::timed_files::{Program, Served, TimedFiles};

const TRIES: usize = 5;
const SHARES: [f64; 9] = [10.0, 50.0, 75.0, 84.0, 87.0, 90.0, 95.0, 99.0, 99.9];
const MS: Duration = Duration::from_millis(1);
/// 1,000 I/Os per second, of which the stall delays 500.
const RATE: u64 = 1000;
const RUNTIME_S: u64 = 2;
const STALL: Duration = Duration::from_millis(500);
/// Delay from which an I/O is late.
const LATE: Duration = MS;

/// Depths: enough for all I/Os in flight without a stall, and one.
const ENGINES: [(&str, u32); 5] = [("psync", 1), ("libaio", 1), ("libaio", 16), ("io_uring", 1), ("io_uring", 16)];

#[test]
fn response_times_are_those_that_arithmetic_gives_for_a_stall() {
    let Some(files) = TimedFiles::mount("stall", 1, 64 << 20) else { return };
    let intended: Vec<Duration> = (0..RATE * RUNTIME_S).map(|nth| MS * u32::try_from(nth).unwrap()).collect();
    for (engine, depth) in ENGINES {
        let what = format!("{engine}, depth {depth}");
        several_tries(&what, || {
            let run = Run::of(&files, stalled(), &format!("--ioengine={engine} --iodepth={depth}"));
            run.assert_counts(&what, RATE * RUNTIME_S);
            run.assert_nothing_is_too_short(&what, &intended);
            run.shows_each_wait(&intended)?;
            run.late_are_counted(&intended)?;
            run.submission_sees_one_stall(depth)?;
            if depth > 1 { run.is_spread_evenly() } else { Ok(()) }
        });
    }
}

#[test]
fn response_times_of_random_arrivals_show_a_stall_too() {
    let Some(files) = TimedFiles::mount("stall-poisson", 1, 64 << 20) else { return };
    let job = |engine: &str| format!("--ioengine={engine} --iodepth=16 --rate_process=poisson");
    several_tries("arrivals", || {
        // Equal seeds give equal arrivals; without delays they are seen as intended.
        let undisturbed = || Run::of(&files, Program::constant(MS / 10), &job("libaio"));
        let undisturbed = [undisturbed(), undisturbed(), undisturbed()];
        let intended = earliest(&undisturbed.each_ref().map(Run::arrivals));
        are_of_a_poisson_process(&intended)?;
        for engine in ["libaio", "io_uring"] {
            let run = Run::of(&files, stalled(), &job(engine));
            run.assert_counts(engine, undisturbed[0].open.due);
            run.shows_each_wait(&intended)?;
            run.late_are_counted(&intended)?;
            run.submission_sees_one_stall(16)?;
        }
        Ok(())
    });
}

/// Arrival of each I/O in the run in which the machine delayed it least. Runs are aligned by the median of their I/Os.
fn earliest(runs: &[Vec<Duration>]) -> Vec<Duration> {
    let ns = |time: &Duration| time.as_nanos() as i64;
    let apart = |run: &Vec<Duration>| {
        let mut apart: Vec<i64> = run.iter().zip(&runs[0]).map(|(here, there)| ns(here) - ns(there)).collect();
        apart.sort_unstable();
        apart[apart.len() / 2]
    };
    let aligned: Vec<(i64, &Vec<Duration>)> = runs.iter().map(|run| (apart(run), run)).collect();
    let count = runs.iter().map(Vec::len).min().unwrap_or(0);
    let first = |nth: usize| aligned.iter().map(|(apart, run)| ns(&run[nth]) - apart).fold(i64::MAX, i64::min);
    (0..count).map(|nth| Duration::from_nanos(first(nth).max(0) as u64)).collect()
}

#[test]
fn arrivals_that_never_got_a_place_are_counted_to_the_last() {
    let Some(files) = TimedFiles::mount("stall-end", 1, 64 << 20) else { return };
    for (engine, process) in
        [("libaio", "linear"), ("io_uring", "linear"), ("io_uring", "poisson"), ("psync", "poisson")]
    {
        let job = format!("--ioengine={engine} --iodepth=16 --rate_process={process} --runtime=1");
        // No answers from the middle until after the end.
        let run = Run::of(&files, Program::constant(MS / 10).stalled(500 * MS, 700 * MS), &job);
        let OpenLoop { due, unissued, .. } = run.open;
        assert_eq!(due - unissued, run.served.len() as u64, "{job}: issued I/Os are those that arrived");
        assert!((300..600).contains(&unissued), "{job}: {:?}", run.open);
        assert!(process == "poisson" || due == RATE, "{job}: {due}");
        assert!(run.findings.contains(&"rate-missed".to_owned()), "{job}: {:?}", run.findings);
    }
}

#[test]
fn a_rate_is_met_within_half_a_percent_low_and_high() {
    let scratch = harness::Scratch::new("rates");
    for process in ["linear", "poisson"] {
        for (rate, runtime_s) in [(50_u64, 1_u64), (20_000, 1)] {
            let what = format!("{rate}/s, {process}");
            several_tries(&what, || {
                let report = fathom_truth::fio(
                    scratch.path(),
                    &format!(
                        "--name=job --ioengine=null --size=1g --rw=randread --bs=4k --iodepth=64 --rate_iops={rate} \
                         --rate_process={process} --time_based --runtime={runtime_s} --output-format=json"
                    ),
                );
                let report = report.assert_success().json();
                let (read, open) = (fio_report::only(&report, "read"), fio_report::only_open_loop(&report, "read"));
                let expected = (rate * runtime_s) as f64;
                // Regular arrivals have no deviation; those of a Poisson process have that of their number.
                let deviation = if process == "linear" { 0.0 } else { expected.sqrt() };
                assert_eq!(open.due, read.ios + open.unissued, "{what}");
                assert!((open.due as f64 - expected).abs() <= 3.5 * deviation, "{what}: {} were due", open.due);
                let least = 0.995 * open.due as f64;
                if (read.ios as f64) < least { Err(format!("{} of {} went", read.ios, open.due)) } else { Ok(()) }
            });
        }
    }
}

/// A busy machine makes some I/Os late; a wrong value fails every time.
fn several_tries(what: &str, once: impl Fn() -> Result<(), String>) {
    let fails: Vec<String> = (0..TRIES).map_while(|_| once().err()).collect();
    assert!(fails.len() < TRIES, "{what}:\n{}", fails.join("\n"));
}

fn stalled() -> Program {
    Program::constant(MS / 10).stalled(1000 * MS, STALL)
}

/// The report of a run, and the requests that the files saw, in the order of arrival.
struct Run {
    read: Direction,
    open: OpenLoop,
    response: Latency,
    findings: Vec<String>,
    served: Vec<Served>,
}

impl Run {
    fn of(files: &TimedFiles, program: Program, job: &str) -> Run {
        files.begin(program);
        let shares = SHARES.map(|share| share.to_string()).join(":");
        let arguments = format!(
            "--name=job --filename={} --size=64m --direct=1 --rw=randread --bs=4k --rate_iops={RATE} --time_based \
             --runtime={RUNTIME_S} --output-format=json+ --lat_percentiles=1 --percentile_list={shares} {job}",
            files.file(0).display()
        );
        let report = fathom_truth::fio(files.beside(), &arguments).assert_success().json();
        let mut served = files.served();
        served.sort_by_key(|request| request.arrived);
        Run {
            read: fio_report::only(&report, "read"),
            open: fio_report::only_open_loop(&report, "read"),
            response: fio_report::only_response(&report, "read"),
            findings: fio_report::findings(&report),
            served,
        }
    }

    fn arrivals(&self) -> Vec<Duration> {
        self.served.iter().map(|request| request.arrived).collect()
    }

    /// Times from intended start to answer, both relative to the first.
    fn waits_ns(&self, intended: &[Duration]) -> Vec<u64> {
        let waits = self.served.iter().zip(intended);
        waits
            .map(|(served, intended)| (served.arrived + served.took).saturating_sub(*intended).as_nanos() as u64)
            .collect()
    }

    /// Checks that all due I/Os were answered, and no others.
    fn assert_counts(&self, what: &str, due: u64) {
        let OpenLoop { due: counted, unissued, .. } = self.open;
        assert_eq!((counted, due - unissued), (due, self.served.len() as u64), "{what}: {:?}", self.open);
        assert_eq!((self.read.ios, self.response.count), (due - unissued, due - unissued), "{what}");
    }

    /// Checks that no I/O is faster than its answer.
    fn assert_nothing_is_too_short(&self, what: &str, intended: &[Duration]) {
        let waits_ns = self.waits_ns(intended);
        for share in SHARES {
            let (seen, waited) = (self.response.percentile_ns(share), percentile(&waits_ns, share));
            let (first, last) = fio_bin(waited);
            // I/Os of one submission may arrive in another order.
            let least = first.saturating_sub(last - first + 300_000);
            assert!(seen >= least, "{what}: a {share}th percentile of {waited} ns was reported as {seen} ns");
        }
    }

    /// Checks that each percentile is that of the response times, within a bin and the latency of FUSE.
    fn shows_each_wait(&self, intended: &[Duration]) -> Result<(), String> {
        let waits_ns = self.waits_ns(intended);
        for share in SHARES {
            let (seen, waited) = (self.response.percentile_ns(share), percentile(&waits_ns, share));
            let (first, last) = fio_bin(waited);
            if seen.abs_diff(waited) > last - first + 2_000_000 {
                return Err(format!("a {share}th percentile of {waited} ns was reported as {seen} ns"));
            }
        }
        Ok(())
    }

    /// Checks the number of late I/Os against the arrivals at the files.
    fn late_are_counted(&self, intended: &[Duration]) -> Result<(), String> {
        let late = self.arrivals().into_iter().zip(intended).filter(|(arrived, intended)| *arrived > **intended + LATE);
        let (arrived_late, OpenLoop { late, queue_full, .. }) = (late.count() as u64, self.open);
        // At most 16 of the 500 I/Os of the stall had a free slot. A busy machine may add others.
        if late.abs_diff(arrived_late) > 30 || !(450..=late).contains(&queue_full) {
            return Err(format!("{arrived_late} arrived late: {:?}", self.open));
        }
        Ok(())
    }

    /// Checks that at most as many I/Os have a slow service time as there are slots.
    fn submission_sees_one_stall(&self, depth: u32) -> Result<(), String> {
        let slow = self.read.lat.bins.iter().filter(|(ns, _)| *ns > 100_000_000).map(|(_, count)| count);
        let slow: u64 = slow.sum();
        assert!(self.read.lat.max_ns > 400_000_000, "{}", self.read.lat.max_ns);
        if (1..=u64::from(depth)).contains(&slow) {
            return Ok(());
        }
        Err(format!("{slow} I/Os were slow from their submission on"))
    }

    /// A quarter of all I/Os waits between 500 ms and 0, uniformly.
    fn is_spread_evenly(&self) -> Result<(), String> {
        let share_of_waits = 100.0 * STALL.as_secs_f64() / RUNTIME_S as f64;
        for share in [84.0, 87.0, 90.0, 95.0, 99.0] {
            let expected_ms = 500.0 * (share - (100.0 - share_of_waits)) / share_of_waits;
            let seen_ms = self.response.percentile_ns(share) as f64 / 1e6;
            if seen_ms < 0.98 * expected_ms - 2.0 || seen_ms > 1.02 * expected_ms + 20.0 {
                return Err(format!("a {share}th percentile of {expected_ms} ms was reported as {seen_ms} ms"));
            }
        }
        Ok(())
    }
}

/// Gaps of exponential length: their deviation equals their mean.
fn are_of_a_poisson_process(arrivals: &[Duration]) -> Result<(), String> {
    let gaps: Vec<u64> = arrivals.windows(2).map(|pair| (pair[1] - pair[0]).as_nanos() as u64).collect();
    let (mean, deviation) = (fathom_truth::arithmetic::mean(&gaps), fathom_truth::arithmetic::deviation(&gaps));
    let of_the_mean = (gaps.len() as f64).sqrt().recip();
    if (mean / 1e6 - 1.0).abs() > 3.5 * of_the_mean || (deviation / mean - 1.0).abs() > 5.0 * of_the_mean {
        return Err(format!("gaps of {mean} ns with a deviation of {deviation} ns"));
    }
    Ok(())
}
