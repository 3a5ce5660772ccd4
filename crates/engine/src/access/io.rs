//! Output of a [`Generator`](super::Generator).

use plan::Ddir;

/// The next step of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next<I = Io> {
    Io(I),
    Sync {
        kind: SyncKind,
        file: usize,
    },
    /// The file has no more I/O in this pass and may be closed. In a skewed order it can start over. Call again.
    FileDone {
        file: usize,
    },
    /// No file has more I/O in this pass.
    PassDone,
}

/// One I/O. Its length is below the block size at the end of the extent, and before a block that the map has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Io {
    pub ddir: Ddir,
    /// Index in the list of files.
    pub file: usize,
    /// From the start of the file.
    pub offset: u64,
    pub length: u64,
    /// The file starts over with this I/O. fio drops its cached pages at this point if the job has `invalidate`.
    pub wrapped: bool,
}

/// The next step of a worker on zones.
pub type Draft = Next<Drawn>;

/// An I/O as drawn. Its offset can change before it is issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drawn {
    pub ddir: Ddir,
    pub file: usize,
    pub offset: u64,
    pub length: u64,
    /// The offset from the base of the file.
    pub(super) relative: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncKind {
    Fsync,
    Fdatasync,
    SyncFileRange,
}

/// What [`Generator::due`](super::Generator::due) returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// The direction whose rate counts. It is `Write` for trim-then-write patterns.
    Io(Ddir),
    Sync,
    PassDone,
}
