//! What is in the buffers of a worker that writes.
//!
//! Every buffer is filled once before the run ([`Content::fill_initial`]); before each write
//! [`Content::prepare_write`] does what the job wants done to that one: nothing, a change of a few words in each
//! sector, or all of it anew. Reads need neither. A new pass over the files begins with [`Content::start_pass`].

mod dedupe;
mod fill;
#[cfg(test)]
mod tests;

use plan::{Buffers, PatternPart};
use std::fmt;
use std::io::Read;

use crate::access::SeedTable;
use dedupe::Origins;

/// Sectors that scrambling tells apart, and the cache line that it touches in each beside one other.
const SECTOR: usize = 512;
const LINE: usize = 64;
const WORD: usize = size_of::<u64>();

/// fio reads no more of a pattern than this.
const MAX_PATTERN: u64 = 128 << 20;

/// What the content of a worker's buffers depends on.
pub struct Job<'a> {
    pub buffers: &'a Buffers,
    /// The smallest write.
    pub min_write: u64,
    /// Bytes of a pass, for the size of a working set.
    pub size: u64,
    pub seeds: &'a SeedTable,
    /// The job's generators have 64 bits (`random_generator=tausworthe64`).
    pub wide: bool,
    /// Writes are stamped by the verification, which scrambling would spoil.
    pub verifies: bool,
    pub worker_number: u32,
    /// The buffer seeds of all workers in order of number, for a working set that they share.
    pub peer_seeds: &'a [u64],
    /// A number that no other run has, such as the time in nanoseconds: it goes into scrambled buffers.
    pub nonce: u64,
}

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
    /// Buffers that compress or repeat, made chunk by chunk.
    Chunks {
        bytes: u64,
        compress_percent: u32,
        pattern: Vec<u8>,
    },
}

#[derive(Clone, Copy, Debug)]
enum Refresh {
    Never,
    /// The number goes into the next write and grows with each.
    Scramble(u64),
    Refill,
}

/// Bytes to repeat, and where in them the offset of the I/O goes.
#[derive(Clone, Debug, Default)]
struct Pattern {
    bytes: Vec<u8>,
    offsets_at: Vec<usize>,
}

/// Why a job's buffers cannot be filled.
#[derive(Debug)]
pub enum ContentError {
    /// A pattern of no bytes.
    EmptyPattern,
    PatternFile {
        path: String,
        error: std::io::Error,
    },
    /// The working set of dedupe_working_set_percentage has no buffer.
    EmptyWorkingSet,
    Memory {
        buffers: u64,
    },
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::EmptyPattern => write!(f, "the buffer pattern is empty"),
            ContentError::PatternFile { path, error } => write!(f, "buffer pattern from {path}: {error}"),
            ContentError::EmptyWorkingSet => {
                write!(f, "dedupe_working_set_percentage of the job's size is less than one write")
            }
            ContentError::Memory { buffers } => write!(f, "no memory for a working set of {buffers} buffers"),
        }
    }
}

impl std::error::Error for ContentError {}

impl Content {
    pub fn new(job: &Job) -> Result<Self, ContentError> {
        let buffers = job.buffers;
        let compress = buffers.compress_percent.unwrap_or(0);
        let dedupes = buffers.dedupe.is_some_and(|dedupe| dedupe.percent > 0);
        let pattern = Pattern::of(&buffers.content)?;
        let filler = match (pattern, &buffers.content) {
            (pattern, _) if (1..100).contains(&compress) || dedupes => Filler::Chunks {
                bytes: chunk_bytes(job.min_write, buffers.compress_chunk_bytes),
                compress_percent: if compress < 100 { compress } else { 0 },
                pattern: pattern.unwrap_or_default().bytes,
            },
            (Some(pattern), _) => Filler::Pattern(pattern),
            (None, plan::Content::Zero) => Filler::Zero,
            // What compresses away entirely is zeroed.
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

    /// Gives a write at an offset its data. `buffer` is as long as the write.
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

    /// Where the job says so, the data of each pass are the same.
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
                for chunk in buffer.chunks_mut(*bytes as usize) {
                    fill::compressible(chunk, self.origins.seed(&mut origin), *compress_percent, pattern);
                }
            }
        }
    }
}

/// Buffers are shaped in chunks, which are no larger than the smallest write.
fn chunk_bytes(min_write: u64, compress_chunk: u64) -> u64 {
    match compress_chunk {
        0 => min_write.max(1),
        chunk => chunk.min(min_write.max(1)),
    }
}

impl Pattern {
    /// None where the content is no pattern.
    fn of(content: &plan::Content) -> Result<Option<Self>, ContentError> {
        let mut pattern = Pattern::default();
        match content {
            plan::Content::Random | plan::Content::Zero => return Ok(None),
            plan::Content::Pattern(parts) => {
                for part in parts {
                    match part {
                        PatternPart::Bytes(bytes) => pattern.bytes.extend_from_slice(bytes),
                        PatternPart::Offset => {
                            pattern.offsets_at.push(pattern.bytes.len());
                            pattern.bytes.extend_from_slice(&[0; WORD]);
                        }
                    }
                }
            }
            plan::Content::PatternFile(path) => {
                pattern.bytes =
                    read_start(path).map_err(|error| ContentError::PatternFile { path: path.clone(), error })?;
            }
        }
        if pattern.bytes.is_empty() { Err(ContentError::EmptyPattern) } else { Ok(Some(pattern)) }
    }

    fn has_offset(&self) -> bool {
        !self.offsets_at.is_empty()
    }

    fn fill(&self, buffer: &mut [u8], offset: u64) {
        if !self.has_offset() {
            fill::repeat(buffer, &self.bytes);
            return;
        }
        let once = self.bytes.len().min(buffer.len());
        buffer[..once].copy_from_slice(&self.bytes[..once]);
        for &at in self.offsets_at.iter().filter(|&&at| at < once) {
            let fits = WORD.min(once - at);
            buffer[at..at + fits].copy_from_slice(&offset.to_ne_bytes()[..fits]);
        }
        fill::spread(buffer, once);
    }
}

fn read_start(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_PATTERN).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes every sector of a buffer another than in any write before: its offset goes into one of the eight cache
/// lines, a stamp into the first.
fn scramble(buffer: &mut [u8], offset: u64, stamp: u64) {
    let line = ((stamp ^ (offset / SECTOR as u64)) & 7) as usize * LINE;
    let sectors = buffer.chunks_exact_mut(SECTOR);
    for (sector, offset) in sectors.zip((offset..).step_by(SECTOR)) {
        sector[line..line + WORD].copy_from_slice(&offset.to_ne_bytes());
        sector[LINE - WORD..LINE].copy_from_slice(&stamp.to_ne_bytes());
    }
}
