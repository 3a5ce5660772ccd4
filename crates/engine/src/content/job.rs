//! Input of a [`Content`](super::Content).

use plan::Buffers;

use crate::access::SeedTable;
use crate::goal::Length;

/// Everything that determines the content of a worker's buffers.
pub struct Job<'a> {
    pub buffers: &'a Buffers,
    /// The smallest write in bytes.
    pub min_write: u64,
    /// Length of a pass. The size of a working set depends on it.
    pub pass: Length,
    pub seeds: &'a SeedTable,
    /// The job's generators have 64 bits (`random_generator=tausworthe64`).
    pub wide: bool,
    /// Verification stamps the writes. Scrambling would destroy the stamps.
    pub verifies: bool,
    pub worker_number: u32,
    /// The buffer seeds of all workers in order of number, for a shared working set.
    pub peer_seeds: &'a [u64],
    /// A number that is unique to the run, such as the time in nanoseconds. Scrambled buffers include it.
    pub nonce: u64,
}

impl Job<'_> {
    /// Returns the size of the chunks of a shaped buffer. A chunk is at most as large as the smallest write.
    pub(super) fn chunk_bytes(&self) -> u64 {
        match self.buffers.compress_chunk_bytes {
            0 => self.min_write.max(1),
            chunk => chunk.min(self.min_write.max(1)),
        }
    }
}
