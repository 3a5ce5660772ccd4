//! Estimates the remaining time of a run, as fio does.

use plan::{Ddir, ExitAll, Job, Plan, Worker};

/// Time of a run before fio's first estimate, in seconds.
pub(super) const FIRST_ESTIMATE_S: u64 = 3;

/// Progress of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkerProgress {
    pub state: WorkerState,
    /// Bytes completed, ramp time included, by direction.
    pub bytes: [u64; 3],
    /// I/Os completed, ramp time included, by direction.
    pub ios: [u64; 3],
    pub open_files: u32,
    /// Bytes after which the worker ends. `None` if no number of bytes ends it, or before its start.
    pub goal_bytes: Option<u64>,
    /// Time since the worker started its I/O, or its ramp time if that is not over, in ms.
    pub running_ms: u64,
}

/// State of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WorkerState {
    #[default]
    NotStarted,
    SettingUp,
    /// Set up, and waiting for the other workers.
    Ready,
    Ramping,
    Running,
    Verifying,
    Syncing,
    Finishing,
    Ended,
    Failed,
}

/// Returns the estimated time until all workers end, in seconds. `None` in the first seconds of a run.
pub fn eta_s(plan: &Plan, workers: &[WorkerProgress], elapsed_ms: u64) -> Option<u64> {
    if elapsed_ms.div_ceil(1000) < FIRST_ESTIMATE_S {
        return None;
    }
    let estimates = plan.workers.iter().zip(workers).map(|(worker, progress)| (worker, remaining_s(worker, progress)));
    if plan.workers.iter().any(|worker| worker.limits.exit_all == ExitAll::All) {
        return estimates.map(|(_, remaining)| remaining).min();
    }
    // Phases run in sequence. A phase ends with its slowest worker.
    let mut phases: Vec<(u32, u64)> = Vec::new();
    for (worker, remaining) in estimates {
        match phases.iter_mut().find(|(phase, _)| *phase == worker.phase) {
            Some((_, longest)) => *longest = remaining.max(*longest),
            None => phases.push((worker.phase, remaining)),
        }
    }
    Some(phases.into_iter().fold(0, |sum, (_, longest)| sum.saturating_add(longest)))
}

/// Returns the estimated remaining time of a worker, in seconds.
fn remaining_s(worker: &Worker, progress: &WorkerProgress) -> u64 {
    match progress.state {
        WorkerState::Running | WorkerState::Verifying => running_remaining_s(worker, progress),
        WorkerState::NotStarted | WorkerState::SettingUp | WorkerState::Ready | WorkerState::Ramping => {
            planned_s(worker, progress)
        }
        WorkerState::Syncing | WorkerState::Finishing | WorkerState::Ended | WorkerState::Failed => 0,
    }
}

fn running_remaining_s(worker: &Worker, progress: &WorkerProgress) -> u64 {
    let elapsed_s = progress.running_ms.div_ceil(1000);
    let limit_s = worker.limits.runtime_ns / 1_000_000_000;
    let by_time = (limit_s > 0).then(|| limit_s.saturating_sub(elapsed_s));
    let done: u64 = progress.bytes.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes));
    let by_size = match progress.goal_bytes {
        Some(goal) if done > 0 && !worker.limits.time_based => {
            let fraction = (done as f64 / goal.max(1) as f64).min(1.0);
            Some(((elapsed_s as f64 / fraction) as u64).saturating_sub(elapsed_s))
        }
        _ => None,
    };
    match (by_time, by_size) {
        (Some(time), Some(size)) => time.min(size),
        (time, size) => time.or(size).unwrap_or(0),
    }
}

/// Returns the remaining time of a worker before its start: its runtime, or its size divided by its rate.
fn planned_s(worker: &Worker, progress: &WorkerProgress) -> u64 {
    let limits = &worker.limits;
    let delay_s = limits.start_delay_ns.1 / 1_000_000_000;
    let ramp_s = limits.ramp_ns / 1_000_000_000;
    let by_time = (limits.runtime_ns > 0).then(|| {
        let total = limits.runtime_ns / 1_000_000_000 + ramp_s;
        match progress.state {
            WorkerState::Ramping => total.saturating_sub(progress.running_ms.div_ceil(1000)),
            _ => total + delay_s,
        }
    });
    let of_job = |job: Job| {
        let directions = Ddir::ALL.into_iter().filter(|&ddir| job.load.access.pattern.has(ddir));
        directions.fold(0u64, |sum, ddir| sum.saturating_add(job.load.rate.bytes_per_s[ddir]))
    };
    let rate = worker.job().map_or(0, of_job);
    let by_rate = match progress.goal_bytes {
        Some(goal) if rate > 0 && !limits.time_based => Some(goal / rate + delay_s),
        _ => None,
    };
    match (by_time, by_rate) {
        (Some(time), Some(at_rate)) => time.min(at_rate),
        (time, at_rate) => time.or(at_rate).unwrap_or(0),
    }
}

/// Formats a duration as `01m:05s`, with hours and days if they are not 0.
pub(super) fn clock(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let mut text = String::new();
    if days > 0 {
        text += &format!("{days:02}d:");
    }
    if days > 0 || hours > 0 {
        text += &format!("{hours:02}h:");
    }
    text + &format!("{minutes:02}m:{:02}s", seconds % 60)
}
