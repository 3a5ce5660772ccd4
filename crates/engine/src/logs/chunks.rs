//! The chunks of one worker.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use os::memory::limits;

use super::batch::LogBatch;
use super::destination::Destination;
use super::entry::{Chunk, Entry};

/// Maximum of [`memory_bytes`].
const MEMORY_BYTES: u64 = 64 << 20;
/// Maximum share of the memory, as a divisor.
const MEMORY_SHARE: u64 = 8;
/// Minimum and maximum number of entries per chunk, and of chunks per worker.
const CHUNK_ENTRIES: (usize, usize) = (128, 4096);
const WORKER_CHUNKS: (usize, usize) = (2, 256);

/// Returns the memory for queued entries over all workers. It absorbs entries while the disk of the logs is busy.
pub fn memory_bytes() -> u64 {
    limits::total().map_or(MEMORY_BYTES, |total| (total / MEMORY_SHARE).min(MEMORY_BYTES))
}

/// The chunks of one worker. One is being filled. The others are free or with the writer.
pub struct Chunks {
    filling: Option<Chunk>,
    /// The chunk returned last is used first, so that unused chunks never touch memory.
    spare: Vec<Chunk>,
    returned: Receiver<Chunk>,
    batches: SyncSender<LogBatch>,
}

impl Chunks {
    /// `sharers` is the number of workers that share the memory.
    pub fn new(destination: &Arc<Destination>, batches: SyncSender<LogBatch>, sharers: usize) -> Self {
        let memory = crate::number::size(memory_bytes()) / sharers.max(1) / size_of::<Entry>();
        let entries = (memory / 8).clamp(CHUNK_ENTRIES.0, CHUNK_ENTRIES.1);
        let chunks = (memory / entries).clamp(WORKER_CHUNKS.0, WORKER_CHUNKS.1);
        let (back, returned) = sync_channel(chunks);
        let chunk =
            || Chunk { entries: Vec::with_capacity(entries), destination: Arc::clone(destination), back: back.clone() };
        let mut spare: Vec<Chunk> = std::iter::repeat_with(chunk).take(chunks).collect();
        Chunks { filling: spare.pop(), spare, returned, batches }
    }

    /// Adds an entry. Waits for the writer if all chunks are full. Returns false if the writer has ended.
    #[inline]
    pub fn push(&mut self, entry: Entry) -> bool {
        let Some(chunk) = &mut self.filling else { return false };
        chunk.entries.push(entry);
        chunk.entries.len() < chunk.entries.capacity() || self.next_chunk()
    }

    fn next_chunk(&mut self) -> bool {
        self.flush();
        self.spare.extend(self.returned.try_iter());
        self.filling = self.spare.pop().or_else(|| self.returned.recv().ok());
        self.filling.is_some()
    }

    /// Sends the current chunk to the writer if there is a free one. Returns false if the writer has ended.
    pub fn flush_if_spare(&mut self) -> bool {
        let something = self.filling.as_ref().is_some_and(|chunk| !chunk.entries.is_empty());
        self.spare.extend(self.returned.try_iter());
        if something && !self.spare.is_empty() { self.next_chunk() } else { self.filling.is_some() }
    }

    /// Sends the current chunk to the writer. No entry can be added after it.
    pub fn flush(&mut self) {
        if let Some(chunk) = self.filling.take()
            && !chunk.entries.is_empty()
        {
            // The writer ends early only with an error, and the run reports that.
            drop(self.batches.send(LogBatch::Entries(chunk)));
        }
    }

    /// Drops the entries of the current chunk.
    pub fn clear(&mut self) {
        if let Some(chunk) = &mut self.filling {
            chunk.entries.clear();
        }
    }
}
