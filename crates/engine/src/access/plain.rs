//! Fast path for the most common pattern: one file, one direction, one size, uniformly random. It returns the same
//! sequence as the general path.

use plan::{Ddir, RandomMap as MapMode};
use random::Tausworthe;

use super::file::{File, Source, State};
use super::job::{FileExtent, Job};

/// The size and direction of all I/Os.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    pub ddir: Ddir,
    pub length: u64,
    align: u64,
}

impl Plain {
    /// Returns `None` if the job needs the general path.
    pub(super) fn of(job: &Job, align: [u64; 3]) -> Option<Self> {
        let access = job.access;
        let pattern = access.pattern;
        let ddir = Ddir::ALL.into_iter().find(|&ddir| pattern.has(ddir))?;
        let one_direction = Ddir::ALL.into_iter().filter(|&ddir| pattern.has(ddir)).count() == 1;
        let length = access.block.min_bytes[ddir];
        let one_size = length == access.block.max_bytes[ddir] && !access.block.by_sequential_or_random;
        let always_random = pattern.random && access.random_percent[ddir] == 100 && access.sequencer.every_ios <= 1;
        let uniform = access.distribution == plan::Distribution::Uniform && access.generator != plan::Generator::Lfsr;
        let syncs = pattern.writes && access.syncs.between_writes();
        let whole_blocks = access.random_map == MapMode::Off || align[ddir as usize] == length;
        let plain = one_direction
            && one_size
            && always_random
            && uniform
            && whole_blocks
            && !syncs
            && access.strides.is_none()
            && matches!(job.files, [file] if ends_inside(file));
        plain.then_some(Plain { ddir, length, align: align[ddir as usize] })
    }

    /// Returns the draws from a file. Returns `None` if it is not open yet, or not all of its blocks are in it.
    #[inline]
    pub(super) fn draws<'a>(self, file: &'a mut File, random: &'a mut Tausworthe) -> Option<PlainDraws<'a>> {
        let blocks = file.blocks[self.ddir as usize];
        let last = blocks.checked_sub(1)? * self.align;
        let fits = last < file.io_size && last + self.length <= file.real_size.saturating_sub(file.base);
        (file.state == State::Open && fits).then_some(PlainDraws { plain: self, blocks, file, random })
    }
}

/// Draws offsets of plain I/Os.
pub struct PlainDraws<'a> {
    pub plain: Plain,
    blocks: u64,
    file: &'a mut File,
    random: &'a mut Tausworthe,
}

impl PlainDraws<'_> {
    /// Draws the offsets of the next I/Os. Returns how many, which is fewer if all blocks of the map are taken.
    #[inline(always)]
    pub fn draw(&mut self, offsets: &mut [u64]) -> usize {
        let (file, blocks) = (&mut *self.file, self.blocks);
        let drawn = match (&mut *self.random, u32::try_from(blocks)) {
            (Tausworthe::Narrow(random), Ok(count)) => {
                // The state stays in registers.
                let mut state = random.clone();
                let drawn = draw_from(file, offsets, blocks, || u64::from(state.block(count)));
                *random = state;
                drawn
            }
            (random, _) => draw_from(file, offsets, blocks, || place(blocks, random.fraction())),
        };
        for offset in &mut offsets[..drawn] {
            *offset = self.file.base + *offset * self.plain.align;
        }
        drawn
    }
}

/// Draws blocks.
#[inline(always)]
fn draw_from(file: &mut File, drawn: &mut [u64], blocks: u64, mut draw: impl FnMut() -> u64) -> usize {
    if let Source::Mapped(map) = &mut file.source {
        return map.take_each(drawn, draw);
    }
    for block in drawn.iter_mut() {
        *block = draw();
        while *block >= blocks {
            *block = draw();
        }
    }
    drawn.len()
}

/// Returns a block, or the end for a fraction of exactly 1 (once in 2⁵³), which is drawn again.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the product is not above the number of blocks")]
fn place(blocks: u64, fraction: f64) -> u64 {
    // The signed conversion is faster. There are always fewer than 2⁶³ blocks.
    ((blocks.cast_signed() as f64 * fraction) as i64).cast_unsigned()
}

/// Returns true if every block of the extent is in the file, so that every draw is valid.
fn ends_inside(file: &FileExtent) -> bool {
    file.offset.checked_add(file.io_size).is_some_and(|end| end <= file.real_size)
}
