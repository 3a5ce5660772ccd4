//! Offset of the next I/O.

use plan::{Ddir, Distribution, Sequencer};
use random::{Tausworthe, Tausworthe32};
use record::AccessFault;

use super::file::{File, Source};
use super::job::Job;
use super::precondition::Rewrites;
use super::seeds::{Purpose, SeedTable};
use super::zones::Zones;

/// Maximum number of draws for one offset. A skewed distribution can have its hot spot where no I/O fits.
const MAX_DRAWS: u32 = 1 << 8;

#[derive(Clone, Debug)]
pub(super) struct Offsets {
    random: bool,
    /// A write has the offset of the trim before it.
    write_follows_trim: bool,
    pub(super) uniform: Tausworthe,
    align: [u64; 3],
    min_bytes: [u64; 3],
    /// Bytes between two values of a generator that has one range for all directions.
    unit_bytes: u64,
    random_percent: [u32; 3],
    random_or_not: [Tausworthe32; 3],
    zones: Option<Zones>,
    sequence: Option<Sequence>,
    rewrites: Option<Box<Rewrites>>,
    sequencer: Sequencer,
    until_draw: u32,
    /// Random I/O starts over at the end of a file.
    restarts_random: bool,
    restarts_at_end: bool,
    /// The file starts over with the current draw.
    pub(super) wrapped: bool,
    /// The current I/O is not marked in the map. As in fio this persists if the file has no more I/O.
    pub(super) off_the_map: bool,
}

/// A list of blocks instead of random ones.
#[derive(Clone, Debug)]
struct Sequence {
    blocks: Vec<u32>,
    moves: bool,
}

impl Sequence {
    fn of(distribution: &Distribution) -> Option<Self> {
        match distribution {
            Distribution::Sequence { blocks, moves } if !blocks.is_empty() => {
                Some(Sequence { blocks: blocks.clone(), moves: *moves })
            }
            _ => None,
        }
    }

    /// Returns the next block of a file with `count` blocks after `issued` I/Os of the direction. `None` if it has no such
    /// block. As in fio, I/Os that the list does not determine count, too.
    fn draw(&self, issued: u64, count: u64) -> Option<u64> {
        let length = self.blocks.len() as u64;
        let block = u64::from(self.blocks[crate::number::size(issued % length)]);
        let block = if self.moves { block.checked_add(issued / length * length)? } else { block };
        (block < count).then_some(block)
    }
}

/// An offset, relative to the base of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) offset: u64,
    /// Drawn at random, not sequential to the previous I/O.
    pub(super) is_random: bool,
}

impl Place {
    fn random(offset: u64) -> Self {
        Place { offset, is_random: true }
    }

    fn next(offset: u64) -> Self {
        Place { offset, is_random: false }
    }
}

impl Offsets {
    /// # Errors
    /// The model of a preconditioning does not fit the file.
    pub(super) fn new(
        job: &Job,
        align: [u64; 3],
        unit_bytes: u64,
        zones: Option<Zones>,
        wide: bool,
        skewed_service: bool,
    ) -> Result<Self, AccessFault> {
        let access = job.access;
        let pattern = access.pattern;
        let rewrites = pattern.writes && job.overwrites;
        let mut offsets = Offsets {
            random: pattern.random,
            write_follows_trim: pattern.random && pattern.writes && pattern.trims,
            uniform: Tausworthe::new(0, wide),
            align,
            min_bytes: access.block.min_bytes.0,
            unit_bytes,
            random_percent: access.random_percent.0,
            random_or_not: std::array::from_fn(|_| Tausworthe32::new(0)),
            zones,
            sequence: Sequence::of(&access.distribution),
            rewrites: preconditioning(job)?,
            sequencer: access.sequencer,
            // The first I/O always draws.
            until_draw: 1,
            restarts_random: job.time_based || skewed_service,
            restarts_at_end: (job.time_based && job.files.len() == 1) || rewrites,
            wrapped: false,
            off_the_map: false,
        };
        offsets.reseed(&job.seeds, wide);
        Ok(offsets)
    }

    pub(super) fn reseed(&mut self, seeds: &SeedTable, wide: bool) {
        self.uniform = Tausworthe::new(seeds.of(Purpose::Offset), wide);
        let seed = crate::number::low_half(seeds.of(Purpose::SequentialOrRandom));
        self.random_or_not = std::array::from_fn(|_| Tausworthe32::new(seed));
        if let Some(zones) = &mut self.zones {
            zones.reseed(seeds.of(Purpose::Zone));
        }
    }

    pub(super) fn is_random(&self) -> bool {
        self.random
    }

    /// Returns true if a sequential pattern only moves forwards, and a random one draws all of its offsets from one map.
    pub(super) fn never_returns(&self) -> bool {
        let draws_all = self.random_percent == [100; 3] && self.sequencer.every_ios <= 1 && !self.write_follows_trim;
        let is_restarted = if self.random { self.restarts_random } else { self.restarts_at_end };
        !is_restarted && if self.random { draws_all } else { self.sequencer.skip_bytes == 0 }
    }

    /// Returns the next offset for a direction that has `issued` I/Os so far, or `None` if the file has no more.
    #[inline]
    pub(super) fn draw(&mut self, file: &mut File, ddir: Ddir, issued: u64, seed: u64) -> Option<Place> {
        self.wrapped = false;
        let place = if !self.random {
            self.sequential(file, ddir)
        } else {
            self.until_draw = self.until_draw.saturating_sub(1);
            let draws = self.until_draw == 0;
            if draws {
                self.until_draw = self.sequencer.every_ios.max(1);
            }
            self.in_random_pattern(file, ddir, draws, (issued, seed))
        }?;
        if place.offset >= file.io_size || place.offset.checked_add(file.base)? >= file.real_size {
            return None;
        }
        Some(place)
    }

    fn in_random_pattern(
        &mut self,
        file: &mut File,
        ddir: Ddir,
        draws: bool,
        (issued, seed): (u64, u64),
    ) -> Option<Place> {
        if self.write_follows_trim && ddir == Ddir::Write {
            self.off_the_map = true;
            let trimmed = file.last_start[Ddir::Trim as usize]?;
            return Some(Place::random(trimmed.wrapping_sub(file.base)));
        }
        if draws && self.wants_random(ddir) {
            return self.random_place(file, ddir, issued, seed);
        }
        self.off_the_map = true;
        if !draws && self.sequencer.identical {
            let offset = file.last_start[ddir as usize].map_or(0, |last| last.wrapping_sub(file.base));
            return Some(Place::next(offset));
        }
        let sequential = self.sequential(file, ddir);
        if sequential.is_some() {
            return sequential;
        }
        // fio draws here and still uses the size for sequential I/O.
        self.random_place(file, ddir, issued, seed).map(|place| Place::next(place.offset))
    }

    fn wants_random(&mut self, ddir: Ddir) -> bool {
        let percent = self.random_percent[ddir as usize];
        percent == 100 || self.random_or_not[ddir as usize].between(1, 100) <= percent
    }

    fn sequential(&mut self, file: &mut File, ddir: Ddir) -> Option<Place> {
        let end = file.end();
        let last = &mut file.last_end[ddir as usize];
        if self.restarts_at_end && *last >= end {
            *last = file.base;
            self.wrapped = true;
        }
        if *last >= file.real_size {
            return None;
        }
        let skip = if self.random { 0 } else { self.sequencer.skip_bytes };
        if skip == 0 {
            return Some(Place::next(last.wrapping_sub(file.base)));
        }
        // Going backwards from an offset starts at the end. As in fio the offset is not part of the sums here.
        let far_end = file.io_size.min(file.real_size);
        if *last == file.base && file.base > 0 && skip < 0 {
            *last = far_end;
        }
        let mut offset = last.wrapping_sub(file.base);
        if offset != 0 {
            offset = offset.wrapping_add_signed(skip);
            if offset >= file.real_size {
                offset = if skip > 0 { file.base } else { far_end.wrapping_add_signed(skip) };
            }
        }
        Some(Place::next(offset))
    }

    #[inline]
    fn random_place(&mut self, file: &mut File, ddir: Ddir, issued: u64, seed: u64) -> Option<Place> {
        let offset = match self.random_offset(file, ddir, issued) {
            Some(offset) => offset,
            None if self.restarts_random => {
                file.reset(seed);
                self.wrapped = true;
                self.random_offset(file, ddir, issued)?
            }
            None => return None,
        };
        Some(Place::random(offset))
    }

    /// Draws an offset. In fio a draw without room for a block ends the file. Here only a uniform draw does.
    #[inline]
    fn random_offset(&mut self, file: &mut File, ddir: Ddir, issued: u64) -> Option<u64> {
        if self.zones.is_none() && matches!(file.source, Source::Mapped(_) | Source::Uniform) {
            return self.draw_offset(file, ddir, issued);
        }
        let min_bytes = self.min_bytes[ddir as usize];
        if !file.has_room(0, min_bytes) {
            return None;
        }
        for _ in 0..MAX_DRAWS {
            let offset = self.draw_offset(file, ddir, issued)?;
            if file.has_room(offset, min_bytes) {
                return Some(offset);
            }
        }
        None
    }

    #[inline]
    fn draw_offset(&mut self, file: &mut File, ddir: Ddir, issued: u64) -> Option<u64> {
        let align = self.align[ddir as usize];
        let blocks = file.blocks[ddir as usize];
        if let (Some(rewrites), Source::Lfsr(lfsr)) = (&mut self.rewrites, &mut file.source) {
            return rewrites.draw(lfsr)?.checked_mul(align);
        }
        let unit_bytes = self.unit_bytes;
        // The values of these generators are places in the file. In fio they are blocks of the direction, which are beyond
        // the end if the blocks of the directions differ.
        let aligned = |value: u64| value.checked_mul(unit_bytes).map(|offset| offset - offset % align);
        let (first, count) = match (&mut file.source, &mut self.zones) {
            (Source::Zipf(zipf), _) => return aligned(zipf.draw()),
            (Source::Pareto(pareto), _) => return aligned(pareto.draw()),
            (Source::Normal(normal), _) => return aligned(normal.draw()),
            _ if blocks == 0 => return None,
            _ if self.sequence.is_some() => return self.sequence.as_ref()?.draw(issued, blocks)?.checked_mul(align),
            (Source::Lfsr(lfsr), _) => return aligned(lfsr.draw()?),
            (_, Some(zones)) => zones.draw(ddir, blocks, align, file.io_size.min(file.real_size))?,
            (_, None) => (0, blocks),
        };
        let block = match &mut file.source {
            Source::Mapped(map) => {
                let block = units::number::whole(count as f64 * self.uniform.fraction());
                if map.is_taken(block) { map.next_free(block)? } else { block }
            }
            _ => units::number::whole(count as f64 * self.uniform.fraction()),
        };
        first.checked_add(block)?.checked_mul(align)
    }
}

fn preconditioning(job: &Job) -> Result<Option<Box<Rewrites>>, AccessFault> {
    let (Distribution::Precondition(model), [file, ..]) = (&job.access.distribution, job.files) else {
        return Ok(None);
    };
    let logical_bytes = file.io_size.min(file.real_size);
    let block_bytes = job.access.block.min_bytes[Ddir::Write];
    Rewrites::new(model, logical_bytes, block_bytes, &job.seeds).map(|rewrites| Some(Box::new(rewrites)))
}

/// Returns true if a distribution has a generator per file, seeded by the file's name.
pub(super) fn is_skewed(distribution: &Distribution) -> bool {
    matches!(distribution, Distribution::Zipf { .. } | Distribution::Pareto { .. } | Distribution::Normal { .. })
}
