//! How a stated distribution falls on a target: ranges of offsets that an I/O can begin at, with their shares of the I/O.
//!
//! Percentages of a small target can be less than the alignment, so that a range holds no offset at all or just one. Its
//! I/O goes to a neighbour then, and nothing of what was asked for is lost.

use plan::stream::Spread;
use record::DistributionRange;
use units::random::Jenkins64;

use super::error::Fault;
use super::remainder::Remainder;

/// What an I/O may touch of the target, relative to where that part begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub block_bytes: u64,
    pub align_bytes: u64,
    pub part_bytes: u64,
}

impl Reach {
    /// The highest aligned offset, and one alignment more.
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
    /// Which range each percent of the I/O falls on.
    by_percent: Box<[u8]>,
    /// What the shares add up to.
    whole: Remainder,
}

#[derive(Clone, Copy, Debug)]
struct DrawnRange {
    range: Range,
    width: Remainder,
    /// The last offset of an I/O that doesn't pass the end of the part: a range may be no multiple of the alignment.
    last: u64,
}

impl SpreadTable {
    /// `None` where the I/O is spread evenly.
    pub fn new(spread: &Spread, reach: Reach) -> Result<Option<Self>, Fault> {
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
            return Err(Fault::SpreadOutside { part_bytes: reach.part_bytes });
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

    /// An offset for a random number that is aligned.
    #[inline]
    pub fn place(&self, aligned: u64, random: &mut Jenkins64) -> u64 {
        let percent = self.whole.of(random.draw());
        let drawn = &self.ranges[usize::from(self.by_percent[percent as usize])];
        (drawn.width.of(aligned) + drawn.range.start).min(drawn.last)
    }

    /// The ranges as a report says them.
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

fn whole(mut shares: impl Iterator<Item = u32>) -> Result<(), Fault> {
    match shares.try_fold(0, u32::checked_add) {
        Some(100) => Ok(()),
        _ => Err(Fault::SpreadShares),
    }
}

fn drawn(range: Range, reach: Reach) -> DrawnRange {
    let room = reach.part_bytes - reach.block_bytes - range.start;
    DrawnRange { range, width: Remainder::by(range.bytes), last: range.start + reach.round_down(room) }
}

/// Bounds are rounded down to the alignment, the end of a range and the begin of the next one alike.
fn by_percent(stated: &[(u32, u32)], reach: Reach) -> Vec<Range> {
    let whole = reach.aligned_bytes();
    let of_whole = |percent: u32| (u128::from(whole) * u128::from(percent) / 100) as u64;
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

/// Ranges placed so far, none overlapping another.
struct Placed {
    ranges: Vec<Range>,
    /// I/O of ranges without an offset of their own.
    carried: u32,
    reach: Reach,
}

impl Placed {
    fn add(&mut self, io_percent: u32, begin: u64, end: u64) {
        if end < begin {
            // No aligned offset in it: it joins the single offset before it, or waits for a neighbour.
            match self.ranges.last_mut().filter(|last| last.start == end) {
                Some(last) => last.io_percent += io_percent,
                None => self.carried += io_percent,
            }
            return;
        }
        let mut begin = self.reach.round_down(begin);
        if let Some(last) = self.ranges.last_mut().filter(|last| last.start == begin && begin < end) {
            // The range before is the single offset that this one begins with.
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
        // What waits goes to the neighbour that has less.
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

/// Ranges are taken as they are stated, up to the end of the part that is used.
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
