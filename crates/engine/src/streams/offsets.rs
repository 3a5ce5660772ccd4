//! Offset and direction of the next I/O on a target.
//!
//! Draws from the worker's generator follow DiskSpd's order, so that equal seeds give equal sequences: offset, range
//! of the distribution, direction. Offsets are relative to the used part. Only `step` adds its base.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plan::Ddir;
use plan::stream::{Order, Stream};
use random::Jenkins64;
use record::{DistributionRange, StreamFault};

use super::remainder::Remainder;
use super::spread::{Reach, SpreadTable};

/// The sequence of one worker's I/Os on one target.
#[derive(Debug)]
pub(super) struct Walk {
    order: Order,
    base: u64,
    /// Distance of sequential offsets, alignment of random ones.
    stride: u64,
    /// The largest offset at which a block fits.
    last: u64,
    /// Offset that follows the end of the part: `start_bytes` modulo the stride.
    wrapped: u64,
    align: Remainder,
    aligned: Remainder,
    spread: Option<SpreadTable>,
    next: u64,
    shared: Arc<AtomicU64>,
    direction: Direction,
    start: u64,
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Fixed(Ddir),
    /// Writes for this percentage of the I/Os.
    Drawn {
        write_percent: u32,
        last: Ddir,
    },
}

impl Walk {
    /// Checks the stream against its target's size. Makes the draws of a DiskSpd thread before its first I/O.
    pub fn new(
        stream: &Stream,
        target_bytes: u64,
        shared: Arc<AtomicU64>,
        random: &mut Jenkins64,
    ) -> Result<Self, StreamFault> {
        let (order, stride) = (stream.order, stream.order.stride_bytes());
        let range = stream.range(target_bytes);
        let reach = reach(stream, stride, &range, target_bytes)?;
        let spread = if order.is_random() { SpreadTable::new(&stream.spread, reach)? } else { None };
        let direction = match stream.write_percent {
            0 => Direction::Fixed(Ddir::Read),
            100.. => Direction::Fixed(Ddir::Write),
            write_percent => Direction::Drawn { write_percent, last: Ddir::Read },
        };
        let mut walk = Walk {
            order,
            base: range.start,
            stride,
            last: reach.part_bytes - reach.block_bytes,
            wrapped: stream.start_bytes % stride,
            align: Remainder::by(stride),
            aligned: Remainder::by(reach.aligned_bytes()),
            spread,
            next: stream.start_bytes,
            shared,
            direction,
            start: stream.start_bytes,
        };
        if let Order::Mixed { .. } = walk.order {
            walk.next = walk.random_offset(random);
        }
        walk.draw_direction(true, random);
        Ok(walk)
    }

    /// Returns the start of a slot's own sequence.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns true if each slot has its own sequence.
    pub fn is_parallel(&self) -> bool {
        matches!(self.order, Order::Parallel { .. })
    }

    pub fn spread(&self) -> Vec<DistributionRange> {
        self.spread.as_ref().map(SpreadTable::ranges).unwrap_or_default()
    }

    /// Returns the next offset from the start of the target, and the direction. `pointer` is the next offset of the
    /// slot's own sequence. Only parallel order uses it.
    #[inline]
    pub fn step(&mut self, pointer: &mut u64, random: &mut Jenkins64) -> (u64, Ddir) {
        let (offset, chosen) = match self.order {
            Order::Random { .. } => (self.random_offset(random), true),
            Order::Sequential { .. } => (self.follow(), false),
            Order::Parallel { .. } => {
                let offset = self.wrap(*pointer);
                *pointer = offset.saturating_add(self.stride);
                (offset, false)
            }
            Order::Interlocked { .. } => {
                (self.aligned.of(self.shared.fetch_add(self.stride, Ordering::Relaxed)), false)
            }
            Order::Mixed { percent, .. } => {
                let chosen = random.chance(percent);
                if chosen {
                    self.next = self.random_offset(random);
                    let offset = self.next;
                    self.next = offset.saturating_add(self.stride);
                    (offset, true)
                } else {
                    (self.follow(), false)
                }
            }
        };
        (offset + self.base, self.draw_direction(chosen, random))
    }

    #[inline]
    fn follow(&mut self) -> u64 {
        let offset = self.wrap(self.next);
        self.next = offset.saturating_add(self.stride);
        offset
    }

    #[inline]
    fn wrap(&self, offset: u64) -> u64 {
        if offset > self.last { self.wrapped } else { offset }
    }

    #[inline]
    fn random_offset(&self, random: &mut Jenkins64) -> u64 {
        let drawn = self.align.round_down(random.draw());
        match &self.spread {
            None => self.aligned.of(drawn),
            Some(spread) => spread.place(drawn, random),
        }
    }

    /// Returns the direction. In mixed order sequential I/Os have the direction of the random I/O before them.
    #[inline]
    fn draw_direction(&mut self, chosen: bool, random: &mut Jenkins64) -> Ddir {
        match &mut self.direction {
            Direction::Fixed(ddir) => *ddir,
            Direction::Drawn { write_percent, last } => {
                if chosen || !matches!(self.order, Order::Mixed { .. }) {
                    *last = if random.chance(*write_percent) { Ddir::Write } else { Ddir::Read };
                }
                *last
            }
        }
    }
}

/// Returns the used part of the target.
///
/// # Errors
/// The used part is empty or smaller than a block, or a size is 0.
fn reach(stream: &Stream, stride: u64, range: &Range<u64>, target_bytes: u64) -> Result<Reach, StreamFault> {
    let (block_bytes, base_bytes) = (stream.block_bytes, stream.base_bytes);
    if block_bytes == 0 {
        return Err(StreamFault::NoBlock);
    }
    if stride == 0 {
        return Err(StreamFault::NoStride);
    }
    let end_bytes = stream.end_bytes.map_or(target_bytes, |end| end.min(target_bytes));
    if end_bytes <= base_bytes {
        return Err(StreamFault::BaseBeyondEnd { base_bytes, end_bytes, target_bytes });
    }
    let part_bytes = range.end - range.start;
    if u64::from(block_bytes) > part_bytes {
        return Err(StreamFault::BlockTooLarge { block_bytes, part_bytes, target_bytes });
    }
    let start_bytes = stream.start_bytes;
    if start_bytes > part_bytes - u64::from(block_bytes) {
        return Err(StreamFault::StartBeyondEnd { start_bytes, block_bytes, part_bytes, target_bytes });
    }
    Ok(Reach { block_bytes: u64::from(block_bytes), align_bytes: stride, part_bytes })
}
