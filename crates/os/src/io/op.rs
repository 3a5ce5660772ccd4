//! Operations and completions.

/// Kinds of operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Read,
    Write,
    /// Discards the range: `BLKDISCARD` on a block device, a hole in a regular file.
    Trim,
    Fsync,
    Fdatasync,
    /// `sync_file_range(2)` on the range, with the flags of the configuration.
    SyncFileRange,
}

impl Kind {
    /// Returns true for operations that move data between a slot's buffer and the file.
    pub fn moves_data(self) -> bool {
        matches!(self, Kind::Read | Kind::Write)
    }
}

/// An operation. `slot` is the number of its buffer, and is part of the completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    pub kind: Kind,
    /// I/O priority of this operation, as in `ioprio_set(2)`. 0 means the priority of the thread. Only io_uring and
    /// libaio support it. Other engines use the thread's priority
    /// ([`set_io_priority`](crate::process::set_io_priority)).
    pub ioprio: u16,
    /// Index of [`Backend::attach`](super::Backend::attach).
    pub file: u32,
    pub slot: u32,
    /// Bytes to move, from byte `skip` of the slot's buffer.
    pub len: u32,
    /// Start of the data in the slot's buffer: 0, except for the rest of a short transfer.
    pub skip: u64,
    /// Offset in the file.
    pub offset: u64,
}

impl Op {
    /// Returns the result of an operation that was done as a whole.
    ///
    /// # Errors
    /// Never: the operation was done.
    #[inline]
    pub fn whole(&self) -> IoResult {
        Ok(if self.kind.moves_data() { self.len } else { 0 })
    }

    /// Returns the result of an operation that moved `bytes` bytes, which are at most its length.
    ///
    /// # Errors
    /// Never: the operation was done.
    #[inline]
    pub fn moved(&self, bytes: u64) -> IoResult {
        Ok(u32::try_from(bytes).map_or(self.len, |bytes| bytes.min(self.len)))
    }
}

/// Result of an operation: bytes moved (0 for operations without data), or the errno.
///
/// The kernel's own results are signed. A length of 2 GiB or more would be an error among them.
pub type IoResult = Result<u32, i32>;

/// The completion of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Completion {
    pub slot: u32,
    pub result: IoResult,
}

/// Moves at most `max` of the oldest completions from `done` to `out`.
#[inline]
pub(crate) fn move_oldest(done: &mut Vec<Completion>, max: usize, out: &mut Vec<Completion>) {
    if done.len() <= max {
        out.append(done);
    } else {
        out.extend_from_slice(&done[..max]);
        done.drain(..max);
    }
}
