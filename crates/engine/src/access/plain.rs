//! Fast path for the most common pattern: one file, one direction, one size, uniformly random. It returns the same
//! sequence as the general path.

use plan::{Ddir, RandomMap as MapMode};
use random::Tausworthe;

use super::file::{File, Source, State};
use super::io::Io;
use super::job::{FileExtent, Job};

#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    ddir: Ddir,
    length: u64,
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

    /// Returns the next I/O. Returns `None`, with the generator unchanged, if the file is not open yet or is at its end.
    #[inline(always)]
    pub(super) fn next(self, file: &mut File, random: &mut Tausworthe) -> Option<Io> {
        let blocks = file.blocks[self.ddir as usize];
        if file.state != State::Open || blocks == 0 {
            return None;
        }
        let (room, io_size) = (file.real_size.saturating_sub(file.base), file.io_size);
        let fits = |block: u64| {
            let offset = block * self.align;
            block < blocks && offset < io_size && offset + self.length <= room
        };
        let before = matches!(file.source, Source::Mapped(_)).then(|| random.clone());
        // The signed conversion is faster. There are always fewer than 2⁶³ blocks.
        #[expect(clippy::cast_possible_truncation, reason = "the product is not above the number of blocks")]
        let mut block = ((blocks.cast_signed() as f64 * random.fraction()) as i64).cast_unsigned();
        if let Source::Mapped(map) = &mut file.source {
            if map.is_taken(block) {
                block = map.next_free(block).unwrap_or(blocks);
            }
            if !fits(block) || !map.claim(block) {
                *random = before?;
                return None;
            }
        } else if !fits(block) {
            // A draw of exactly 1 (once in 2⁵³) is repeated.
            return None;
        }
        let offset = file.base + block * self.align;
        Some(Io { ddir: self.ddir, file: 0, offset, length: self.length, wrapped: false })
    }
}

/// Returns true if every block of the extent is in the file, so that every draw is valid.
fn ends_inside(file: &FileExtent) -> bool {
    file.offset.checked_add(file.io_size).is_some_and(|end| end <= file.real_size)
}
