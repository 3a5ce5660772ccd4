//! What workers send to the writer.

use super::entry::Chunk;
use super::line_block::LineBlock;
use super::snapshot::Snapshot;

pub enum LogBatch {
    Entries(Chunk),
    Histogram(Snapshot),
    /// Lines of a log that can be replayed.
    Lines(LineBlock),
    /// The last batch.
    End,
}
