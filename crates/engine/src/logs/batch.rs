//! What workers send to the writer.

use super::entry::Chunk;
use super::snapshot::Snapshot;

pub enum LogBatch {
    Entries(Chunk),
    Histogram(Snapshot),
    /// The last batch.
    End,
}
