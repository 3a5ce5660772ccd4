//! Why the I/Os of a capture or of another trace cannot be read.

use std::fmt;
use std::io;

use iolog::LogError;

use crate::reader::ReadError;

/// Why I/Os cannot be read.
#[derive(Debug)]
pub enum ImportError {
    Capture(ReadError),
    /// It has none of the known formats.
    Unknown,
    /// A line of a text is not valid.
    Line {
        line: u64,
        what: &'static str,
    },
    /// A record of a trace of blktrace is not valid.
    Record {
        record: u64,
        what: &'static str,
    },
    /// It has no I/Os.
    Empty,
    /// A log of fio without the times of its I/Os.
    NoTimes,
    Io(io::Error),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Capture(error) => error.fmt(f),
            ImportError::Unknown => f.write_str(
                "this is neither a file of `fathom capture` nor a binary trace of blktrace, a text of blkparse, a log of fio \
                 (version 2 or 3) or a trace in the CSV form of MSR Cambridge",
            ),
            ImportError::Line { line, what } => write!(f, "line {line}: {what}"),
            ImportError::Record { record, what } => write!(f, "record {record}: {what}"),
            ImportError::NoTimes => f.write_str(
                "this log of fio has no times of its I/Os (version 2 without `wait`): record it again with a fio that writes version 3",
            ),
            ImportError::Empty => f.write_str("it has no I/Os"),
            ImportError::Io(error) => f.write_str(&units::errno::reason(error)),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<io::Error> for ImportError {
    fn from(error: io::Error) -> ImportError {
        ImportError::Io(error)
    }
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
