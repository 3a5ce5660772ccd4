//! Makes errors of records from those of the system.

use std::io;
use std::path::Path;

use os::errno;
use record::{ErrorKind, OsError, RunError};

/// Returns the error of a system call. Its errno is `EIO` if it has none.
pub fn of_io(error: &io::Error, kind: impl Into<ErrorKind>) -> RunError {
    of_io_or(error, errno::EIO, kind)
}

/// As [`of_io`], with another errno for an error that has none.
pub fn of_io_or(error: &io::Error, default_errno: i32, kind: impl Into<ErrorKind>) -> RunError {
    let OsError { errno, text } = os_error(error);
    let errno = if text.is_some() { default_errno } else { errno };
    RunError { errno, os_text: text, kind: Box::new(kind.into()) }
}

pub fn os_error(error: &io::Error) -> OsError {
    match errno::of(error) {
        Some(errno) => OsError { errno, text: None },
        None => OsError { errno: 0, text: Some(error.to_string().into()) },
    }
}

/// Returns a path as records have it.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}
