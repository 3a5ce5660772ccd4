//! All logs of one worker.

use os::clock::Clock;
use plan::Plan;

use super::error::LogError;
use super::replayable::ReplayLog;
use super::worker_logs::WorkerLogs;
use super::writer::LogWriter;
use crate::output_guard::OutputGuard;

/// The logs of one worker, owned by its thread.
#[derive(Default)]
pub struct Logs {
    /// Logs of latencies and rates.
    pub measured: Option<WorkerLogs>,
    /// The log of issued I/Os.
    pub replayable: Option<Box<ReplayLog>>,
}

impl Logs {
    /// Creates the files of a worker.
    ///
    /// # Errors
    /// A file cannot be created, the output guard refuses it, the kernel does not have the clock of the log's times, or the
    /// writer's thread cannot be started.
    pub fn open(
        plan: &Plan,
        worker_index: usize,
        writer: &LogWriter,
        guard: &mut OutputGuard,
        clock: Clock,
    ) -> Result<Logs, LogError> {
        Ok(Logs {
            measured: WorkerLogs::open(plan, worker_index, writer, guard, clock)?,
            replayable: ReplayLog::open(&plan.workers[worker_index], writer, guard)?.map(Box::new),
        })
    }
}
