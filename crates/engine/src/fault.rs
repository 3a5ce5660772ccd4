//! Errors before the run: fio's words, then what to do about it.

use os::errno;
use plan::Worker;
use record::RunError;
use std::io;

use crate::content::ContentError;

/// An error with fio's own message first and our advice after it.
pub(crate) fn new(errno: i32, func: &str, text: String, advice: &str) -> RunError {
    let message = if advice.is_empty() { text } else { format!("{text} ({advice})") };
    RunError { errno, func: func.to_owned(), message }
}

/// A system call that failed.
pub(crate) fn of_io(error: &io::Error, func: &str, text: String, advice: &str) -> RunError {
    new(error.raw_os_error().unwrap_or(errno::EIO), func, text, advice)
}

/// Why the preparation of a worker or phase did not complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SetupError {
    /// The run was stopped. This is not an error of the worker.
    Stopped,
    Failed(RunError),
}

impl From<RunError> for SetupError {
    fn from(error: RunError) -> Self {
        SetupError::Failed(error)
    }
}

/// The content of a worker's buffers cannot be made.
pub(crate) fn of_content(worker: &Worker, error: &ContentError) -> RunError {
    new(errno::EINVAL, "init_io_u", format!("{}: {error}", worker.name), "")
}
