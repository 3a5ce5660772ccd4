//! Errors of logs, and entries that are not replayed.

use std::io;

/// Why a log cannot be read.
#[derive(Debug)]
pub enum LogError {
    Io(io::Error),
    /// The file is neither a log of fio nor a trace of blktrace.
    NotALog,
    /// The record is not one of blktrace, or of another version.
    BadRecord {
        /// From 1.
        record: u64,
    },
}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        LogError::Io(error)
    }
}

/// Why an entry is not replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadEntry {
    /// The fields are not those of the log's version.
    Fields,
    /// There is no action of this name.
    Action,
    /// No entry before this one adds the file.
    File,
    /// A log with times has no waits.
    Wait,
    /// The I/O has no bytes, or ends behind the largest offset.
    Range,
    /// The log ends within the entry.
    Incomplete,
}

/// Position of an entry in its file, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Line(u64),
    Record(u64),
}

/// The entries that are not replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ignored {
    pub count: u64,
    pub first: Option<(Place, BadEntry)>,
}

impl Ignored {
    pub(crate) fn add(&mut self, place: Place, why: BadEntry) {
        self.count += 1;
        self.first.get_or_insert((place, why));
    }
}
