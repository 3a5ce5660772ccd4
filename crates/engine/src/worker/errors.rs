//! Errors of a worker's I/O.

use std::io;

use os::errno;
use os::io::CommandStatus;
use plan::{Ddir, Worker};
use record::{BelowMinimum, EngineCall, FailedIo, IoError, RunError, Subject};
use targets::fault;

use super::in_flight::{InFlightIo, Purpose};
use crate::passthrough;

/// Returns the error of an I/O above the job's maximum latency.
pub fn too_late(path: String, ddir: Ddir, io: &InFlightIo, latency_ns: u64, limit_ns: u64) -> RunError {
    let kind = IoError::LatencyExceeded { path, ddir, offset: io.offset, bytes: io.len, latency_ns, limit_ns };
    RunError::new(errno::ETIMEDOUT, kind)
}

/// Returns the error of a search for a depth whose latency is too high even at depth 1.
pub fn target_missed(latency_ns: u64, target_ns: u64) -> RunError {
    RunError::new(errno::ETIMEDOUT, IoError::LatencyTargetMissed { latency_ns, target_ns })
}

/// Returns the error of an I/O that transferred nothing: its target is shorter than before.
pub fn nothing_moved(path: String, ddir: Ddir, io: &InFlightIo, errno: i32) -> RunError {
    RunError::new(errno, IoError::NothingMoved { path, ddir, offset: io.offset })
}

/// Returns the error of an I/O that the kernel reported.
pub fn io_failed(path: String, io: &InFlightIo, errno: i32) -> RunError {
    RunError::new(errno, IoError::Failed(failed(path, io)))
}

/// Returns the error of a command that the device reported, or whose data is wrong.
pub fn command_failed(worker: &Worker, path: String, io: &InFlightIo, status: CommandStatus) -> RunError {
    RunError::new(errno::EIO, IoError::Command { io: failed(path, io), status: passthrough::status(worker, status) })
}

fn failed(path: String, io: &InFlightIo) -> FailedIo {
    let ddir = match io.purpose {
        Purpose::Data(ddir) => Some(ddir),
        Purpose::Sync => None,
    };
    FailedIo { path, ddir, offset: io.offset, bytes: io.len }
}

/// Returns the error of a call of the backend.
pub fn backend_failed(worker: &Worker, call: EngineCall, error: &io::Error) -> RunError {
    fault::of_io(error, IoError::Engine { engine: worker.engine.name().to_owned(), call })
}

/// Returns the error of a worker whose buffers are in a file with missing pages.
pub fn buffers_lost(worker: &Worker) -> RunError {
    let path = worker.buffers.memory.file().unwrap_or_default().to_owned();
    RunError::new(errno::EIO, IoError::BuffersLost { path })
}

/// Returns the error of a stopped worker whose I/Os do not complete.
pub fn unanswered(subject: Subject, ios: u32) -> RunError {
    RunError::new(errno::EIO, IoError::Unanswered { subject, ios })
}

/// Returns the error of a worker below its minimum rate.
pub fn below_minimum(missed: BelowMinimum) -> RunError {
    RunError::new(errno::EIO, IoError::BelowMinimumRate(missed))
}
