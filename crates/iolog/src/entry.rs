//! One entry of a log.

use plan::Ddir;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Names a file that the log uses.
    Add,
    Open,
    Close,
    Io(Ddir),
    Fsync,
    Fdatasync,
    /// Waits until the time in `offset`, in milliseconds since the start of the job.
    Wait,
}

/// An entry as recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub action: Action,
    /// Index of the file in the order of the log.
    pub file: u32,
    pub offset: u64,
    pub bytes: u32,
}

/// What a reader found.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// `None` if the log has times and no replayable entry at this one.
    pub entry: Option<Entry>,
    /// Time in the log. `None` if its format has none.
    pub time_ns: Option<u64>,
}

/// Returns true if the kernel can have the last byte of an I/O at this place.
pub fn is_addressable(offset: u64, bytes: u32) -> bool {
    offset.checked_add(u64::from(bytes)).is_some_and(|end| end <= i64::MAX as u64)
}
