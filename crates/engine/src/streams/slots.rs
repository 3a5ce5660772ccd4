//! Buffer slots of a worker with streams.

use plan::{Stream, Streams};

/// Alignment of the data of writes. Every disk accepts direct I/O at this alignment.
const DATA_ALIGN: u64 = 4096;

fn largest_block(streams: &[Stream]) -> u64 {
    streams.iter().map(|stream| u64::from(stream.block_bytes)).max().unwrap_or(0)
}

/// Returns the buffer bytes per outstanding I/O.
pub(crate) fn slot_bytes(streams: &Streams) -> u64 {
    write_at(&streams.list) + largest_block(&streams.list)
}

/// Returns the position of the data of writes in a slot's buffer. Data of reads must not reach a write, so a worker that does
/// both has separate areas.
pub(crate) fn write_at(streams: &[Stream]) -> u64 {
    let reads = streams.iter().any(|stream| stream.write_percent < 100);
    let writes = streams.iter().any(|stream| stream.write_percent > 0);
    if reads && writes { largest_block(streams).next_multiple_of(DATA_ALIGN) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_of_the_largest_blocks_have_separate_areas() {
        let mut worker = crate::sample::streaming_worker(&[std::path::Path::new("f")]);
        let stream = crate::sample::stream(&mut worker, 0);
        (stream.block_bytes, stream.write_percent) = (u32::MAX - 511, 50);
        assert_eq!(write_at(std::slice::from_ref(stream)), 1 << 32);
    }
}
