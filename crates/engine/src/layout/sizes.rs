//! Divides a job's size among its targets, with fio's arithmetic and without I/O.

use crate::engine_flags::EngineFlags;
use os::errno;
use os::file::Kind;
use plan::{Amount, Worker};
use record::{LayoutError, RunError};

/// An unknown or unlimited size.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// A target before the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub kind: Kind,
    /// Current size; [`UNKNOWN`] for character devices and targets that need no disk.
    pub bytes: u64,
}

impl Found {
    /// Returns a target on another machine.
    pub(crate) fn on_server(target: &os::io::RemoteTarget) -> Self {
        Found { kind: Kind::Regular, bytes: target.bytes.unwrap_or(UNKNOWN) }
    }
}

/// The part of one target that the job uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    pub offset: u64,
    pub io_size: u64,
    /// Size of the target when it is ready.
    pub real_size: u64,
    /// The layout extends it.
    pub extend: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shares {
    pub files: Vec<Share>,
    pub pass_bytes: u64,
    pub total_bytes: u64,
}

impl Shares {
    /// Returns the number of files that the layout extends, and the sum of their final sizes.
    pub fn growing(&self) -> (usize, u64) {
        let growing = self.files.iter().filter(|share| share.extend);
        growing.fold((0, 0), |(count, bytes), share| (count + 1, bytes.saturating_add(share.real_size)))
    }
}

/// Returns the smallest block of any direction.
pub(crate) fn min_block(worker: &Worker) -> u64 {
    worker.access.block.min_bytes.0.into_iter().min().unwrap_or(1).max(1)
}

/// Divides the job among the targets `found`. `fraction` draws the next number below 1 from the job's generator of file
/// sizes.
///
/// # Errors
/// Nothing determines a size, or it is smaller than a block, or an offset is beyond the end.
pub(crate) fn share_out(
    worker: &Worker,
    flags: EngineFlags,
    found: &[Found],
    fraction: &mut dyn FnMut() -> f64,
) -> Result<Shares, RunError> {
    let extent = &worker.targets.extent;
    let block = min_block(worker);
    let count = found.len() as u64;
    let size = requested_size(worker);
    check_size(worker)?;

    // A target without a size of its own takes its part of the job's.
    let real = |found: &Found| match found.bytes {
        UNKNOWN if size > 0 && count > 0 => size / count,
        bytes => bytes,
    };
    let there = found.iter().fold(0u64, |sum, found| sum.saturating_add(real(found)));
    if (there == 0 || there == UNKNOWN)
        && size == 0
        && !flags.no_io
        && !extent.fill_device
        && file_range(worker).is_none()
    {
        return Err(RunError::new(errno::EINVAL, LayoutError::NoSize { job: worker.name.clone() }));
    }

    let each = size.checked_div(count).unwrap_or(0);
    let mut extra = (size - each * count) / block;
    let mut total = 0u64;
    let mut files = Vec::with_capacity(found.len());
    for found in found {
        let real = real(found);
        let offset = start_offset(worker, found.kind, real);
        let bonus = if extra > 0 { block } else { 0 };
        extra = extra.saturating_sub(1);
        let mut io_size = io_size(worker, real, offset, each.saturating_add(bonus), fraction)?;
        if io_size != UNKNOWN {
            io_size = percent_of_file(worker, io_size, offset, block);
        }
        let end = io_size.saturating_add(offset);
        let (offset, io_size) = part_of(worker, offset, io_size)?;
        total = match io_size {
            UNKNOWN => UNKNOWN,
            _ => total.saturating_add(percent_of_pass(worker, io_size)),
        };
        let grows = found.kind == Kind::Regular && end > real;
        let extend = grows && !flags.diskless && !worker.targets.create.on_open;
        let real_size = if grows && (!flags.diskless || flags.fake) { end } else { real };
        files.push(Share { offset, io_size, real_size, extend });
    }

    let pass_bytes = if size == 0 || (total > 0 && size > total) { total } else { size };
    if pass_bytes < block {
        return Err(too_small(worker, pass_bytes, block));
    }
    Ok(Shares { files, pass_bytes, total_bytes: total_bytes(worker, pass_bytes) })
}

/// Checks that the job's size is at least one block. fio checks this before it reads the status of a file.
///
/// # Errors
/// The size is smaller than a block.
pub(crate) fn check_size(worker: &Worker) -> Result<(), RunError> {
    let (size, block) = (requested_size(worker), min_block(worker));
    if size > 0 && size < block {
        let kind = LayoutError::SizeBelowBlock { size_bytes: size, block_bytes: block };
        return Err(RunError::new(errno::EINVAL, kind));
    }
    Ok(())
}

fn too_small(worker: &Worker, bytes: u64, block: u64) -> RunError {
    let job = worker.name.clone();
    RunError::new(errno::EINVAL, LayoutError::RangeBelowBlock { job, range_bytes: bytes, block_bytes: block })
}

/// Returns the job's size in bytes; 0 if the targets determine it.
fn requested_size(worker: &Worker) -> u64 {
    let extent = &worker.targets.extent;
    match extent.size {
        Some(Amount::Bytes(bytes)) if bytes > 0 => bytes,
        _ if extent.fill_device => UNKNOWN,
        _ => 0,
    }
}

/// Returns the range of `filesize`, if it is set.
fn file_range(worker: &Worker) -> Option<(u64, u64)> {
    worker.targets.file_size.filter(|&(low, high)| low > 0 || high > 0)
}

/// Returns the bytes of I/O on a target from `offset` on.
fn io_size(
    worker: &Worker,
    real: u64,
    offset: u64,
    share: u64,
    fraction: &mut dyn FnMut() -> f64,
) -> Result<u64, RunError> {
    let rest = || real.checked_sub(offset).ok_or_else(|| bad_offset(worker, offset, real));
    match file_range(worker).filter(|&(low, _)| low > 0) {
        None if share > 0 => Ok(share),
        None => rest(),
        Some((low, high)) if (low..=high.max(low)).contains(&real) => rest(),
        Some((low, _)) if offset > low => Err(bad_offset(worker, offset, low)),
        Some((low, high)) if low >= high => Ok(low - offset),
        Some((low, high)) => {
            let drawn = ((high - low) as f64 * fraction()) as u64 + low;
            Ok((drawn - drawn % min_block(worker)).saturating_sub(offset))
        }
    }
}

/// Returns the worker's part of a region: offset and bytes.
fn part_of(worker: &Worker, offset: u64, io_size: u64) -> Result<(u64, u64), RunError> {
    let Some(part) = worker.targets.extent.part.filter(|_| io_size != UNKNOWN) else { return Ok((offset, io_size)) };
    let block = worker.access.block.max_bytes.0.into_iter().max().unwrap_or(1).max(1);
    let own = part.of(offset..offset + io_size, block);
    let bytes = own.end - own.start;
    if bytes < block { Err(too_small(worker, bytes, block)) } else { Ok((own.start, bytes)) }
}

fn bad_offset(worker: &Worker, offset: u64, bytes: u64) -> RunError {
    let job = worker.name.clone();
    RunError::new(errno::EINVAL, LayoutError::OffsetBeyondEnd { job, offset_bytes: offset, target_bytes: bytes })
}

/// Applies a `size` in percent to a target.
fn percent_of_file(worker: &Worker, io_size: u64, offset: u64, block: u64) -> u64 {
    match worker.targets.extent.size {
        Some(Amount::Percent(percent)) if percent > 0.0 && percent != 100.0 => {
            let part = share_of(percent, io_size.saturating_add(offset)).min(io_size);
            part - part % block
        }
        _ => io_size,
    }
}

/// Applies an `io_size` in percent to the pass.
fn percent_of_pass(worker: &Worker, io_size: u64) -> u64 {
    match worker.targets.extent.io_size {
        Some(Amount::Percent(percent)) if percent > 0.0 && percent != 100.0 => share_of(percent, io_size),
        _ => io_size,
    }
}

fn total_bytes(worker: &Worker, pass_bytes: u64) -> u64 {
    if worker.limits.time_based {
        return UNKNOWN;
    }
    let once = match worker.targets.extent.io_size {
        Some(Amount::Bytes(bytes)) if bytes > 0 => bytes,
        _ => pass_bytes,
    };
    once.saturating_mul(u64::from(worker.limits.loops.max(1)))
}

/// Returns the offset at which this clone of the job starts in a target of `real` bytes.
fn start_offset(worker: &Worker, kind: Kind, real: u64) -> u64 {
    let extent = &worker.targets.extent;
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
    let offset = start.saturating_add(increment.saturating_mul(u64::from(worker.clone)));
    if !by_share && !from_share {
        return offset;
    }
    let align = if extent.offset_align_bytes > 0 { extent.offset_align_bytes } else { min_block(worker) };
    offset.checked_next_multiple_of(align).unwrap_or(offset)
}

/// Returns `percent` of `whole`, exact for integers as in fio.
fn share_of(percent: f64, whole: u64) -> u64 {
    if percent.fract() == 0.0 && (0.0..=100.0).contains(&percent) {
        return (u128::from(whole) * percent as u128 / 100) as u64;
    }
    Amount::Percent(percent).of(whole)
}
