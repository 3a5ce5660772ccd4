//! Places a stated distribution on a target: ranges of start offsets, with their shares of the I/Os.
//!
//! On a small target a percentage can be less than the alignment. A range then contains one aligned offset or none.
//! The share of a range without an offset goes to a neighbour.

use plan::stream::Spread;
use random::Jenkins64;
use record::{DistributionRange, StreamFault};

use super::remainder::Remainder;

/// The part of the target that I/Os use. Offsets are relative to its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub block_bytes: u64,
    pub align_bytes: u64,
    pub part_bytes: u64,
}

impl Reach {
    /// Returns the highest aligned offset plus one alignment.
    pub fn aligned_bytes(&self) -> u64 {
        let last = self.part_bytes - self.block_bytes;
        last - last % self.align_bytes + self.align_bytes
    }

    fn round_down(&self, offset: u64) -> u64 {
        offset - offset % self.align_bytes
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    io_percent: u32,
    start: u64,
    bytes: u64,
}

/// Ranges to draw from.
#[derive(Clone, Debug)]
pub(super) struct SpreadTable {
    ranges: Box<[DrawnRange]>,
    /// Index of the range, for each percent of the I/Os.
    by_percent: Box<[u8]>,
    /// Remainder by the sum of the shares.
    whole: Remainder,
}

#[derive(Clone, Copy, Debug)]
struct DrawnRange {
    range: Range,
    width: Remainder,
    /// The last offset at which an I/O does not pass the end of the part. A range need not be a multiple of the
    /// alignment.
    last: u64,
}

impl SpreadTable {
    /// Returns `None` for a uniform distribution.
    pub fn new(spread: &Spread, reach: Reach) -> Result<Option<Self>, StreamFault> {
        let ranges = match spread {
            Spread::Uniform => return Ok(None),
            Spread::Percent(stated) => {
                whole(stated.iter().map(|(io_percent, _)| *io_percent))?;
                whole(stated.iter().map(|(_, percent)| *percent))?;
                by_percent(stated, reach)
            }
            Spread::Absolute(stated) => {
                whole(stated.iter().map(|(io_percent, _)| *io_percent))?;
                absolute(stated, reach)
            }
        };
        if ranges.is_empty() {
            return Err(StreamFault::DistributionOutside { part_bytes: reach.part_bytes });
        }
        let by_percent: Box<[u8]> =
            (0u8..).zip(&ranges).flat_map(|(at, range)| std::iter::repeat_n(at, range.io_percent as usize)).collect();
        let whole = Remainder::by(by_percent.len() as u64);
        Ok(Some(SpreadTable {
            ranges: ranges.into_iter().map(|range| drawn(range, reach)).collect(),
            by_percent,
            whole,
        }))
    }

    /// Returns a start offset. `aligned` is an aligned random number.
    #[inline]
    pub fn place(&self, aligned: u64, random: &mut Jenkins64) -> u64 {
        let percent = self.whole.of(random.draw());
        let drawn = &self.ranges[usize::from(self.by_percent[crate::number::size(percent)])];
        (drawn.width.of(aligned) + drawn.range.start).min(drawn.last)
    }

    /// Returns the ranges for reports.
    pub fn ranges(&self) -> Vec<DistributionRange> {
        let ranges = self.ranges.iter().map(|drawn| drawn.range);
        ranges
            .map(|range| DistributionRange {
                io_percent: range.io_percent,
                from_bytes: range.start,
                to_bytes: range.start + range.bytes,
            })
            .collect()
    }
}

fn whole(mut shares: impl Iterator<Item = u32>) -> Result<(), StreamFault> {
    match shares.try_fold(0, u32::checked_add) {
        Some(100) => Ok(()),
        _ => Err(StreamFault::DistributionShares),
    }
}

fn drawn(range: Range, reach: Reach) -> DrawnRange {
    let room = reach.part_bytes - reach.block_bytes - range.start;
    DrawnRange { range, width: Remainder::by(range.bytes), last: range.start + reach.round_down(room) }
}

/// Returns the ranges of a distribution in percent. Ends and starts of ranges are rounded down to the alignment.
fn by_percent(stated: &[(u32, u32)], reach: Reach) -> Vec<Range> {
    let whole = reach.aligned_bytes();
    let of_whole = |percent: u32| crate::number::narrow(u128::from(whole) * u128::from(percent) / 100);
    let mut placed = Placed { ranges: Vec::with_capacity(stated.len()), carried: 0, reach };
    let mut before = 0;
    for &(io_percent, percent) in stated {
        let begin = of_whole(before);
        before += percent;
        if io_percent == 0 {
            continue;
        }
        let end = if before == 100 { whole } else { begin + of_whole(percent) };
        placed.add(io_percent, begin, reach.round_down(end));
    }
    placed.finish()
}

/// The ranges placed so far. They do not overlap.
struct Placed {
    ranges: Vec<Range>,
    /// Share of ranges without an aligned offset, in percent of the I/Os.
    carried: u32,
    reach: Reach,
}

impl Placed {
    fn add(&mut self, io_percent: u32, begin: u64, end: u64) {
        if end < begin {
            // The range has no aligned offset. Its share goes to the single offset before it, or to a later neighbour.
            match self.ranges.last_mut().filter(|last| last.start == end) {
                Some(last) => last.io_percent += io_percent,
                None => self.carried += io_percent,
            }
            return;
        }
        let mut begin = self.reach.round_down(begin);
        if let Some(last) = self.ranges.last_mut().filter(|last| last.start == begin && begin < end) {
            // The range before is the single offset at which this one begins.
            begin += self.reach.align_bytes;
            last.bytes += self.reach.align_bytes;
            if begin == self.reach.aligned_bytes() {
                self.carried += io_percent;
                return;
            }
            if begin == end {
                last.io_percent += io_percent;
                return;
            }
        }
        let carried = std::mem::take(&mut self.carried);
        // The carried share goes to the neighbour with the smaller share.
        match self.ranges.last_mut().filter(|last| last.io_percent < io_percent) {
            Some(last) => {
                last.io_percent += carried;
                self.place(io_percent, begin, end);
            }
            None => self.place(io_percent + carried, begin, end),
        }
    }

    fn place(&mut self, io_percent: u32, start: u64, end: u64) {
        self.ranges.push(Range { io_percent, start, bytes: end - start });
    }

    fn finish(mut self) -> Vec<Range> {
        for single in self.ranges.iter_mut().filter(|range| range.bytes == 0) {
            single.bytes = self.reach.align_bytes;
        }
        let whole = self.reach.aligned_bytes();
        if self.carried > 0 {
            match self.ranges.last_mut() {
                Some(last) => {
                    last.io_percent += self.carried;
                    last.bytes = whole - last.start;
                }
                None => self.place(self.carried, whole - self.reach.align_bytes, whole),
            }
        }
        self.ranges
    }
}

/// Returns the ranges as stated, up to the end of the used part.
fn absolute(stated: &[(u32, u64)], reach: Reach) -> Vec<Range> {
    let mut ranges = Vec::with_capacity(stated.len());
    let mut start: u64 = 0;
    for &(io_percent, stated_bytes) in stated {
        let left = reach.part_bytes.saturating_sub(start);
        if left < reach.block_bytes {
            break;
        }
        let bytes = if stated_bytes == 0 { left } else { stated_bytes.min(left) };
        if io_percent > 0 {
            ranges.push(Range { io_percent, start, bytes });
        }
        start = start.saturating_add(stated_bytes);
    }
    ranges
}
