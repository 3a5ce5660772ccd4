//! Errors before the run: fio's words, then what to do about it.

use os::errno;
use plan::Worker;
use record::RunError;
use std::io;

use crate::content::ContentError;

const STOPPED: &str = "setup_files";

/// An error with fio's own message first and our advice after it.
pub(crate) fn new(errno: i32, func: &str, said_by_fio: String, advice: &str) -> RunError {
    let message = if advice.is_empty() { said_by_fio } else { format!("{said_by_fio} ({advice})") };
    RunError { errno, func: func.to_owned(), message }
}

/// A system call that failed.
pub(crate) fn of_io(error: &io::Error, func: &str, said_by_fio: String, advice: &str) -> RunError {
    new(error.raw_os_error().unwrap_or(errno::EIO), func, said_by_fio, advice)
}

/// The run ended while files were laid out.
pub(crate) fn stopped() -> RunError {
    new(errno::EINTR, STOPPED, "stopped while laying out files".into(), "")
}

/// True where a layout ended only because the run did: nothing is wrong.
pub(crate) fn was_stopped(error: &RunError) -> bool {
    error.errno == errno::EINTR && error.func == STOPPED
}

/// The content of a worker's buffers cannot be made.
pub(crate) fn of_content(worker: &Worker, error: &ContentError) -> RunError {
    new(errno::EINVAL, "init_io_u", format!("{}: {error}", worker.name), "")
}
