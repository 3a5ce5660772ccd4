//! All logs of one worker.

use std::path::PathBuf;

use os::clock::Clock;
use plan::{Plan, Worker};
use targets::{NamedBy, OutputGuard};

use super::destination::Destination;
use super::error::LogError;
use super::replayable::ReplayLog;
use super::worker_logs::WorkerLogs;
use super::writer::LogWriter;

/// The logs of one worker, owned by its thread.
#[derive(Default)]
pub struct Logs {
    /// Logs of latencies and rates.
    pub measured: Option<WorkerLogs>,
    /// The log of issued I/Os.
    pub replayable: Option<Box<ReplayLog>>,
}

impl Logs {
    /// Returns the files of a worker.
    pub fn paths(worker: &Worker) -> Vec<(PathBuf, NamedBy)> {
        let replayable = worker.measure.logs.replayable.iter().map(|path| (PathBuf::from(path), NamedBy::User));
        let measured = Destination::new(worker).into_paths().map(|path| (path, NamedBy::Program));
        measured.chain(replayable).collect()
    }

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
