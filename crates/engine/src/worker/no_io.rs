//! What workers without I/O have in common: those that burn CPU time, and those that run a program.

use plan::{Ddir, Worker};
use record::{Ended, WorkerStats};

use super::context::Context;
use super::{commands, setup};
use crate::goal::Goal;

/// Prepares the thread, waits for the start of the phase, and does the work between the job's commands.
pub fn run(context: Context, wait_at_gate: &mut dyn FnMut() -> Option<u64>, work: impl FnOnce() -> Ended) -> Ended {
    let _locked = match setup::thread_settings(context).and_then(|()| setup::lock_memory(context.worker)) {
        Ok(locked) => locked,
        Err(error) => return Ended::failed(error),
    };
    context.live.set_goal(Goal::ByTime);
    wait_at_gate();
    setup::delay_start(context);
    if let Err(error) = commands::prerun(context) {
        return Ended::failed(error);
    }
    let ended = work();
    commands::postrun(context);
    ended
}

/// Returns the end of the worker's time; `None` without a runtime.
pub fn end_ns(worker: &Worker, start_ns: u64) -> Option<u64> {
    let limits = &worker.limits;
    (limits.runtime_ns > 0).then(|| start_ns.saturating_add(limits.ramp_ns).saturating_add(limits.runtime_ns))
}

/// Counts a step of the work. fio reports each as a read of 0 bytes.
pub fn count_step(stats: &mut WorkerStats, took_ns: u64) {
    let reads = &mut stats.ddirs[Ddir::Read as usize];
    reads.issued += 1;
    reads.ios += 1;
    reads.clat.record(took_ns);
    stats.depth.record(1);
    stats.submit.record(1);
    stats.complete.record(1);
}
