//! Errors of log files.

use std::io;

use record::{LogFault, OsError, OutputRefusal};

use crate::fault;

/// Why a log cannot be created or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogError {
    pub fault: LogFault,
    /// Of the failed call, if there is one.
    pub source: OsError,
}

impl LogError {
    pub fn new(fault: LogFault, source: &io::Error) -> LogError {
        LogError { fault, source: fault::os_error(source) }
    }

    /// Returns the error of a call on a file.
    pub fn of_file(path: &str, source: &io::Error) -> LogError {
        LogError::new(LogFault::File { path: path.to_owned() }, source)
    }

    /// Returns the error of a file that the output guard refuses.
    pub fn refused(path: &str, refusal: OutputRefusal) -> LogError {
        LogError::without_source(LogFault::Refused { path: path.to_owned(), refusal: Box::new(refusal) })
    }

    pub fn without_source(fault: LogFault) -> LogError {
        LogError { fault, source: OsError { errno: 0, text: None } }
    }
}
