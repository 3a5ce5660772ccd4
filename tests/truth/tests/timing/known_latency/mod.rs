//! Known latencies: files that answer after a programmed delay, and fathom's reports with the command lines of fio and
//! DiskSpd.
//!
//! The files give both bounds of a latency: an I/O takes at least the time from the arrival of its request to the answer,
//! and it ends before a later I/O needs its slot ([`fathom_truth::slots`]). A busy machine widens the bounds.

mod diskspd;
mod fio;
mod syncs;

use std::time::Duration;

use fathom_truth::timed_files::{Program, Served};

const MS: Duration = Duration::from_millis(1);
const FILE_BYTES: u64 = 16 << 20;
/// Tolerance: the clocks of the files and of fathom advance at rates that differ by less than this share.
const CLOCKS: f64 = 0.001;

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
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn fio_reports_a_constant_latency() {
    fio::each_engine("constant", "randread", constant);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn fio_reports_a_latency_of_two_values() {
    fio::each_engine("two-valued", "randwrite", two_valued);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn fio_reports_a_latency_with_a_heavy_tail() {
    fio::each_engine("heavy-tailed", "randread", heavy_tailed);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn diskspd_reports_a_latency_of_two_values() {
    diskspd::each_engine("two-valued", "-r", two_valued);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn diskspd_reports_a_latency_with_a_heavy_tail() {
    diskspd::each_engine("heavy-tailed", "-w100 -r", heavy_tailed);
}

fn nanoseconds(served: &Served) -> u64 {
    served.took.as_nanos() as u64
}

fn is_within(seen_ns: f64, least_ns: f64, most_ns: f64) -> bool {
    (least_ns * (1.0 - CLOCKS)..=most_ns * (1.0 + CLOCKS)).contains(&seen_ns)
}
