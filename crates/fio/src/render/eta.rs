//! How long a run still takes, estimated as fio does.

use plan::{Ddir, ExitAll, Plan, Worker};

/// Seconds after which fio begins to tell when a run ends.
const FIRST_ESTIMATE_S: u64 = 3;

/// What can be seen of a worker while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkerProgress {
    pub state: State,
    /// Completed so far (the ramp included), by direction.
    pub bytes: [u64; 3],
    pub ios: [u64; 3],
    pub open_files: u32,
    /// Bytes that the worker means to transfer; `None` where only time ends it.
    pub goal_bytes: Option<u64>,
    /// Time since the worker began its I/O, or its ramp while it lasts.
    pub running_ms: u64,
}

/// Where a worker is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    #[default]
    NotStarted,
    SettingUp,
    /// Waits for the others to be ready.
    Ready,
    Ramping,
    Running,
    Syncing,
    Finishing,
    Ended,
    Failed,
}

/// Seconds until all workers have ended, or `None` before anything can be said.
pub fn eta_s(plan: &Plan, workers: &[WorkerProgress], elapsed_ms: u64) -> Option<u64> {
    if elapsed_ms.div_ceil(1000) < FIRST_ESTIMATE_S {
        return None;
    }
    let estimates =
        plan.workers.iter().zip(workers).map(|(worker, progress)| (worker, progress, left_s(worker, progress)));
    if plan.workers.iter().any(|worker| worker.limits.exit_all == ExitAll::Everybody) {
        return estimates.map(|(_, _, left)| left).min();
    }
    // Phases that wait for others run one after another, each as long as its longest worker.
    let mut phases: Vec<(u32, u64)> = Vec::new();
    for (worker, _, left) in estimates {
        match phases.iter_mut().find(|(phase, _)| *phase == worker.phase) {
            Some((_, longest)) => *longest = left.max(*longest),
            None => phases.push((worker.phase, left)),
        }
    }
    Some(phases.into_iter().fold(0, |sum, (_, longest)| sum.saturating_add(longest)))
}

/// Seconds that one worker still needs.
fn left_s(worker: &Worker, progress: &WorkerProgress) -> u64 {
    match progress.state {
        State::Running => running_left_s(worker, progress),
        State::NotStarted | State::SettingUp | State::Ready | State::Ramping => guess_s(worker, progress),
        State::Syncing | State::Finishing | State::Ended | State::Failed => 0,
    }
}

fn running_left_s(worker: &Worker, progress: &WorkerProgress) -> u64 {
    let elapsed_s = progress.running_ms.div_ceil(1000);
    let limit_s = worker.limits.runtime_ns / 1_000_000_000;
    let by_time = (limit_s > 0).then(|| limit_s.saturating_sub(elapsed_s));
    let done: u64 = progress.bytes.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes));
    let by_size = match progress.goal_bytes {
        Some(goal) if done > 0 && !worker.limits.time_based => {
            let part = (done as f64 / goal.max(1) as f64).min(1.0);
            Some(((elapsed_s as f64 / part) as u64).saturating_sub(elapsed_s))
        }
        _ => None,
    };
    match (by_time, by_size) {
        (Some(time), Some(size)) => time.min(size),
        (time, size) => time.or(size).unwrap_or(0),
    }
}

/// Of a worker that has not begun: it will run for its full time, or at its rate.
fn guess_s(worker: &Worker, progress: &WorkerProgress) -> u64 {
    let limits = &worker.limits;
    let delay_s = limits.start_delay_ns.1 / 1_000_000_000;
    let ramp_s = limits.ramp_ns / 1_000_000_000;
    let by_time = (limits.runtime_ns > 0).then(|| {
        let whole = limits.runtime_ns / 1_000_000_000 + ramp_s;
        match progress.state {
            State::Ramping => whole.saturating_sub(progress.running_ms.div_ceil(1000)),
            _ => whole + delay_s,
        }
    });
    let directions = Ddir::ALL.into_iter().filter(|&ddir| worker.access.pattern.has(ddir));
    let rate = directions.fold(0u64, |sum, ddir| sum.saturating_add(worker.rate.bytes_per_s[ddir]));
    let by_rate = match progress.goal_bytes {
        Some(goal) if rate > 0 && !limits.time_based => Some(goal / rate + delay_s),
        _ => None,
    };
    match (by_time, by_rate) {
        (Some(time), Some(at_rate)) => time.min(at_rate),
        (time, at_rate) => time.or(at_rate).unwrap_or(0),
    }
}

/// `01m:05s`, with hours and days where there are any.
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
