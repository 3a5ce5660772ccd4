//! Content of the buffers of writes.

use std::sync::Arc;

use plan::stream::{Stream, WriteContent};
use random::Jenkins64;
use record::StreamFault;

use super::remainder::Remainder;

/// Alignment of the positions in the source data that direct I/O uses.
const DIRECT_ALIGN: u64 = 512;

/// Source data of a stream's writes. The workers on a target share it.
pub type SourceData = Arc<[u8]>;

/// Makes the source data of targets, in their order: random bytes, or the bytes of a file. One generator with
/// DiskSpd's seed 0 makes all random bytes. It does not depend on the seed of the run.
#[derive(Debug)]
pub struct SourceMaker {
    random: Jenkins64,
}

impl Default for SourceMaker {
    fn default() -> Self {
        SourceMaker { random: Jenkins64::new(0) }
    }
}

impl SourceMaker {
    pub fn random(&mut self, bytes: usize) -> SourceData {
        let mut data = vec![0; bytes];
        self.random.fill(&mut data);
        data.into()
    }

    /// Returns `bytes` bytes from the start of a file. Repeats a smaller file. An empty file gives zeros.
    pub fn of_file(&self, file: &[u8], bytes: usize) -> SourceData {
        if file.is_empty() {
            return vec![0; bytes].into();
        }
        file.iter().copied().cycle().take(bytes).collect()
    }
}

#[derive(Debug)]
pub(super) enum Content {
    Counting,
    Zero,
    Fresh,
    Source {
        data: Option<SourceData>,
        /// Remainder by the number of offsets at which a block can begin.
        places: Remainder,
        direct: bool,
    },
}

impl Content {
    pub fn new(stream: &Stream) -> Result<Self, StreamFault> {
        Ok(match stream.content {
            WriteContent::Counting => Content::Counting,
            WriteContent::Zero => Content::Zero,
            WriteContent::Fresh => Content::Fresh,
            WriteContent::Source { bytes, .. } => {
                let Some(last) = bytes.checked_sub(u64::from(stream.block_bytes)) else {
                    return Err(StreamFault::SourceTooSmall { source_bytes: bytes, block_bytes: stream.block_bytes });
                };
                Content::Source { data: None, places: Remainder::by(last + 1), direct: stream.open.direct }
            }
        })
    }

    /// Returns true if a filled buffer can be written repeatedly.
    #[inline]
    pub fn is_lasting(&self) -> bool {
        matches!(self, Content::Counting | Content::Zero)
    }

    pub fn needs_data(&self) -> bool {
        matches!(self, Content::Source { data: None, .. })
    }

    pub fn give(&mut self, given: SourceData, block_bytes: u32) -> Result<(), StreamFault> {
        if let Content::Source { data, places, .. } = self {
            let Some(last) = (given.len() as u64).checked_sub(u64::from(block_bytes)) else {
                return Err(StreamFault::SourceTooSmall { source_bytes: given.len() as u64, block_bytes });
            };
            *places = Remainder::by(last + 1);
            *data = Some(given);
        }
        Ok(())
    }

    /// Fills a buffer. `place` is the offset of DiskSpd's buffer of the slot in its page-aligned buffer area.
    pub fn fill(&self, buffer: &mut [u8], place: u64, random: &mut Jenkins64) {
        match self {
            Content::Counting => {
                let mut byte = place.to_le_bytes()[0];
                for place in buffer {
                    *place = byte;
                    byte = byte.wrapping_add(1);
                }
            }
            Content::Zero => buffer.fill(0),
            Content::Fresh => fill_fresh(buffer, place, random),
            Content::Source { data, places, direct } => {
                let drawn = places.of(u64::from(random.draw_u32()));
                let place = crate::number::size(if *direct { drawn - drawn % DIRECT_ALIGN } else { drawn });
                if let Some(data) = data {
                    buffer.copy_from_slice(&data[place..place + buffer.len()]);
                }
            }
        }
    }
}

/// Fills the first `place % 8` bytes separately, as DiskSpd does for a buffer that is not 8-byte aligned.
fn fill_fresh(buffer: &mut [u8], place: u64, random: &mut Jenkins64) {
    let head = (place % 8) as usize;
    let (head, rest) = buffer.split_at_mut(head.min(buffer.len()));
    random.fill(head);
    random.fill_correlated(rest);
}
