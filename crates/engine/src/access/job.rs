//! Input of a [`Generator`](super::Generator).

use plan::{Access, FileService};

use super::seeds::SeedTable;

/// Everything that determines the order of a worker's I/Os.
pub struct Job<'a> {
    pub access: &'a Access,
    pub service: FileService,
    /// Maximum number of open files; `None` without a limit.
    pub open_limit: Option<usize>,
    /// The worker's number in the plan, from 1.
    pub worker_number: u32,
    pub seeds: SeedTable,
    pub files: &'a [FileExtent<'a>],
    /// The worker ends by time. Files start over at their end.
    pub time_based: bool,
    /// The worker issues more bytes than the extent has (`io_size` above `size`).
    pub overwrites: bool,
    /// Blocks are verified: reads draw the same sizes as writes.
    pub verifies: bool,
}

/// End of a file or of a worker's part that is unknown. No offset reaches it.
pub const NO_END: u64 = u64::MAX;

/// The part of a file that a worker uses.
#[derive(Clone, Copy, Debug)]
pub struct FileExtent<'a> {
    /// The path as in the job. The seeds of skewed distributions depend on it.
    pub name: &'a str,
    pub offset: u64,
    /// Bytes of a pass, from `offset`; [`NO_END`] if the end of the file ends the pass.
    pub io_size: u64,
    /// Size of the file or device in bytes; [`NO_END`] if it is unknown.
    pub real_size: u64,
}
