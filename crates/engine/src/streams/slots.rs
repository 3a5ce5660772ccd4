//! Buffer slots of a worker with streams.

use plan::{Stream, Streams};

/// Alignment of the data of writes. Every disk accepts direct I/O at this alignment.
const DATA_ALIGN: u32 = 4096;

fn largest_block(streams: &[Stream]) -> u32 {
    streams.iter().map(|stream| stream.block_bytes).max().unwrap_or(0)
}

/// Returns the buffer bytes per outstanding I/O.
pub(crate) fn slot_bytes(streams: &Streams) -> u64 {
    u64::from(write_at(&streams.list)) + u64::from(largest_block(&streams.list))
}

/// Returns the position of the data of writes in a slot's buffer. Data of reads must not reach a write, so a worker that does
/// both has separate areas.
pub(crate) fn write_at(streams: &[Stream]) -> u32 {
    let reads = streams.iter().any(|stream| stream.write_percent < 100);
    let writes = streams.iter().any(|stream| stream.write_percent > 0);
    if reads && writes { largest_block(streams).next_multiple_of(DATA_ALIGN) } else { 0 }
}
