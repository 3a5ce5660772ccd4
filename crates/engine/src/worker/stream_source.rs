//! The I/O source of a worker with a pattern per target.

use plan::Ddir;

use crate::streams::Source;

/// The streams of a worker, and their use of the worker's slots.
pub struct StreamSource {
    pub source: Source,
    /// At least one stream has a rate or pauses.
    pub is_paced: bool,
    /// The kernel's priority word for the I/Os of each stream.
    pub ioprios: Vec<u16>,
    /// Slots whose stream is delayed, during one refill.
    pub delayed: Vec<u32>,
    /// Position of the data of writes in a slot's buffer, after the area of reads.
    write_at: u64,
}

impl StreamSource {
    pub fn new(source: Source, ioprios: Vec<u16>, depth: u32, write_at: u64, is_paced: bool) -> Self {
        StreamSource { source, is_paced, ioprios, delayed: Vec::with_capacity(depth as usize), write_at }
    }

    /// Returns the position of the data of a direction in a slot's buffer.
    #[inline]
    pub fn data_at(&self, ddir: Ddir) -> u64 {
        if ddir == Ddir::Write { self.write_at } else { 0 }
    }
}
