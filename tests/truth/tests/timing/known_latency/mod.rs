//! Known latencies: files that answer after a programmed delay, and fathom's reports with the command lines of fio and DiskSpd.
//!
//! No value may be below what the files measured. Noise cannot cause this, so that it fails at once. The excess must be within
//! the latency of FUSE, measured by plain reads. A busy machine may add to it: a run has several tries, and only a value that
//! is too high in all of them fails.

mod diskspd;
mod fio;
mod floor;
mod reported;

use std::time::Duration;

use fathom_truth::timed_files::{Program, Served, TimedFiles};
use reported::Reported;

const TRIES: usize = 5;
/// Percentiles that are compared: none at the step between the two delays.
const SHARES: [f64; 9] = [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9];
const MS: Duration = Duration::from_millis(1);
const FILE_BYTES: u64 = 16 << 20;

fn constant(depth: u32) -> Program {
    Program::constant(3 * MS + MS / 5 * (depth - 1))
}

/// The slow delay is the common one where the fast one is too fast for this depth.
fn two_valued(depth: u32) -> Program {
    Program::two_valued(Duration::from_micros(90), Duration::from_micros(3100), if depth > 8 { 0.85 } else { 0.3 })
}

fn heavy_tailed(depth: u32) -> Program {
    Program::pareto(MS / 2 + MS / 8 * (depth - 1), 1.5, 40 * MS)
}

#[test]
fn fio_reports_a_constant_latency() {
    fio::each_engine("constant", "randread", constant);
}

#[test]
fn fio_reports_a_latency_of_two_values() {
    fio::each_engine("two-valued", "randwrite", two_valued);
}

#[test]
fn fio_reports_a_latency_with_a_heavy_tail() {
    fio::each_engine("heavy-tailed", "randread", heavy_tailed);
}

#[test]
fn diskspd_reports_a_latency_of_two_values() {
    diskspd::each_engine("two-valued", "-r", two_valued);
}

#[test]
fn diskspd_reports_a_latency_with_a_heavy_tail() {
    diskspd::each_engine("heavy-tailed", "-w100 -r", heavy_tailed);
}

/// Compares a run, repeated at each try, with what the files measured.
fn compare(files: &TimedFiles, what: &str, engine: &str, depth: u32, run: impl Fn() -> (Reported, Vec<u64>)) {
    let mut fails: Vec<(String, String)> = Vec::new();
    for nth in 0..TRIES {
        let (reported, took_ns) = run();
        reported.assert_none_is_too_short(what, &took_ns);
        let mean_ns = fathom_truth::arithmetic::mean(&took_ns);
        let asleep = Duration::from_nanos((mean_ns / f64::from(depth)) as u64);
        let found = reported.too_long(&took_ns, &floor::floor_ns(files, engine, asleep));
        // A value that was within its bounds once is correct.
        let is_again = |figure: &String| nth == 0 || fails.iter().any(|(failed, _)| failed == figure);
        fails = found.into_iter().filter(|(figure, _)| is_again(figure)).collect();
        if fails.is_empty() {
            return;
        }
    }
    panic!("{what}: wrong at each of {TRIES} tries: {fails:#?}");
}

fn nanoseconds(served: &Served) -> u64 {
    served.took.as_nanos() as u64
}
