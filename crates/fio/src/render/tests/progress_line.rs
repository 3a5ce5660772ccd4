//! Tests of the progress line.

use super::*;
use crate::render::{ProgressLine, WorkerProgress, WorkerState, eta_s};

fn mixed_job(runtime_s: u64) -> Worker {
    let mut job = worker("a");
    job.job_mut().unwrap().access.pattern = Pattern { reads: true, writes: true, trims: false, random: true };
    (job.limits.runtime_ns, job.limits.time_based) = (runtime_s * S, true);
    job
}

fn progress(state: WorkerState, mib: u64, running_ms: u64) -> WorkerProgress {
    WorkerProgress {
        state,
        bytes: [mib << 20, mib << 20, 0],
        ios: [mib << 8, mib << 8, 0],
        open_files: 1,
        goal_bytes: None,
        running_ms,
    }
}

#[test]
fn the_first_lines_have_the_number_of_jobs_only() {
    let plan = Plan { workers: vec![mixed_job(5)], ..Plan::default() };
    let mut line = ProgressLine::default();
    assert_eq!(line.next(&plan, &[progress(WorkerState::Running, 10, 1000)], 1000), "Jobs: 1 (f=1)\r");
}

#[test]
fn rates_are_relative_to_the_previous_line() {
    let mut limited = mixed_job(5);
    limited.job_mut().unwrap().rate.bytes_per_s = PerDdir([10 << 20, 10 << 20, 0]);
    let plan = Plan { workers: vec![limited.clone(), limited], ..Plan::default() };
    let mut line = ProgressLine::default();
    line.next(&plan, &[progress(WorkerState::Running, 20, 2000); 2], 2000);
    let long = line.next(&plan, &[progress(WorkerState::Running, 30, 3000); 2], 3000);
    assert_eq!(
        long,
        "Jobs: 2 (f=2), 0B/s-40.0MiB/s: [m(2)][60.0%][r=20.0MiB/s,w=20.0MiB/s][r=5120,w=5120 IOPS][eta 00m:02s]\r"
    );
    let ended = [progress(WorkerState::Running, 30, 4000), progress(WorkerState::Ended, 30, 0)];
    let last = line.next(&plan, &ended, 4000);
    assert_eq!(last.trim_end(), "Jobs: 1 (f=2), 0B/s-20.0MiB/s: [m(1),_(1)][80.0%][eta 00m:01s]");
    assert_eq!(last.len(), long.len(), "blanks overwrite the longer previous line");
}

#[test]
fn a_new_line_starts_after_the_interval() {
    let plan = Plan { workers: vec![mixed_job(5)], ..Plan::default() };
    let mut line = ProgressLine::new(Some(1000));
    let starts: Vec<bool> = [500, 1000, 1600, 2000]
        .into_iter()
        .map(|ms| line.next(&plan, &[progress(WorkerState::Running, 1, ms)], ms).starts_with('\n'))
        .collect();
    assert_eq!(starts, [false, false, true, false]);
}

#[test]
fn estimates_use_phases_and_sizes() {
    let mut second = mixed_job(60);
    second.phase = 1;
    let mut first = worker("size");
    first.limits.loops = 1;
    let plan = Plan { workers: vec![first, second], ..Plan::default() };
    let half = WorkerProgress { goal_bytes: Some(40 << 20), ..progress(WorkerState::Running, 10, 10_000) };
    let not_started = WorkerProgress::default();
    assert_eq!(eta_s(&plan, &[half, not_started], 10_000), Some(70));
    assert_eq!(eta_s(&plan, &[half, not_started], 2_000), None);
    assert_eq!(
        eta_s(&plan, &[progress(WorkerState::Ended, 10, 0), progress(WorkerState::Ended, 9, 0)], 90_000),
        Some(0)
    );
}

#[test]
fn long_estimates_have_hours_and_days() {
    let mut job = mixed_job(2 * 86_400 + 3 * 3600 + 65);
    job.limits.runtime_ns += 3 * S;
    let plan = Plan { workers: vec![job], ..Plan::default() };
    let line = ProgressLine::default().next(&plan, &[progress(WorkerState::Running, 0, 3000)], 3000);
    assert_eq!(line, "Jobs: 1 (f=1): [m(1)][0.0%][eta 02d:03h:01m:05s]\r");
}
