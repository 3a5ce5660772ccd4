//! Latency of FUSE itself.

use std::process::Command;
use std::time::Duration;

use fathom_truth::timed_files::{Program, TimedFiles};

use super::{fio, nanoseconds};

const READS: usize = 60;

/// Latency of FUSE on a machine that sleeps as long between two I/Os as in the run: the excess of plain reads over the files or,
/// if larger, of an engine over files without delay.
pub fn floor_ns(files: &TimedFiles, engine: &str, asleep: Duration) -> Vec<u64> {
    let (mut plain, mut at_once) = (plain_ns(files, asleep), at_once_ns(files, engine, asleep));
    assert_eq!((plain.len(), at_once.len()), (READS, READS));
    plain.sort_unstable();
    at_once.sort_unstable();
    plain.into_iter().zip(at_once).map(|(plain, at_once)| plain.max(at_once)).collect()
}

/// Both sides of a request have slept: the client and the files.
fn plain_ns(files: &TimedFiles, asleep: Duration) -> Vec<u64> {
    files.begin(Program::constant(asleep));
    let mut reads = harness::with_realtime_priority(Command::new(env!("CARGO_BIN_EXE_plain_reads")));
    let reads = reads.arg(files.file(0)).arg(READS.to_string()).spawn().unwrap();
    let seen = harness::outcome(reads).assert_success().stdout;
    let seen = seen.lines().map(|line| line.parse::<u64>().unwrap());
    seen.zip(&files.served()).map(|(seen, served)| seen - nanoseconds(served)).collect()
}

fn at_once_ns(files: &TimedFiles, engine: &str, asleep: Duration) -> Vec<u64> {
    let job = format!("--ioengine={engine} --rw=randread --thinktime={} --number_ios={READS}", asleep.as_micros());
    let ios = fio::logged(files, Program::constant(Duration::ZERO), &job).1;
    ios.iter().map(|(seen, took)| seen.saturating_sub(*took)).collect()
}
