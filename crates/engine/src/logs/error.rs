//! Errors of log files.

use std::io;

use record::{LogFault, OsError};
use targets::{OutputError, fault};

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

    /// Returns the error of a file that cannot be opened or that the output guard refuses.
    pub fn of_output(path: &str, error: OutputError) -> LogError {
        let path = path.to_owned();
        match error {
            OutputError::Io(error) => LogError::of_file(&path, &error),
            OutputError::Refused(refusal) => {
                LogError::without_source(LogFault::Refused { path, refusal: Box::new(refusal) })
            }
        }
    }

    pub fn without_source(fault: LogFault) -> LogError {
        LogError { fault, source: OsError { errno: 0, text: None } }
    }
}
