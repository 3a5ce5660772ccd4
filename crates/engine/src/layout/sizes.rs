//! Divides a job's size among its targets, with fio's arithmetic and without I/O.

use crate::engine_flags::EngineFlags;
use crate::goal::Length;
use os::errno;
use os::file::Kind;
use plan::{Amount, Job, Worker};
use record::{LayoutError, RunError};

/// A target before the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub kind: Kind,
    /// Current size; `None` for character devices without a known size and for targets that need no disk.
    pub bytes: Option<u64>,
}

impl Found {
    /// Returns a target on another machine.
    pub(crate) fn on_server(target: &os::io::RemoteTarget) -> Self {
        Found { kind: Kind::Regular, bytes: target.bytes }
    }
}

/// The part of one target that the job uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    pub offset: u64,
    pub io_size: Length,
    /// Size of the target when it is ready; `None` if it is unknown.
    pub real_size: Option<u64>,
    /// The layout extends it.
    pub extend: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shares {
    pub files: Vec<Share>,
    pub pass: Length,
    /// Bytes of one loop, if they are not those of a pass.
    pub io_size_bytes: Option<u64>,
}

impl Shares {
    /// Returns the number of files that the layout extends, and the sum of their final sizes: the largest possible sum if
    /// one has no limit.
    pub fn growing(&self) -> (usize, u64) {
        let growing = self.files.iter().filter(|share| share.extend);
        growing.fold((0, 0), |(count, bytes), share| {
            (count + 1, share.real_size.map_or(u64::MAX, |size| bytes.saturating_add(size)))
        })
    }
}

/// The size that a job requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Requested {
    Bytes(u64),
    /// The sizes of the targets.
    OfTargets,
    /// All space (`fill_device`).
    Fill,
}

impl Requested {
    fn of(job: Job<'_>) -> Self {
        let extent = &job.load.targets.extent;
        match extent.size {
            Some(Amount::Bytes(bytes)) if bytes > 0 => Requested::Bytes(bytes),
            _ if extent.fill_device => Requested::Fill,
            _ => Requested::OfTargets,
        }
    }
}

/// Returns the smallest block of any direction.
pub(crate) fn min_block(job: Job<'_>) -> u64 {
    job.load.access.block.min_bytes.0.into_iter().min().unwrap_or(1).max(1)
}

/// Divides the job among the targets `found`. `fraction` draws the next number below 1 from the job's generator of file
/// sizes.
///
/// # Errors
/// Nothing determines a size, or it is smaller than a block, or an offset is beyond the end.
pub(crate) fn share_out(
    worker: Job<'_>,
    flags: EngineFlags,
    found: &[Found],
    fraction: &mut dyn FnMut() -> f64,
) -> Result<Shares, RunError> {
    let extent = &worker.load.targets.extent;
    let block = min_block(worker);
    let count = found.len() as u64;
    let requested = Requested::of(worker);
    check_size(worker)?;

    // A target without a size of its own takes its part of the job's.
    let real = |found: &Found| match (found.bytes, requested) {
        (None, Requested::Bytes(bytes)) => bytes.checked_div(count),
        (bytes, _) => bytes,
    };
    let there = found.iter().try_fold(0u64, |sum, found| real(found).map(|bytes| sum.saturating_add(bytes)));
    if there.is_none_or(|bytes| bytes == 0)
        && requested == Requested::OfTargets
        && !flags.no_io
        && file_range(worker).is_none()
    {
        return Err(RunError::new(errno::EINVAL, LayoutError::NoSize { job: worker.name.clone() }));
    }

    let (each, mut extra) = match requested {
        Requested::Bytes(bytes) => {
            let each = bytes.checked_div(count).unwrap_or(0);
            (Some(Length::Bytes(each)).filter(|_| each > 0), (bytes - each * count) / block)
        }
        Requested::Fill => (Some(Length::ToEnd), 0),
        Requested::OfTargets => (None, 0),
    };
    let mut total = Length::Bytes(0);
    let mut files = Vec::with_capacity(found.len());
    for found in found {
        let real = real(found);
        let offset = start_offset(worker, found.kind, real);
        let bonus = if extra > 0 { block } else { 0 };
        extra = extra.saturating_sub(1);
        let share = each.map(|each| each.plus(Length::Bytes(bonus))).or((bonus > 0).then_some(Length::Bytes(bonus)));
        let io_size = io_size(worker, real, offset, share, fraction)?;
        let io_size = percent_of_file(worker, io_size, offset, block);
        let end = io_size.bytes().map(|bytes| bytes.saturating_add(offset));
        let (offset, io_size) = part_of(worker, offset, io_size)?;
        total = total.plus(percent_of_pass(worker, io_size));
        let grows = found.kind == Kind::Regular && real.is_some_and(|real| end.is_none_or(|end| end > real));
        let extend = grows && !flags.diskless && !worker.load.targets.create.on_open;
        let real_size = if grows && (!flags.diskless || flags.fake) { end } else { real };
        files.push(Share { offset, io_size, real_size, extend });
    }

    let pass = match (requested, total) {
        (Requested::OfTargets, total) => total,
        (Requested::Bytes(bytes), Length::Bytes(total)) if total > 0 => Length::Bytes(bytes.min(total)),
        (Requested::Bytes(bytes), _) => Length::Bytes(bytes),
        (Requested::Fill, Length::Bytes(total)) if total > 0 => Length::Bytes(total),
        (Requested::Fill, _) => Length::ToEnd,
    };
    if let Some(bytes) = pass.bytes().filter(|&bytes| bytes < block) {
        return Err(too_small(&worker, bytes, block));
    }
    let io_size_bytes = match extent.io_size {
        Some(Amount::Bytes(bytes)) if bytes > 0 => Some(bytes),
        _ => None,
    };
    Ok(Shares { files, pass, io_size_bytes })
}

/// Checks that the job's size is at least one block. fio checks this before it reads the status of a file.
///
/// # Errors
/// The size is smaller than a block.
pub(crate) fn check_size(job: Job<'_>) -> Result<(), RunError> {
    let block = min_block(job);
    match Requested::of(job) {
        Requested::Bytes(size) if size < block => {
            let kind = LayoutError::SizeBelowBlock { size_bytes: size, block_bytes: block };
            Err(RunError::new(errno::EINVAL, kind))
        }
        _ => Ok(()),
    }
}

fn too_small(worker: &Worker, bytes: u64, block: u64) -> RunError {
    let job = worker.name.clone();
    RunError::new(errno::EINVAL, LayoutError::RangeBelowBlock { job, range_bytes: bytes, block_bytes: block })
}

/// Returns the range of `filesize`, if it is set.
fn file_range(job: Job<'_>) -> Option<(u64, u64)> {
    job.load.targets.file_size.filter(|&(low, high)| low > 0 || high > 0)
}

/// Returns the length of I/O on a target from `offset` on. `share` is its part of the job's size.
fn io_size(
    job: Job<'_>,
    real: Option<u64>,
    offset: u64,
    share: Option<Length>,
    fraction: &mut dyn FnMut() -> f64,
) -> Result<Length, RunError> {
    let rest = || match real {
        Some(real) => real.checked_sub(offset).map(Length::Bytes).ok_or_else(|| bad_offset(&job, offset, real)),
        None => Ok(Length::ToEnd),
    };
    match file_range(job).filter(|&(low, _)| low > 0) {
        None => share.map_or_else(rest, Ok),
        Some((low, high)) if real.is_some_and(|real| (low..=high.max(low)).contains(&real)) => rest(),
        Some((low, _)) if offset > low => Err(bad_offset(&job, offset, low)),
        Some((low, high)) if low >= high => Ok(Length::Bytes(low - offset)),
        Some((low, high)) => {
            let drawn = units::number::whole((high - low) as f64 * fraction()) + low;
            Ok(Length::Bytes((drawn - drawn % min_block(job)).saturating_sub(offset)))
        }
    }
}

/// Returns the worker's part of a region: offset and length.
fn part_of(job: Job<'_>, offset: u64, io_size: Length) -> Result<(u64, Length), RunError> {
    let (Some(part), Length::Bytes(io_bytes)) = (job.load.targets.extent.part, io_size) else {
        return Ok((offset, io_size));
    };
    let block = job.load.access.block.max_bytes.0.into_iter().max().unwrap_or(1).max(1);
    let own = part.of(offset..offset.saturating_add(io_bytes), block);
    let bytes = own.end - own.start;
    if bytes < block { Err(too_small(&job, bytes, block)) } else { Ok((own.start, Length::Bytes(bytes))) }
}

fn bad_offset(worker: &Worker, offset: u64, bytes: u64) -> RunError {
    let job = worker.name.clone();
    RunError::new(errno::EINVAL, LayoutError::OffsetBeyondEnd { job, offset_bytes: offset, target_bytes: bytes })
}

/// Applies a `size` in percent to a target.
fn percent_of_file(job: Job<'_>, io_size: Length, offset: u64, block: u64) -> Length {
    match (job.load.targets.extent.size, io_size) {
        (Some(Amount::Percent(percent)), Length::Bytes(bytes)) if percent > 0.0 && percent != 100.0 => {
            let part = share_of(percent, bytes.saturating_add(offset)).min(bytes);
            Length::Bytes(part - part % block)
        }
        _ => io_size,
    }
}

/// Applies an `io_size` in percent to the pass.
fn percent_of_pass(job: Job<'_>, io_size: Length) -> Length {
    match (job.load.targets.extent.io_size, io_size) {
        (Some(Amount::Percent(percent)), Length::Bytes(bytes)) if percent > 0.0 && percent != 100.0 => {
            Length::Bytes(share_of(percent, bytes))
        }
        _ => io_size,
    }
}

/// Returns the offset at which this clone of the job starts in a target of `real` bytes. A target without a known size has
/// neither an end nor parts in percent.
fn start_offset(job: Job<'_>, kind: Kind, real: Option<u64>) -> u64 {
    let extent = &job.load.targets.extent;
    let real = real.unwrap_or(0);
    if extent.append && kind == Kind::Regular {
        return real;
    }
    let (increment, by_share) = match extent.offset_increment {
        bytes @ (Amount::Bytes(_) | Amount::Zones(_)) => (bytes.of(0), false),
        Amount::Percent(percent) => (share_of(percent, real), percent > 0.0),
    };
    let (start, from_share) = match extent.offset {
        bytes @ (Amount::Bytes(_) | Amount::Zones(_)) => (bytes.of(0), false),
        Amount::Percent(percent) => (share_of(percent, real), percent > 0.0),
    };
    let offset = start.saturating_add(increment.saturating_mul(u64::from(job.clone)));
    if !by_share && !from_share {
        return offset;
    }
    let align = if extent.offset_align_bytes > 0 { extent.offset_align_bytes } else { min_block(job) };
    offset.checked_next_multiple_of(align).unwrap_or(offset)
}

/// Returns `percent` of `whole`, exact for integers as in fio.
fn share_of(percent: f64, whole: u64) -> u64 {
    if percent.fract() == 0.0 && (0.0..=100.0).contains(&percent) {
        return crate::number::narrow(u128::from(whole) * u128::from(units::number::whole(percent)) / 100);
    }
    Amount::Percent(percent).of(whole)
}
