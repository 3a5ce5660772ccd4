//! Errors of a worker's I/O.

use std::io;

use os::errno;
use plan::{Ddir, Worker};
use record::RunError;

use super::in_flight::{InFlightIo, Purpose};

/// Returns the error of an I/O above the job's maximum latency.
pub fn too_late(path: &str, ddir: Ddir, io: &InFlightIo, lat_ns: u64, limit_ns: u64) -> RunError {
    let message = format!(
        "latency of {lat_ns} nsec exceeds specified max ({limit_ns} nsec): {path} {} {} {}",
        ddir.name(),
        io.offset,
        io.len
    );
    RunError { errno: errno::ETIMEDOUT, func: "max latency exceeded".into(), message }
}

/// Returns the error of a search for a depth whose latency is too high even at depth 1.
pub fn target_missed(lat_ns: u64, target_ns: u64) -> RunError {
    let message = format!(
        "latency of {lat_ns} nsec exceeds specified max ({target_ns} nsec) at a depth of 1: latency_target can't be met"
    );
    RunError { errno: errno::ETIMEDOUT, func: "max latency exceeded".into(), message }
}

/// Returns the error of an I/O that transferred nothing: its target is shorter than before.
pub fn nothing_moved(path: &str, ddir: Ddir, io: &InFlightIo, of_stream: bool, error: RunError) -> RunError {
    let (name, offset) = (ddir.name(), io.offset);
    let message = if of_stream {
        format!("{path}: {name} at {offset} moved nothing: it became shorter while the test ran")
    } else {
        format!("{path}: {name} at offset {offset} moved nothing: the end of the file or device")
    };
    RunError { func: "full resid".to_owned(), message, ..error }
}

/// Returns the error of an I/O that the kernel reported.
pub fn io_failed(path: &str, io: &InFlightIo, errno: i32, of_stream: bool) -> RunError {
    let message = io_failure(path, io, errno, of_stream);
    RunError { errno, func: "io_u error".into(), message }
}

/// Describes an I/O that failed.
pub fn io_failure(path: &str, io: &InFlightIo, errno: i32, of_stream: bool) -> String {
    let reason = errno::text(errno);
    let name = match io.purpose {
        Purpose::Data(ddir) => ddir.name(),
        Purpose::Sync => "sync",
    };
    let (offset, bytes) = (io.offset, io.len);
    if of_stream {
        format!("{path}: {name} of {bytes} bytes at {offset} failed: {reason}")
    } else {
        format!("io_u error on file {path}: {reason}: {name} offset={offset}, buflen={bytes}")
    }
}

/// Returns the error of a call of the backend.
pub fn backend_failed(worker: &Worker, call: &str, error: &io::Error) -> RunError {
    RunError {
        errno: error.raw_os_error().unwrap_or(errno::EIO),
        func: call.into(),
        message: format!("ioengine={}: {call}: {error}", worker.echo.ioengine, error = errno::reason(error)),
    }
}

/// Returns the error of a stopped worker whose I/Os do not complete.
pub fn unanswered(name: &str, ios: u32) -> RunError {
    let message = format!("{name}: stopped, and {ios} of its I/Os did not return: the device doesn't answer");
    RunError { errno: errno::EIO, func: "stop".into(), message }
}

/// Returns the error of a worker below its minimum rate.
pub fn below_minimum(missed: String) -> RunError {
    RunError { errno: errno::EIO, func: "check_min_rate".into(), message: missed }
}
