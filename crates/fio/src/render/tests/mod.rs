//! Tests of reports of constructed records. The structure of reports is compared with fio's.

mod json;
mod likeness;
mod normal;
mod progress_line;
mod properties;
mod terse;

use crate::render::ReportOptions;
use plan::*;
use record::{DiskCounters, DiskUse, Ended, Event, FailedIo, IoError, Record, RunError, Started, WorkerStats};
use std::sync::Arc;

/// One second, in ns.
pub const S: u64 = 1_000_000_000;

/// Returns the worker of a job without options.
pub fn worker(name: &str) -> Worker {
    let mut worker = Worker { name: name.into(), ..Worker::default() };
    worker.job_mut().unwrap().targets.paths = vec!["f".into()];
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(4 << 20));
    worker
}

/// Changes the options that reports print.
pub fn echo(worker: &mut Worker, change: impl FnOnce(&mut Echo)) {
    change(Arc::make_mut(&mut worker.echo));
}

/// Returns the record of a finished run with these workers and statistics.
pub fn ended(jobs: Vec<(Worker, WorkerStats)>) -> Record {
    let (workers, stats): (Vec<Worker>, Vec<WorkerStats>) = jobs.into_iter().unzip();
    let plan = Plan { workers, ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 1_795_229_050_000);
    for (worker, stats) in stats.into_iter().enumerate() {
        let started = Started { tid: 100 + worker as u32, unix_ms: 1_795_229_050_100, clock_ms: None };
        record.apply(Event::Started { worker, started });
        let ended = Ended { stats: Box::new(stats), error: None, nonfatal_errors: 0, first_nonfatal_errno: 0 };
        record.apply(Event::Ended { worker, ended });
    }
    record
}

pub fn options() -> ReportOptions {
    ReportOptions { now_unix_ms: 1_795_229_056_889, ..ReportOptions::default() }
}

/// Returns the statistics of a worker with `ios` I/Os of 4 KiB in each of these directions, in 2 s.
pub fn stats(ddirs: &[Ddir], ios: u64) -> WorkerStats {
    let mut stats = WorkerStats::default();
    for &ddir in ddirs {
        let figures = &mut stats.ddirs[ddir as usize];
        (figures.ios, figures.issued, figures.bytes, figures.runtime_ns) = (ios, ios, ios * 4096, 2 * S);
        for number in 0..ios {
            let ns = 3_000 + number * 1_001 % 90_000;
            figures.slat.record(700);
            figures.clat.record(ns);
            figures.lat.record(ns + 700);
            stats.depth.record(1);
            stats.submit.record(1);
            stats.complete.record(1);
        }
        for share in [9, 10, 11, 10] {
            figures.bandwidth_kib.record((ios * 2 * share / 10) as f64);
            figures.iops.record((ios / 2 * share / 10) as f64);
        }
    }
    stats.runtime_ns = 2 * S + 3_000_000;
    stats.usage.user_ns = S / 2;
    stats.usage.system_ns = S / 4;
    stats.usage.context_switches = 12;
    stats.usage.minor_faults = 9;
    stats
}

pub fn fail(record: &mut Record, worker: usize, errno: i32) {
    let write = FailedIo { path: "f".into(), ddir: Some(Ddir::Write), offset: 0, bytes: 4096 };
    record.workers[worker].error = Some(RunError::new(errno, IoError::Failed(write)));
}

/// Returns a disk with a utilisation of 50 %.
pub fn disk(name: &str) -> DiskUse {
    let counters = DiskCounters {
        ios: [10, 20],
        merges: [1, 2],
        sectors: [80, 160],
        ticks_ms: [3, 4],
        io_ticks_ms: 1000,
        time_in_queue_ms: 7,
    };
    DiskUse { name: name.into(), counters, elapsed_ms: 2000, slaves: Vec::new(), health: None }
}

/// Returns the structure of a report. `#` replaces each number with its prefix, and padding is removed.
pub fn shape(text: &str) -> String {
    text.lines().map(|line| line_shape(line) + "\n").collect()
}

fn line_shape(line: &str) -> String {
    let text = line.trim_start();
    let mut shape = " ".repeat(line.len() - text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii_digit() {
            while characters.next_if(|next| next.is_ascii_digit() || *next == '.').is_some() {}
            characters.next_if(|next| "kKMGT".contains(*next));
            characters.next_if(|next| *next == 'i');
            shape.push('#');
        } else if character != ' ' || characters.peek().is_some_and(|next| *next != ' ' && !next.is_ascii_digit()) {
            shape.push(character);
        }
    }
    shape
}
