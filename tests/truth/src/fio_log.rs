//! Reads fio's log files.

use std::path::Path;

/// One line: an I/O, or the value of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub ms: u64,
    pub value: u64,
    /// 0: read, 1: write.
    pub direction: u64,
    pub bytes: u64,
    pub offset: u64,
}

pub const READ: u64 = 0;
pub const WRITE: u64 = 1;

/// Returns the lines of a log. The offset is 0 if the log has none.
pub fn entries(path: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let entries = text.lines().map(|line| {
        let fields: Vec<u64> = line.split(", ").map(|field| field.parse().unwrap()).collect();
        let [ms, value, direction, bytes, rest @ ..] = fields.as_slice() else { panic!("a short line: {line}") };
        let offset = if rest.len() > 1 { rest[0] } else { 0 };
        Entry { ms: *ms, value: *value, direction: *direction, bytes: *bytes, offset }
    });
    entries.collect()
}
