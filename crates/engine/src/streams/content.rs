//! What the buffers of writes hold.

use std::sync::Arc;

use plan::stream::{Stream, WriteContent};
use units::random::Jenkins64;

use super::error::Fault;
use super::remainder::Remainder;

/// Direct I/O takes from places of the source that are multiples of this.
const DIRECT_ALIGN: u64 = 512;

/// The data that one stream's writes are taken from; workers on a target share it.
pub type SourceData = Arc<[u8]>;

/// Sources of random data, and of the bytes of files, for targets in their order. All random ones come out of one
/// generator with DiskSpd's seed 0, whatever the seed of the run.
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

    /// A file's bytes over and over; of a larger file only its begin. An empty file gives zeros.
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
        /// How many places a block can begin at.
        places: Remainder,
        direct: bool,
    },
}

impl Content {
    pub fn new(stream: &Stream) -> Result<Self, Fault> {
        Ok(match stream.content {
            WriteContent::Counting => Content::Counting,
            WriteContent::Zero => Content::Zero,
            WriteContent::Fresh => Content::Fresh,
            WriteContent::Source { bytes, .. } => {
                let Some(last) = bytes.checked_sub(u64::from(stream.block_bytes)) else {
                    return Err(Fault::SourceTooSmall { source_bytes: bytes, block_bytes: stream.block_bytes });
                };
                Content::Source { data: None, places: Remainder::by(last + 1), direct: stream.open.direct }
            }
        })
    }

    /// Filled once, a buffer can be written again and again.
    #[inline]
    pub fn is_lasting(&self) -> bool {
        matches!(self, Content::Counting | Content::Zero)
    }

    pub fn needs_data(&self) -> bool {
        matches!(self, Content::Source { data: None, .. })
    }

    pub fn give(&mut self, given: SourceData, block_bytes: u32) -> Result<(), Fault> {
        if let Content::Source { data, places, .. } = self {
            let Some(last) = (given.len() as u64).checked_sub(u64::from(block_bytes)) else {
                return Err(Fault::SourceTooSmall { source_bytes: given.len() as u64, block_bytes });
            };
            *places = Remainder::by(last + 1);
            *data = Some(given);
        }
        Ok(())
    }

    /// `place` is where DiskSpd's buffer of the slot begins, in an area of them that begins with a page.
    pub fn fill(&self, buffer: &mut [u8], place: u64, random: &mut Jenkins64) {
        match self {
            Content::Counting => {
                let mut byte = place as u8;
                for place in buffer {
                    *place = byte;
                    byte = byte.wrapping_add(1);
                }
            }
            Content::Zero => buffer.fill(0),
            Content::Fresh => fill_fresh(buffer, place, random),
            Content::Source { data, places, direct } => {
                let drawn = places.of(u64::from(random.draw_u32()));
                let place = if *direct { drawn - drawn % DIRECT_ALIGN } else { drawn } as usize;
                if let Some(data) = data {
                    buffer.copy_from_slice(&data[place..place + buffer.len()]);
                }
            }
        }
    }
}

/// DiskSpd draws a word of its own for the first bytes of a buffer that doesn't begin with a word.
fn fill_fresh(buffer: &mut [u8], place: u64, random: &mut Jenkins64) {
    let head = (place % 8) as usize;
    let (head, rest) = buffer.split_at_mut(head.min(buffer.len()));
    random.fill(head);
    random.fill_correlated(rest);
}
