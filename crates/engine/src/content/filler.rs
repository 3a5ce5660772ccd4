//! Fills the buffers of writes.

use record::ContentFault;

use super::dedupe::Origins;
use super::fill;
use super::job::Job;
use super::pattern::Pattern;
use crate::access::SeedTable;

/// Scrambling makes each sector of 512 bytes unique. It changes two cache lines of it.
const SECTOR: usize = 512;
const LINE: usize = 64;
const WORD: usize = size_of::<u64>();

/// Fills the buffers of one worker.
#[derive(Clone, Debug)]
pub struct Content {
    filler: Filler,
    refresh: Refresh,
    origins: Origins,
    seeds: SeedTable,
    wide: bool,
}

#[derive(Clone, Debug)]
enum Filler {
    Zero,
    Random,
    Pattern(Pattern),
    /// Buffers that compress or repeat, filled chunk by chunk.
    Chunks {
        bytes: u64,
        compress_percent: u32,
        pattern: Vec<u8>,
    },
}

#[derive(Clone, Copy, Debug)]
enum Refresh {
    Never,
    /// The number is written into the next buffer and incremented with each write.
    Scramble(u64),
    Refill,
}

impl Content {
    /// Prepares the content of a worker's buffers.
    ///
    /// # Errors
    /// The pattern is empty, its file cannot be read, or the working set has no buffer or does not fit into memory.
    pub fn new(job: &Job) -> Result<Self, ContentFault> {
        let buffers = job.buffers;
        let compress = buffers.compress_percent.unwrap_or(0);
        let dedupes = buffers.dedupe.is_some_and(|dedupe| dedupe.percent > 0);
        let pattern = Pattern::of(&buffers.content)?;
        let filler = match (pattern, &buffers.content) {
            (pattern, _) if (1..100).contains(&compress) || dedupes => Filler::Chunks {
                bytes: job.chunk_bytes(),
                compress_percent: if compress < 100 { compress } else { 0 },
                pattern: pattern.unwrap_or_default().into_bytes(),
            },
            (Some(pattern), _) => Filler::Pattern(pattern),
            (None, plan::Content::Zero) => Filler::Zero,
            // A buffer that compresses to nothing is zeroed.
            (None, _) if compress >= 100 => Filler::Zero,
            (None, _) => Filler::Random,
        };
        let shaped = buffers.compress_percent.is_some() || buffers.dedupe.is_some();
        let refresh = if buffers.refill || matches!(&filler, Filler::Pattern(pattern) if pattern.has_offset()) {
            Refresh::Refill
        } else if buffers.scramble && !shaped && !job.verifies {
            Refresh::Scramble(job.nonce)
        } else {
            Refresh::Never
        };
        let origins = Origins::new(job)?;
        Ok(Content { filler, refresh, origins, seeds: job.seeds.clone(), wide: job.wide })
    }

    /// Fills a whole buffer before the run.
    pub fn fill_initial(&mut self, buffer: &mut [u8]) {
        self.fill(buffer, 0);
    }

    /// Prepares the data of a write at `offset`. `buffer` is as long as the write.
    #[inline]
    pub fn prepare_write(&mut self, buffer: &mut [u8], offset: u64) {
        match &mut self.refresh {
            Refresh::Never => {}
            Refresh::Scramble(stamp) => {
                *stamp = stamp.wrapping_add(1);
                scramble(buffer, offset, *stamp);
            }
            Refresh::Refill => self.fill(buffer, offset),
        }
    }

    /// Restarts the generators if the job writes the same data in each pass.
    pub fn start_pass(&mut self) {
        if self.seeds.each_pass() {
            self.origins.reseed(&self.seeds, self.wide);
        }
    }

    fn fill(&mut self, buffer: &mut [u8], offset: u64) {
        match &self.filler {
            Filler::Zero => buffer.fill(0),
            Filler::Random => {
                let mut origin = self.origins.choose();
                fill::random(buffer, self.origins.seed(&mut origin));
            }
            Filler::Pattern(pattern) => pattern.fill(buffer, offset),
            Filler::Chunks { bytes, compress_percent, pattern } => {
                let mut origin = self.origins.choose();
                for chunk in buffer.chunks_mut(crate::number::size(*bytes)) {
                    fill::compressible(chunk, self.origins.seed(&mut origin), *compress_percent, pattern);
                }
            }
        }
    }
}

/// Makes every sector of a buffer unique over all writes. One of its eight cache lines gets the offset, the first gets a
/// stamp.
fn scramble(buffer: &mut [u8], offset: u64, stamp: u64) {
    let line = ((stamp ^ (offset / SECTOR as u64)) & 7) as usize * LINE;
    let sectors = buffer.chunks_exact_mut(SECTOR);
    for (sector, offset) in sectors.zip((offset..).step_by(SECTOR)) {
        sector[line..line + WORD].copy_from_slice(&offset.to_ne_bytes());
        sector[LINE - WORD..LINE].copy_from_slice(&stamp.to_ne_bytes());
    }
}
