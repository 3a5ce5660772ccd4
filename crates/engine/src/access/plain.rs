//! Fast path for the most common patterns: one file and one size, random or sequential. It returns the same sequence as the general
//! path.

use plan::{Ddir, RandomMap as MapMode};
use random::Tausworthe;

use super::file::{File, Source, State};
use super::generator::Step;
use super::job::{FileExtent, Job};
use super::mix::Mix;

/// The size and order of all I/Os.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    pub length: u64,
    /// The direction of all I/Os. `None` if they are reads and writes.
    ddir: Option<Ddir>,
    is_random: bool,
    align: u64,
}

impl Plain {
    /// Returns `None` if the job needs the general path.
    pub(super) fn of(job: &Job, align: [u64; 3]) -> Option<Self> {
        let access = job.access;
        let (pattern, block) = (access.pattern, &access.block);
        let used = || Ddir::ALL.into_iter().filter(|&ddir| pattern.has(ddir));
        let first = used().next()?;
        let (length, align) = (block.min_bytes[first], align[first as usize]);
        let one_size = used().all(|ddir| (block.min_bytes[ddir], block.max_bytes[ddir]) == (length, length));
        let has_pairs = pattern.trims && used().count() > 1;
        let always_random = used().all(|ddir| access.random_percent[ddir] == 100);
        let in_one_order = access.sequencer.every_ios <= 1
            && if pattern.random { always_random } else { access.sequencer.skip_bytes == 0 };
        let uniform = access.distribution == plan::Distribution::Uniform && access.generator != plan::Generator::Lfsr;
        let syncs = pattern.writes && access.syncs.between_writes();
        // Directions with one size have one alignment, unless it is an option.
        let whole_blocks = align == length || access.random_map == MapMode::Off && used().count() == 1;
        let plain = one_size
            && !block.by_sequential_or_random
            && !has_pairs
            && in_one_order
            && uniform
            && whole_blocks
            && !syncs
            && access.strides.is_none()
            && matches!(job.files, [file] if ends_inside(file));
        let ddir = (used().count() == 1).then_some(first);
        plain.then_some(Plain { length, ddir, is_random: pattern.random, align })
    }

    /// Returns the draws from a file. Returns `None` if it is not open yet, or not all of its blocks are in it.
    #[inline]
    pub(super) fn draws<'a>(self, file: &'a mut File, state: DrawState<'a>) -> Option<PlainDraws<'a>> {
        let blocks = file.blocks[self.ddir.unwrap_or(Ddir::Read) as usize];
        let fits = !self.is_random || {
            let last = blocks.checked_sub(1)? * self.align;
            last < file.io_size && last + self.length <= file.real_size.saturating_sub(file.base)
        };
        (file.state == State::Open && fits).then_some(PlainDraws { plain: self, blocks, file, state })
    }
}

/// What the draws change, beside the file. The first I/O of a pass takes the general path, which remembers the last step.
pub(super) struct DrawState<'a> {
    pub(super) random: &'a mut Tausworthe,
    pub(super) mix: &'a mut Mix,
    pub(super) issued: &'a mut [u64; 3],
    pub(super) pending: &'a mut Option<Step>,
}

/// Draws offsets of plain I/Os.
pub struct PlainDraws<'a> {
    pub plain: Plain,
    blocks: u64,
    file: &'a mut File,
    state: DrawState<'a>,
}

impl PlainDraws<'_> {
    /// Draws the offsets of the next I/Os, as many as have one direction. Returns it and their number, which is 0 if the pass is over or
    /// starts over.
    #[inline(always)]
    pub fn draw(&mut self, offsets: &mut [u64]) -> (Ddir, usize) {
        let (ddir, most) = match self.plain.ddir {
            Some(ddir) => (ddir, offsets.len()),
            None => direction(self.state.mix, self.state.issued, offsets.len()),
        };
        let offsets = &mut offsets[..most];
        let drawn = if self.plain.is_random { self.draw_random(offsets) } else { self.draw_next(ddir, offsets) };
        if self.plain.ddir.is_none() {
            self.state.issued[ddir as usize] += drawn as u64;
            if drawn == 0 {
                // The direction is drawn already.
                *self.state.pending = Some(Step::Io { file: 0, rated: ddir });
            }
        }
        (ddir, drawn)
    }

    /// Draws random offsets. Returns how many, which is fewer if all blocks of the map are taken.
    #[inline(always)]
    fn draw_random(&mut self, offsets: &mut [u64]) -> usize {
        let (file, blocks) = (&mut *self.file, self.blocks);
        let (base, align) = (file.base, self.plain.align);
        let offset_of = |block| base + block * align;
        match (&mut *self.state.random, u32::try_from(blocks)) {
            (Tausworthe::Narrow(random), Ok(count)) => {
                // The state stays in registers.
                let mut state = random.clone();
                let drawn = draw_from(file, offsets, blocks, || u64::from(state.block(count)), offset_of);
                *random = state;
                drawn
            }
            (random, _) => draw_from(file, offsets, blocks, || place(blocks, random.fraction()), offset_of),
        }
    }

    /// Returns the number of sequential offsets, which are fewer at the end of the file.
    #[inline(always)]
    fn draw_next(&mut self, ddir: Ddir, offsets: &mut [u64]) -> usize {
        let (file, length, at) = (&mut *self.file, self.plain.length, ddir as usize);
        let end = file.end().min(file.real_size);
        let mut next = file.last_end[at];
        let mut drawn = 0;
        for offset in offsets {
            let Some(after) = next.checked_add(length).filter(|&after| after <= end) else { break };
            file.last_start[at] = Some(next);
            *offset = next;
            next = after;
            drawn += 1;
        }
        file.last_end[at] = next;
        drawn
    }
}

/// Returns the direction of the next I/Os, and how many of at most `most` have it.
// Not inlined, and without `self`: the draws of one direction stay in registers.
#[inline(never)]
fn direction(mix: &mut Mix, issued: &[u64; 3], most: usize) -> (Ddir, usize) {
    let (ddir, until_draw) = mix.run(issued);
    (ddir, usize::try_from(until_draw).map_or(most, |until_draw| until_draw.min(most)))
}

/// Draws blocks, and stores their offsets.
#[inline(always)]
fn draw_from(
    file: &mut File,
    offsets: &mut [u64],
    blocks: u64,
    mut draw: impl FnMut() -> u64,
    offset_of: impl Fn(u64) -> u64,
) -> usize {
    if let Source::Mapped(map) = &mut file.source {
        return map.take_each(offsets, draw, offset_of);
    }
    for offset in offsets.iter_mut() {
        let mut block = draw();
        while block >= blocks {
            block = draw();
        }
        *offset = offset_of(block);
    }
    offsets.len()
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
