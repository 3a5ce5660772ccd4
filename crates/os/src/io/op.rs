//! What a worker asks of a back end, and what it gets back.

/// The kinds of operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Read,
    Write,
    /// Discards the range: `BLKDISCARD` on a block device, a punched hole in a regular file.
    Trim,
    Fsync,
    Fdatasync,
    /// `sync_file_range(2)` over the range, with the flags of the back end's configuration.
    SyncFileRange,
}

impl Kind {
    /// True for the operations that move bytes between a slot's buffer and the file.
    pub fn moves_data(self) -> bool {
        matches!(self, Kind::Read | Kind::Write)
    }
}

/// One operation. `slot` names the buffer and comes back in the completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    pub kind: Kind,
    /// The kernel's priority word for this operation; 0 leaves the thread's own. Only io_uring and libaio can hand one
    /// over: the calls of the synchronous engines, mmap's copies and the C library's AIO have no place for it, and theirs
    /// is the thread's, set by [`set_io_priority`](crate::process::set_io_priority).
    pub ioprio: u16,
    /// Index given to [`Backend::attach`](super::Backend::attach).
    pub file: u32,
    pub slot: u32,
    /// Bytes to move, from byte `skip` of the slot's buffer.
    pub len: u32,
    /// Where in the slot's buffer the data starts: 0, but for the rest of a short transfer.
    pub skip: u32,
    /// Where in the file.
    pub offset: u64,
}

/// What became of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Completion {
    pub slot: u32,
    /// Bytes moved (0 for what moves none), or the negated `errno`.
    pub result: i32,
}
