//! What a worker hands to the writer, and the chunks it travels in.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use plan::Ddir;

use super::destination::{Destination, Kind};
use super::writer::Lot;

/// Memory for entries on their way, over all workers: takes up what comes while the disk of the logs is busy.
const MEMORY_BYTES: usize = 64 << 20;
/// Entries of a chunk, and chunks of a worker: at least and at most.
const CHUNK_ENTRIES: (usize, usize) = (128, 4096);
const WORKER_CHUNKS: (usize, usize) = (2, 256);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// One I/O, by its submission latency.
    Submitted,
    /// One I/O, by its completion latency and its whole latency as the second value.
    Completed,
    /// A window of the log of this kind.
    Window(Kind),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub what: What,
    pub ddir: Ddir,
    pub time_ms: u64,
    pub value: u64,
    pub second_value: u64,
    pub bytes: u64,
    pub offset: u64,
    pub issue_ns: u64,
}

impl Entry {
    /// A window has values only: it stands for no single I/O.
    pub fn window(kind: Kind, ddir: Ddir, time_ms: u64, value: u64, second_value: u64) -> Self {
        Entry { what: What::Window(kind), ddir, time_ms, value, second_value, bytes: 0, offset: 0, issue_ns: 0 }
    }

    pub fn starting_at(mut self, start_ms: u64) -> Self {
        self.time_ms += start_ms;
        self
    }
}

/// Entries of one worker, which know where they go and where their memory goes back to.
pub struct Chunk {
    pub entries: Vec<Entry>,
    pub destination: Arc<Destination>,
    back: SyncSender<Chunk>,
}

impl Chunk {
    /// Gives the memory back to the worker, if it is still there.
    pub fn give_back(mut self) {
        self.entries.clear();
        let back = self.back.clone();
        // A worker that has ended wants nothing back: the chunk is dropped.
        drop(back.try_send(self));
    }
}

/// The chunks of one worker: one is being filled, the others wait here or are with the writer.
pub struct Chunks {
    filling: Option<Chunk>,
    /// The last one given back is taken first, so that memory is touched only as far as it is needed.
    spare: Vec<Chunk>,
    returned: Receiver<Chunk>,
    lots: SyncSender<Lot>,
}

impl Chunks {
    /// `sharers`: how many workers share the memory.
    pub fn new(destination: &Arc<Destination>, lots: SyncSender<Lot>, sharers: usize) -> Self {
        let memory = MEMORY_BYTES / sharers.max(1) / size_of::<Entry>();
        let entries = (memory / 8).clamp(CHUNK_ENTRIES.0, CHUNK_ENTRIES.1);
        let chunks = (memory / entries).clamp(WORKER_CHUNKS.0, WORKER_CHUNKS.1);
        let (back, returned) = sync_channel(chunks);
        let chunk =
            || Chunk { entries: Vec::with_capacity(entries), destination: Arc::clone(destination), back: back.clone() };
        let mut spare: Vec<Chunk> = std::iter::repeat_with(chunk).take(chunks).collect();
        Chunks { filling: spare.pop(), spare, returned, lots }
    }

    /// Takes an entry; waits for the writer when all chunks are full. False when there is no writer any more.
    #[inline]
    pub fn push(&mut self, entry: Entry) -> bool {
        let Some(chunk) = &mut self.filling else { return false };
        chunk.entries.push(entry);
        chunk.entries.len() < chunk.entries.capacity() || self.turn_over()
    }

    fn turn_over(&mut self) -> bool {
        self.hand_over();
        self.spare.extend(self.returned.try_iter());
        self.filling = self.spare.pop().or_else(|| self.returned.recv().ok());
        self.filling.is_some()
    }

    /// Hands over what has been filled in, without waiting for memory. False when there is no writer any more.
    pub fn hand_over_if_spare(&mut self) -> bool {
        let something = self.filling.as_ref().is_some_and(|chunk| !chunk.entries.is_empty());
        self.spare.extend(self.returned.try_iter());
        if something && !self.spare.is_empty() { self.turn_over() } else { self.filling.is_some() }
    }

    /// Hands over the last chunk: nothing can be pushed after it.
    pub fn hand_over(&mut self) {
        if let Some(chunk) = self.filling.take()
            && !chunk.entries.is_empty()
        {
            // Without a writer the entries are lost: it has ended with an error, which the run reports.
            drop(self.lots.send(Lot::Entries(chunk)));
        }
    }

    /// Forgets what has been filled in.
    pub fn clear(&mut self) {
        if let Some(chunk) = &mut self.filling {
            chunk.entries.clear();
        }
    }
}
