//! Content of verified blocks: written before a write, checked after a read.
//!
//! A block has an interval per header, and the header has the checksum of the rest of its interval. Without a pattern the
//! data is random, from the seed in the header.

use plan::{Job, Verify, VerifyMethod};
use record::VerifyFault;

use super::header::{self, Header};
use super::{Written, checksum};
use crate::content::{Pattern, fill};
use crate::number;

/// Makes and checks the blocks of one job.
pub struct Blocks {
    method: VerifyMethod,
    interval: usize,
    header_offset: usize,
    /// Each I/O is one interval: its size can be anything.
    unaligned: bool,
    /// The smallest write.
    min_write: usize,
    pattern: Option<Pattern>,
    pattern_interval: usize,
    compress_percent: u32,
    /// The compressible part of random data. Empty: zeroes.
    compressible: Vec<u8>,
    checks_seed: bool,
    checks_sequence: bool,
    thread: u16,
}

/// The first fault of a block.
#[derive(Debug)]
pub struct Fault {
    /// Start of the interval in the block.
    pub at: usize,
    pub len: usize,
    pub fault: VerifyFault,
}

impl Blocks {
    pub fn new(job: Job<'_>, verify: &Verify) -> Self {
        let compressible = match &job.buffers.content {
            plan::Content::Pattern(parts) => Pattern::of_parts(parts).into_bytes(),
            _ => Vec::new(),
        };
        Blocks {
            method: verify.method,
            interval: verify.interval_bytes as usize,
            header_offset: verify.header_offset_bytes as usize,
            unaligned: job.load.access.block.unaligned,
            min_write: number::size(job.load.access.block.min_bytes[plan::Ddir::Write]),
            pattern: (!verify.pattern.is_empty()).then(|| Pattern::of_parts(&verify.pattern)),
            pattern_interval: verify.pattern_interval_bytes as usize,
            compress_percent: job.buffers.compress_percent.unwrap_or(0),
            compressible,
            checks_seed: verify.checks_seed,
            checks_sequence: verify.checks_sequence,
            thread: (job.number & 0xffff) as u16,
        }
    }

    /// Returns the bytes of a header with its checksum. 0 if blocks have none.
    pub fn header_size(method: VerifyMethod) -> usize {
        if method == VerifyMethod::Pattern { 0 } else { header::SIZE + checksum::size(method) }
    }

    /// Returns true if the data is from a seed.
    pub fn has_seeds(&self) -> bool {
        self.pattern.is_none()
    }

    /// Makes the block of a write.
    pub fn make(&self, block: &mut [u8], write: &Written, start_ns: u64) {
        if self.method == VerifyMethod::Null {
            return;
        }
        self.fill(block, write.offset, write.seed);
        if self.method == VerifyMethod::Pattern {
            return;
        }
        let step = self.step(block.len());
        let size = Self::header_size(self.method);
        for (nth, interval) in block.chunks_mut(step).enumerate() {
            let header = Header {
                magic: 0,
                version: 0,
                method: header::method_number(self.method),
                len: crate::number::index(step),
                seed: write.seed,
                offset: write.offset + (nth * self.interval) as u64,
                time_s: crate::number::low_half(start_ns / 1_000_000_000),
                time_ns: (start_ns % 1_000_000_000) as u32,
                number: write.number,
                thread: self.thread,
                crc: 0,
            };
            let (head, data) = interval.split_at_mut(size);
            header.write(head);
            checksum::compute(self.method, data, &mut head[header::SIZE..]);
            self.move_header(interval);
        }
    }

    /// Checks a block that was read, or a part of it. `write` is what is known of its write. The data is changed if its
    /// headers have an offset. `expected` is memory for the expected data.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, block: &mut [u8], write: &Written, expected: &mut Vec<u8>) -> Result<(), Fault> {
        if self.method == VerifyMethod::Null {
            return Ok(());
        }
        if write.is_trimmed {
            let first = block.iter().position(|&byte| byte != 0);
            let fault = first.map(|at| VerifyFault::NotZero { at: crate::number::index(at) });
            return fault.map_or(Ok(()), |fault| Err(Fault { at: 0, len: block.len(), fault }));
        }
        let step = self.step(write.block_len as usize);
        let compares = self.pattern.is_some()
            && matches!(self.method, VerifyMethod::Header | VerifyMethod::Pattern | VerifyMethod::PatternWithHeader);
        if compares {
            self.expect(expected, write);
        }
        for (nth, interval) in block.chunks_mut(step).enumerate() {
            self.move_header(interval);
            let data = expected.get(nth * step..).filter(|_| compares);
            if let Err(fault) = self.check_interval(interval, nth, step, write, data) {
                return Err(Fault { at: nth * step, len: interval.len(), fault });
            }
        }
        Ok(())
    }

    fn check_interval(
        &self,
        interval: &[u8],
        nth: usize,
        step: usize,
        write: &Written,
        expected: Option<&[u8]>,
    ) -> Result<(), VerifyFault> {
        let size = Self::header_size(self.method);
        if size > 0 {
            self.check_header(interval, nth, step, write)?;
        }
        if let Some(expected) = expected {
            return equal(&interval[size..], &expected[size..interval.len()], size);
        }
        let mut computed = [0; checksum::SIZE_MAX];
        let computed = &mut computed[..checksum::size(self.method)];
        checksum::compute(self.method, &interval[size..], computed);
        let found = &interval[header::SIZE.min(size)..size];
        if found == computed {
            return Ok(());
        }
        Err(VerifyFault::Checksum { method: self.method, found: hex(found), computed: hex(computed) })
    }

    fn check_header(&self, interval: &[u8], nth: usize, step: usize, write: &Written) -> Result<(), VerifyFault> {
        if interval.len() < header::SIZE {
            return Err(VerifyFault::HeaderLength {
                found: crate::number::index(interval.len()),
                wanted: crate::number::index(step),
            });
        }
        let header = Header::read(interval);
        if !header.has_magic() {
            return Err(VerifyFault::Magic { found: header.magic });
        }
        if !header.has_version() {
            return Err(VerifyFault::Version { found: header.version });
        }
        if header.len as usize != step {
            return Err(VerifyFault::HeaderLength { found: header.len, wanted: crate::number::index(step) });
        }
        if self.checks_seed && self.has_seeds() && header.seed != write.seed {
            return Err(VerifyFault::Seed { found: header.seed, wanted: write.seed });
        }
        let offset = write.offset + (nth * self.interval) as u64;
        if header.offset != offset {
            return Err(VerifyFault::Offset { found: header.offset, wanted: offset });
        }
        if self.checks_sequence && header.number != write.number {
            return Err(VerifyFault::Sequence { found: header.number, wanted: write.number });
        }
        let computed = header::crc_of(interval);
        if header.crc != computed {
            return Err(VerifyFault::HeaderChecksum { found: header.crc, computed });
        }
        Ok(())
    }

    /// Makes the data of a block, or of a part of it, before its headers.
    pub fn expect(&self, data: &mut Vec<u8>, write: &Written) {
        data.resize(write.block_len as usize, 0);
        self.fill(data, write.block_offset(), write.seed);
        data.copy_within(write.part_at as usize..(write.part_at + write.len) as usize, 0);
        data.truncate(write.len as usize);
    }

    /// Returns the data of a block before its headers.
    pub fn fill(&self, block: &mut [u8], offset: u64, seed: u64) {
        let Some(pattern) = &self.pattern else {
            if self.compress_percent == 0 {
                fill::random(block, seed);
            } else {
                fill::compressible(block, seed, self.compress_percent, &self.compressible);
            }
            return;
        };
        let step = if self.pattern_interval == 0 { block.len() } else { self.pattern_interval };
        for (offset, part) in (offset..).step_by(step.max(1)).zip(block.chunks_mut(step.max(1))) {
            pattern.fill(part, offset);
        }
    }

    /// Returns the distance of two headers in a block.
    pub fn step(&self, block: usize) -> usize {
        let divides = self.interval > 0 && self.interval <= block && !self.unaligned;
        if divides { self.interval } else { block.max(1) }
    }

    /// Returns the distance of the places at which a block can be cut: each part has whole intervals, and can be read with
    /// direct I/O. `None` if there is no such place.
    pub fn grain(&self, block: usize) -> Option<u32> {
        let grain = least_common_multiple(self.step(block), self.min_write);
        (grain < block).then(|| number::index(grain))
    }

    /// Exchanges the header at the start of its interval with the bytes at its offset.
    pub fn move_header(&self, interval: &mut [u8]) {
        let size = Self::header_size(self.method);
        if self.header_offset == 0 || size == 0 || interval.len() < self.header_offset + size {
            return;
        }
        let mut kept = [0; header::SIZE + checksum::SIZE_MAX];
        kept[..size].copy_from_slice(&interval[..size]);
        interval.copy_within(self.header_offset..self.header_offset + size, 0);
        interval[self.header_offset..self.header_offset + size].copy_from_slice(&kept[..size]);
    }
}

fn least_common_multiple(one: usize, other: usize) -> usize {
    let (mut divisor, mut rest) = (one, other);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (one / divisor.max(1)).saturating_mul(other.max(1))
}

/// Compares the data of a pattern. Positions count from the start of the interval.
fn equal(found: &[u8], wanted: &[u8], from: usize) -> Result<(), VerifyFault> {
    if found == wanted {
        return Ok(());
    }
    let differs = found.iter().zip(wanted).position(|(found, wanted)| found != wanted);
    let at = differs.unwrap_or_default();
    Err(VerifyFault::Pattern { at: crate::number::index(from + at), found: found[at], wanted: wanted[at] })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
