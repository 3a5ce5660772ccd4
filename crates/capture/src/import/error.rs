//! Why the I/Os of a capture or of another trace cannot be read.

use std::io;

use iolog::LogError;

use crate::reader::ReadError;

/// Why I/Os cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{0}")]
    Capture(ReadError),
    /// It has none of the known formats.
    #[error(
        "this is neither a file of `fathom capture` nor a binary trace of blktrace, a text of blkparse, a log of fio \
         (version 2 or 3) or a trace in the CSV form of MSR Cambridge"
    )]
    Unknown,
    /// A line of a text is not valid.
    #[error("line {line}: {what}")]
    Line { line: u64, what: &'static str },
    /// A record of a trace of blktrace is not valid.
    #[error("record {record}: {what}")]
    Record { record: u64, what: &'static str },
    /// It has no I/Os.
    #[error("it has no I/Os")]
    Empty,
    /// A log of fio without the times of its I/Os.
    #[error(
        "this log of fio has no times of its I/Os (version 2 without `wait`): record it again with a fio that writes version 3"
    )]
    NoTimes,
    #[error("{}", units::errno::reason(.0))]
    Io(#[from] io::Error),
}

impl From<LogError> for ImportError {
    fn from(error: LogError) -> ImportError {
        match error {
            LogError::Io(error) => ImportError::Io(error),
            LogError::NotALog => ImportError::Unknown,
            LogError::BadRecord { record } => {
                ImportError::Record { record, what: "it is not a complete record of blktrace, version 7" }
            }
        }
    }
}
