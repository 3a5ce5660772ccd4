//! Combines file, direction, offset and size of the next I/O.

use plan::{Access, Ddir, Distribution, PerDdir, RandomMap as MapMode, Strides, Syncs};
use random::{Lfsr, LfsrError, Normal, Pareto, Zipf, hash_name};
use record::AccessFault;

use super::file::{File, Source, State};
use super::io::{Draft, Drawn, Due, Io, Next, SyncKind};
use super::job::{FileExtent, Job};
use super::map::RandomMap;
use super::mix::Mix;
use super::offset::{Offsets, is_skewed};
use super::plain::{DrawState, Plain, PlainDraws};
use super::seeds::{Purpose, SeedTable};
use super::service::Service;
use super::size::Sizes;
use super::zones::Zones;
use crate::zones::Position;

/// Number of consecutive files without I/O, in a skewed order, after which the pass ends.
const MAX_FRUITLESS: u32 = 1 << 16;

/// Most blocks that a 32-bit generator can address.
const NARROW_BLOCKS: u64 = u32::MAX as u64;

#[derive(Clone, Debug)]
pub struct Generator {
    plain: Option<Plain>,
    files: Vec<File>,
    service: Service,
    mix: Mix,
    offsets: Offsets,
    sizes: Sizes,
    syncs: Option<Syncs>,
    strides: Option<Strides>,
    /// Block size of the random map, by direction.
    grain: [u64; 3],
    random_trim_then_write: bool,
    seeds: SeedTable,
    wide: bool,
    issued: [u64; 3],
    last: Last,
    zone_bytes: u64,
    pending: Option<Step>,
    /// Only the writes of trimmed blocks are left.
    finishes_pairs: bool,
    /// Consecutive files without I/O.
    fruitless: u32,
}

/// The last step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    None,
    Write,
    Sync,
    Other,
}

/// The next step as chosen. A rate limiter sees it before it is executed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Io { file: usize, rated: Ddir },
    Sync { file: usize, kind: SyncKind },
    PassDone,
}

impl Generator {
    /// Makes the generator of a job's I/O.
    ///
    /// # Errors
    /// The job has no file or no direction, its block sizes or zones contradict each other, or there is no memory for the
    /// random map.
    pub fn new(job: &Job) -> Result<Self, AccessFault> {
        let access = job.access;
        let pattern = access.pattern;
        if job.files.is_empty() {
            return Err(AccessFault::NoFiles);
        }
        let mix = Mix::new(pattern, access.rwmix_read_percent, job.seeds.of(Purpose::Mix));
        let mix = mix.ok_or(AccessFault::NoDirection)?;
        let wide = access.generator == plan::Generator::Tausworthe64;
        let paired_trims = pattern.writes && pattern.trims;
        let sizes = Sizes::new(&access.block, &job.seeds, wide, paired_trims, job.verifies)?;
        let service = Service::new(job.service, job.open_limit, job.files.len(), &job.seeds, wide);
        let geometry = Geometry::new(job)?;
        let files = job.files.iter().map(|extent| geometry.file(job, extent)).collect::<Result<Vec<_>, _>>()?;
        let zones = Zones::new(&access.distribution)?;
        let (align, unit_bytes) = (geometry.align, geometry.smallest);
        let offsets = Offsets::new(job, align, unit_bytes, zones, wide || geometry.needs_wide, service.is_skewed())?;
        let syncs = access.syncs;
        let syncs_at_all = pattern.writes && syncs.between_writes();
        Ok(Generator {
            plain: Plain::of(job, geometry.align),
            files,
            service,
            mix,
            offsets,
            sizes,
            syncs: syncs_at_all.then_some(syncs),
            strides: geometry.strides,
            grain: access.block.min_bytes.0,
            random_trim_then_write: pattern.random && paired_trims,
            seeds: job.seeds.clone(),
            wide: wide || geometry.needs_wide,
            issued: [0; 3],
            last: Last::None,
            zone_bytes: 0,
            pending: None,
            finishes_pairs: false,
            fruitless: 0,
        })
    }

    /// Returns what [`Generator::next`] will do. Repeated calls return the same.
    pub fn due(&mut self) -> Due {
        let step = match self.pending {
            Some(step) => step,
            None => self.choose(),
        };
        self.pending = Some(step);
        match step {
            Step::Io { rated, .. } => Due::Io(rated),
            Step::Sync { .. } => Due::Sync,
            Step::PassDone => Due::PassDone,
        }
    }

    /// Changes the due I/O of a mixed pattern to the other direction. fio does this if the drawn direction is ahead of
    /// its rate and the other is not. Returns false if the pattern has one direction.
    pub fn switch_direction(&mut self) -> bool {
        let Some(Step::Io { rated, .. }) = &mut self.pending else { return false };
        match self.mix.switch() {
            Some(other) => {
                *rated = other;
                true
            }
            None => false,
        }
    }

    /// Returns true if all I/Os have one file and size, in random or sequential order.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// Returns draws of I/Os that have one file and size. `None` if the next step is another.
    #[inline]
    pub fn plain_draws(&mut self) -> Option<PlainDraws<'_>> {
        let plain = self.plain.filter(|_| self.pending.is_none())?;
        let Generator { files, offsets, mix, issued, pending, .. } = self;
        plain.draws(&mut files[0], DrawState { random: &mut offsets.uniform, mix, issued, pending })
    }

    /// Returns the next step and counts it as issued.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "a pass ends, the generator does not end")]
    pub fn next(&mut self) -> Next {
        let mut offset = 0;
        if let Some(mut draws) = self.plain_draws()
            && let (ddir, 1) = draws.draw(std::slice::from_mut(&mut offset))
        {
            return Next::Io(Io { ddir, file: 0, offset, length: draws.plain.length, wrapped: false });
        }
        self.next_of_any()
    }

    #[inline(never)]
    fn next_of_any(&mut self) -> Next {
        let step = match self.pending.take() {
            Some(step) => step,
            None => self.choose(),
        };
        match step {
            Step::Io { file, rated } => match self.io(file, rated) {
                Some(io) => {
                    self.fruitless = 0;
                    Next::Io(io)
                }
                None => self.file_done(file),
            },
            Step::Sync { file, kind } => {
                self.last = Last::Sync;
                Next::Sync { kind, file }
            }
            Step::PassDone => Next::PassDone,
        }
    }

    #[cold]
    fn file_done(&mut self, file: usize) -> Next {
        if !self.service.is_skewed() {
            self.service.finish(&mut self.files[file]);
            return Next::FileDone { file };
        }
        self.service.close(&mut self.files[file]);
        self.fruitless += 1;
        if self.fruitless < MAX_FRUITLESS { Next::FileDone { file } } else { Next::PassDone }
    }

    /// Ends a trim-then-write pattern after the writes of the blocks that are trimmed already. Returns false if there are none.
    pub fn finish_pairs(&mut self) -> bool {
        if !self.finishes_pairs {
            (self.pending, self.finishes_pairs) = (None, true);
        }
        self.next_write_of_pair().is_some()
    }

    fn next_write_of_pair(&self) -> Option<usize> {
        // As in fio, the writes of strided zones are not at the trimmed blocks: no write ends such a pair.
        if self.strides.is_some() {
            return None;
        }
        self.files.iter().position(|file| file.state == State::Open && self.mix.is_in_pair(file))
    }

    /// Starts another pass over all files.
    pub fn start_pass(&mut self) {
        (self.pending, self.finishes_pairs, self.fruitless) = (None, false, 0);
        self.service.start_pass(&mut self.files);
        self.zone_bytes = 0;
        self.mix.start_counting();
        if self.seeds.each_pass() {
            self.sizes.reseed(&self.seeds, self.wide);
            self.mix.reseed(self.seeds.of(Purpose::Mix));
            self.service.reseed(&self.seeds, self.wide);
            self.offsets.reseed(&self.seeds, self.wide);
        }
    }

    /// Moves the extent of a file between two passes.
    pub fn move_extent(&mut self, file: usize, offset: u64, real_size: u64) {
        self.files[file].move_to(offset, real_size);
    }

    /// Returns true if no two writes of a pass have a byte in common.
    pub fn writes_once(&self) -> bool {
        let uses_map = |file: &File| matches!(file.source, Source::Mapped(_));
        self.strides.is_none()
            && !self.service.is_skewed()
            && self.offsets.never_returns()
            && (!self.offsets.is_random() || self.files.iter().all(uses_map))
    }

    /// Returns true if nothing was issued after a sync.
    pub fn ends_with_sync(&self) -> bool {
        self.last == Last::Sync
    }

    /// Remembers that all files were synced.
    pub fn synced(&mut self) {
        self.last = Last::Sync;
    }

    /// Remembers that an I/O beside the pattern was issued, such as a read of a written block.
    pub fn issued_beside(&mut self) {
        self.last = Last::Other;
    }

    /// Restarts the counts for the mix of directions and for syncs, at the end of a ramp.
    pub fn forget_counts(&mut self) {
        self.issued = [0; 3];
        self.zone_bytes = 0;
        self.mix.start_counting();
    }

    fn choose(&mut self) -> Step {
        if self.finishes_pairs {
            let write = self.next_write_of_pair().map(|file| Step::Io { file, rated: Ddir::Write });
            return write.unwrap_or(Step::PassDone);
        }
        let seed = self.seeds.of(Purpose::Offset);
        let Some(file) = self.service.choose(&mut self.files, seed) else { return Step::PassDone };
        if let Some(kind) = self.sync_due() {
            return Step::Sync { file, kind };
        }
        Step::Io { file, rated: self.mix.draw(&self.issued) }
    }

    fn sync_due(&self) -> Option<SyncKind> {
        let syncs = self.syncs.as_ref()?;
        let writes = self.issued[Ddir::Write as usize];
        if self.last != Last::Write || writes == 0 {
            return None;
        }
        let every = |count: u32| count > 0 && writes.is_multiple_of(u64::from(count));
        if every(syncs.fsync_every_writes) {
            Some(SyncKind::Fsync)
        } else if every(syncs.fdatasync_every_writes) {
            Some(SyncKind::Fdatasync)
        } else if syncs.sync_file_range.is_some_and(|range| every(range.every_writes)) {
            Some(SyncKind::SyncFileRange)
        } else {
            None
        }
    }

    #[inline]
    fn io(&mut self, index: usize, rated: Ddir) -> Option<Io> {
        let file = &mut self.files[index];
        let ddir = self.mix.on_file(rated, file);
        if let Some(strides) = &self.strides {
            let seed = self.seeds.of(Purpose::Offset);
            enter_zone(strides, &mut self.zone_bytes, file, ddir, seed);
        }
        let drawn = self.draw(index, ddir)?;
        // A part of a block at the end of the extent is left out, as at the end of a file. Strides leave the extent.
        if self.strides.is_none() && drawn.offset.saturating_add(drawn.length) > self.files[index].end() {
            return None;
        }
        self.issue(&drawn, drawn.offset, drawn.length)
    }

    /// Draws the offset and length of an I/O.
    #[inline(always)]
    fn draw(&mut self, index: usize, ddir: Ddir) -> Option<Drawn> {
        let seed = self.seeds.of(Purpose::Offset);
        let file = &mut self.files[index];
        let place = self.offsets.draw(file, ddir, self.issued[ddir as usize], seed)?;
        let offset = file.base + place.offset;
        let length = if self.random_trim_then_write {
            self.paired_length(index, ddir, offset, place.is_random)?
        } else {
            self.sizes.draw(ddir, place.is_random, file.end().saturating_sub(offset))?
        };
        Some(Drawn { ddir, file: index, offset, length, relative: place.offset })
    }

    /// Issues a drawn I/O at `offset`. Shortens it before a block that the random map marks as used.
    #[inline(always)]
    fn issue(&mut self, drawn: &Drawn, offset: u64, length: u64) -> Option<Io> {
        let &Drawn { ddir, file: index, relative, .. } = drawn;
        let file = &mut self.files[index];
        if offset.checked_add(length)? > file.real_size {
            return None;
        }
        let length = match &mut file.source {
            Source::Mapped(map) if !self.offsets.off_the_map => {
                let grain = self.grain[ddir as usize];
                let blocks = map.take(relative / grain, length.div_ceil(grain));
                length.min(blocks * grain)
            }
            _ => length,
        };
        if length == 0 {
            return None;
        }
        file.advance(ddir, offset, length);
        self.offsets.off_the_map = false;
        self.zone_bytes += length;
        self.issued[ddir as usize] += 1;
        self.last = if ddir == Ddir::Write { Last::Write } else { Last::Other };
        Some(Io { ddir, file: index, offset, length, wrapped: self.offsets.wrapped })
    }

    /// Returns the next step of a job on zones. An I/O is drawn, and issued with [`Generator::accept`]. `enter` moves the position
    /// of a sequential pattern before the draw. `writes_first`: a mixed pattern begins with a write.
    pub fn draft(&mut self, writes_first: bool, enter: &mut dyn FnMut(usize, Ddir, Position)) -> Draft {
        let step = match self.pending.take() {
            Some(step) => step,
            None => self.choose(),
        };
        let (index, rated) = match step {
            Step::Io { file, rated } => (file, rated),
            Step::Sync { file, kind } => {
                self.last = Last::Sync;
                return Draft::Sync { kind, file };
            }
            Step::PassDone => return Draft::PassDone,
        };
        let file = &mut self.files[index];
        let mut ddir = self.mix.on_file(rated, file);
        if writes_first && ddir == Ddir::Read && file.last_start[Ddir::Write as usize].is_none() {
            ddir = Ddir::Write;
        }
        let (start, target_bytes) = (file.start(), file.real_size);
        let (base, last_end) = (&mut file.base, &mut file.last_end[ddir as usize]);
        enter(index, ddir, Position { start, target_bytes, base, last_end, zone_bytes: &mut self.zone_bytes });
        match self.draw(index, ddir) {
            Some(drawn) => Draft::Io(drawn),
            None => self.finish_file(index),
        }
    }

    /// Issues a drawn I/O at `offset`, with at most `length` bytes. Returns `None` if the file has no such I/O.
    pub fn accept(&mut self, drawn: &Drawn, offset: u64, length: u64) -> Option<Io> {
        self.issue(drawn, offset, length)
    }

    /// Ends the pass over a file.
    pub fn finish_file(&mut self, file: usize) -> Draft {
        if self.service.is_skewed() {
            self.service.close(&mut self.files[file]);
        } else {
            self.service.finish(&mut self.files[file]);
        }
        Draft::FileDone { file }
    }

    /// Returns the length in a random trim-then-write pattern. A write has the length of the trim before it.
    fn paired_length(&mut self, index: usize, ddir: Ddir, offset: u64, is_random: bool) -> Option<u64> {
        let file = &mut self.files[index];
        let (trim, write) = (Ddir::Trim as usize, Ddir::Write as usize);
        if ddir == Ddir::Write {
            return Some(file.last_end[trim] - file.last_start[trim]?);
        }
        // A trim at the offset of the previous trim would look like a complete pair, so the last write is changed.
        if file.last_start[trim] == Some(offset) {
            file.last_start[write] = file.last_start[write].map(|start| start.wrapping_sub(1));
        }
        self.sizes.draw(ddir, is_random, file.end().saturating_sub(offset))
    }
}

/// Moves to the next zone once this zone has its bytes. Until then I/O wraps around within the zone.
fn enter_zone(strides: &Strides, zone_bytes: &mut u64, file: &mut File, ddir: Ddir, seed: u64) {
    if *zone_bytes >= strides.size_bytes {
        *zone_bytes = 0;
        file.base = file.base.saturating_add(strides.range_bytes).saturating_add(strides.skip_bytes);
        if file.base >= file.real_size {
            file.base = file.start();
        }
        file.last_end[ddir as usize] = file.base;
    }
    if file.last_end[ddir as usize] >= file.base + strides.range_bytes {
        file.last_end[ddir as usize] = file.base;
    }
    if zone_bytes.is_multiple_of(strides.range_bytes) {
        file.reset(seed);
    }
}

/// Returns the alignment of random offsets, by direction.
fn alignment(access: &Access) -> [u64; 3] {
    Ddir::ALL.map(|ddir| match access.block.align_bytes[ddir] {
        align if align > 0 && access.pattern.random => align,
        _ => access.block.min_bytes[ddir],
    })
}

/// Returns true if a random pass over a file of this pattern visits each block once, as recorded by a map of its blocks.
pub fn keeps_random_map(access: &Access) -> bool {
    access.random_map != MapMode::Off
        && alignment(access) == access.block.min_bytes.0
        && access.distribution == Distribution::Uniform
}

/// Returns the smallest block of the pattern's directions.
fn smallest_block(access: &Access) -> u64 {
    let min = access.block.min_bytes;
    let used = Ddir::ALL.into_iter().filter(|&ddir| access.pattern.has(ddir));
    used.map(|ddir| min[ddir]).min().unwrap_or(min[Ddir::Read])
}

/// Returns true if the files of a job have random maps.
pub fn has_random_map(access: &Access) -> bool {
    access.pattern.random && keeps_random_map(access) && access.generator != plan::Generator::Lfsr
}

/// Returns the memory of the random map of a file with `bytes` bytes of I/O, for a job that has one.
pub fn random_map_bytes(access: &Access, bytes: u64) -> u64 {
    let range = access.strides.map(|strides| strides.range_bytes.max(strides.size_bytes));
    RandomMap::memory_bytes(range.unwrap_or(bytes).min(bytes) / smallest_block(access).max(1))
}

/// Division of a job's files into blocks.
struct Geometry {
    align: [u64; 3],
    min: PerDdir<u64>,
    /// Smallest block of the pattern's directions. Values of generators without a range for each direction count it.
    smallest: u64,
    strides: Option<Strides>,
    mapped: bool,
    soft: bool,
    needs_wide: bool,
}

impl Geometry {
    fn new(job: &Job) -> Result<Self, AccessFault> {
        let access = job.access;
        let min = access.block.min_bytes;
        let align = alignment(access);
        // As in fio only the option counts, not the number of files.
        let mut strides = access.strides.filter(|_| job.open_limit.is_none_or(|limit| limit <= 1));
        if let Some(strides) = &mut strides {
            if strides.range_bytes == 0 {
                strides.range_bytes = strides.size_bytes;
            }
            if strides.size_bytes == 0 {
                return Err(AccessFault::Strides);
            }
        }
        let mapped = access.pattern.random && keeps_random_map(access);
        let smallest = smallest_block(access);
        let soft = access.random_map == MapMode::Soft;
        let mut geometry = Geometry { align, min, smallest, strides, mapped, soft, needs_wide: false };
        // fio changes to a 64-bit generator if 32 bits do not reach all blocks.
        geometry.needs_wide = access.generator == plan::Generator::Tausworthe32
            && access.pattern.random
            && job.files.iter().any(|extent| geometry.smallest_blocks(extent) > NARROW_BLOCKS);
        Ok(geometry)
    }

    fn smallest_blocks(&self, extent: &FileExtent) -> u64 {
        let bytes = match &self.strides {
            Some(strides) => strides.range_bytes,
            None => extent.io_size.min(extent.real_size),
        };
        bytes / self.smallest
    }

    /// Returns the number of random blocks of one direction.
    fn blocks(&self, extent: &FileExtent, ddir: Ddir) -> u64 {
        let bytes = match &self.strides {
            Some(strides) => strides.range_bytes,
            None => extent.io_size.min(extent.real_size),
        };
        let (min, align) = (self.min[ddir], self.align[ddir as usize]);
        bytes.saturating_sub(min.saturating_sub(align)) / align
    }

    fn file(&self, job: &Job, extent: &FileExtent) -> Result<File, AccessFault> {
        let source = if !job.access.pattern.random {
            Source::Uniform
        } else if is_skewed(&job.access.distribution) {
            self.skewed(job, extent)
        } else {
            self.uniform(job, extent)?
        };
        Ok(File::new(extent, Ddir::ALL.map(|ddir| self.blocks(extent, ddir)), source))
    }

    fn uniform(&self, job: &Job, extent: &FileExtent) -> Result<Source, AccessFault> {
        let blocks = self.smallest_blocks(extent);
        if blocks == 0 {
            return Ok(Source::Uniform);
        }
        // A shift register has one range, so it cannot draw from the zones of a distribution.
        let is_zoned = matches!(job.access.distribution, Distribution::Zoned(_) | Distribution::ZonedAbs(_));
        if job.access.generator == plan::Generator::Lfsr && !is_zoned {
            return Lfsr::new(blocks, job.seeds.of(Purpose::Offset)).map(Source::Lfsr).map_err(lfsr_fault);
        }
        if !self.mapped {
            return Ok(Source::Uniform);
        }
        // The kernel gives more memory than there is, and ends the process when it is used.
        if self.soft && os::memory::limits::free().is_some_and(|free| RandomMap::memory_bytes(blocks) > free) {
            return Ok(Source::Uniform);
        }
        match RandomMap::new(blocks) {
            Ok(map) => Ok(Source::Mapped(map)),
            Err(_) if self.soft => Ok(Source::Uniform),
            Err(error) => Err(error),
        }
    }

    fn skewed(&self, job: &Job, extent: &FileExtent) -> Source {
        let ranges = extent.io_size.min(extent.real_size).div_ceil(self.smallest);
        let seed = crate::number::low_half(
            u64::from(hash_name(extent.name.as_bytes()))
                .wrapping_mul(u64::from(job.worker_number))
                .wrapping_mul(job.seeds.of(Purpose::Offset)),
        );
        match job.access.distribution {
            Distribution::Zipf { theta, center } => Source::Zipf(Zipf::new(ranges, theta, center, seed, true)),
            Distribution::Pareto { power, center } => Source::Pareto(Pareto::new(ranges, power, center, seed, true)),
            Distribution::Normal { deviation_percent, center } => {
                Source::Normal(Normal::new(ranges, deviation_percent, center, seed, true))
            }
            _ => Source::Uniform,
        }
    }
}

fn lfsr_fault(error: LfsrError) -> AccessFault {
    match error {
        LfsrError::Range => AccessFault::LfsrRange,
        LfsrError::StuckSeed => AccessFault::LfsrSeed,
    }
}
