//! Extends files to the size that the job needs, with data where the job reads it.

use super::site::Site;
use super::sizes::Shares;
use crate::direct_io::{check_alignment, opens_direct};
use crate::engine_flags::EngineFlags;
use crate::fault::PrepareError;
use crate::goal::Length;
use os::errno;
use os::file::{File, OpenOptions};
use plan::{Fallocate, Job};
use record::{IoError, LayoutCall, LayoutError, Message, MessageKind, RunError, TargetError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use targets::{
    HeldTargets, TargetUses,
    fault::{self, shown},
};

/// Smallest write to the kernel in bytes.
const WRITE_BYTES: usize = 1 << 20;
const MIB: u64 = 1 << 20;
/// Bytes written between two calls to the device.
const WRITEBACK_BYTES: u64 = 16 * MIB;

/// Creates the directories of the targets, and those that are targets.
///
/// # Errors
/// A directory cannot be created.
pub(crate) fn make_directories(
    job: Job<'_>,
    flags: EngineFlags,
    paths: &[PathBuf],
    site: &Site,
) -> Result<(), RunError> {
    let refused = site.readonly || !job.load.targets.create.allowed;
    for path in paths {
        let directory = if flags.makes_directories { Some(path.as_path()) } else { path.parent() };
        let wanted = !flags.diskless || flags.makes_directories;
        let Some(directory) = directory.filter(|directory| wanted && !directory.as_os_str().is_empty()) else {
            continue;
        };
        if refused {
            continue;
        }
        let made = site.targets.make_directory(directory);
        made.map_err(|error| fault::of_io(&error, LayoutError::CreateDirectory { path: shown(directory) }))?;
    }
    Ok(())
}

/// Extends each file that is smaller than its share.
///
/// # Errors
/// The run is read-only, a file is in use, or a call on a file fails. The files are as before.
pub(crate) fn extend(
    worker: Job<'_>,
    flags: EngineFlags,
    paths: &[PathBuf],
    shares: &mut Shares,
    site: &mut Site,
) -> Result<(), PrepareError> {
    let (count, bytes) = shares.growing();
    if count == 0 {
        return Ok(());
    }
    (site.say)(Message::Info(MessageKind::Layout { job: worker.name.clone(), files: count as u64, bytes }));
    if site.readonly {
        return Err(RunError::new(errno::EROFS, LayoutError::ReadOnly).into());
    }
    let with_data = needs_data(worker, flags);
    let mut uses = TargetUses::default();
    let mut shrunk = false;
    for (share, path) in shares.files.iter_mut().zip(paths) {
        if !share.extend {
            continue;
        }
        let mut layout = Layout::open(worker, site.targets, &mut uses, path)?;
        let done = layout.run(worker, share.real_size, with_data, site);
        let there = done.inspect_err(|_| layout.put_back())?;
        layout.close()?;
        if with_data && worker.load.targets.extent.fill_device {
            share.real_size = Some(there);
            let rest_bytes = there.saturating_sub(share.offset);
            share.io_size = Length::Bytes(share.io_size.bytes().map_or(rest_bytes, |bytes| bytes.min(rest_bytes)));
            shrunk = true;
        }
    }
    if shrunk {
        let filled = shares.files.iter().fold(Length::Bytes(0), |sum, share| sum.plus(share.io_size));
        shares.pass = match (shares.pass, filled) {
            (Length::Bytes(pass), Length::Bytes(filled)) => Length::Bytes(pass.min(filled)),
            (Length::Bytes(_), Length::ToEnd) => shares.pass,
            (Length::ToEnd, filled) => filled,
        };
    }
    Ok(())
}

/// Returns true if a file must have data before the job's first I/O on it.
fn needs_data(job: Job<'_>, flags: EngineFlags) -> bool {
    let pattern = job.load.access.pattern;
    let overwrites = job.load.targets.create.overwrite && !job.load.targets.extent.append;
    pattern.reads || pattern.writes && (overwrites || flags.no_extend)
}

/// A file that is being extended.
struct Layout<'a> {
    path: &'a Path,
    targets: &'a HeldTargets,
    file: File,
    /// Size before; `None` if it was created here.
    before: Option<u64>,
    /// End of the data that was written here.
    reached: u64,
}

impl<'a> Layout<'a> {
    fn open(job: Job<'_>, targets: &'a HeldTargets, uses: &mut TargetUses, path: &'a Path) -> Result<Self, RunError> {
        let call_failed = |error: &io::Error| fault::of_io(error, LayoutError::Open { path: shown(path) });
        let create = job.load.targets.create.allowed;
        let options = OpenOptions { write: true, create, ..OpenOptions::new() };
        let (file, made) = match targets.open_or_create(&options, path) {
            Err(error) if !create && error.is(io::ErrorKind::NotFound) => {
                return Err(RunError::new(errno::ENOENT, TargetError::CreationDisallowed { path: shown(path) }));
            }
            opened => opened.map_err(|error| error.into_run_error(call_failed))?,
        };
        if !made {
            uses.refuse(&job.name, &file)?;
        }
        let before = if made { None } else { file.size().map_err(|error| call_failed(&error))? };
        let layout = Layout { path, targets, file, before, reached: 0 };
        layout.check_direct(job).inspect_err(|_| layout.put_back())?;
        Ok(layout)
    }

    /// Checks for direct I/O before a terabyte is written.
    fn check_direct(&self, job: Job<'_>) -> Result<(), RunError> {
        if !opens_direct(job) {
            return Ok(());
        }
        match self.file.open_again(OpenOptions { read: true, direct: true, ..OpenOptions::new() }) {
            Err(error) if errno::of(&error) == Some(errno::EINVAL) => {
                Err(RunError::new(errno::EINVAL, LayoutError::NoDirectIo { path: shown(self.path) }))
            }
            // Write access does not imply read access. The job's own open reports that.
            _ => check_alignment(job, self.path),
        }
    }

    /// Extends the file to `wanted` bytes, or until the device is full. Returns its size.
    fn run(
        &mut self,
        job: Job<'_>,
        wanted: Option<u64>,
        with_data: bool,
        site: &mut Site,
    ) -> Result<u64, PrepareError> {
        // Another job may have extended it since.
        let present = self.size()?;
        if wanted.is_some_and(|wanted| present >= wanted) {
            return Ok(present);
        }
        if let Some(wanted) = wanted {
            self.allocate(job, present, wanted, with_data, site.say)?;
        }
        if !with_data {
            return Ok(self.size()?);
        }
        let end = self.write(job, present, wanted.unwrap_or(u64::MAX), site)?;
        if job.load.targets.create.fsync {
            self.file.fsync().map_err(|error| self.failed(&error, LayoutCall::Sync))?;
        }
        // The cache is dropped from what was written, so that the job reads it from the device.
        match self.file.invalidate_cache(present, Some(end - present)) {
            // Windows has no such call.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => {
                Err(self.failed(&error, LayoutCall::DropCache).into())
            }
            _ => Ok(end),
        }
    }

    fn close(self) -> Result<(), RunError> {
        let Layout { path, file, .. } = self;
        file.close().map_err(|error| fault::of_io(&error, IoError::Close { path: shown(path) }))
    }

    fn size(&self) -> Result<u64, RunError> {
        Ok(self.file.size().map_err(|error| self.failed(&error, LayoutCall::Status))?.unwrap_or(0))
    }

    /// Reserves the space. The size of a file that will be written grows with the data, so that a file of the right size has
    /// data up to its end, even after a kill.
    fn allocate(
        &self,
        job: Job<'_>,
        present: u64,
        wanted: u64,
        with_data: bool,
        say: &mut dyn FnMut(Message),
    ) -> Result<(), RunError> {
        if job.load.targets.extent.fill_device {
            return Ok(());
        }
        let mode = job.load.targets.create.fallocate;
        let keeps_size = with_data || mode == Fallocate::Keep;
        let done = match mode {
            Fallocate::None => Ok(()),
            Fallocate::Truncate if with_data => Ok(()),
            Fallocate::Truncate => self.file.set_size(wanted),
            Fallocate::Posix if !with_data => self.file.allocate_or_write(present, wanted - present),
            Fallocate::Native | Fallocate::Keep | Fallocate::Posix => {
                self.file.allocate(present, wanted - present, keeps_size)
            }
        };
        match (done, mode) {
            (Ok(()), _) => Ok(()),
            (Err(error), Fallocate::Keep) => Err(self.failed(&error, LayoutCall::Allocate)),
            (Err(error), Fallocate::Truncate) => Err(self.failed(&error, LayoutCall::Truncate)),
            (Err(error), Fallocate::Posix) if !(with_data && does_not_fit(&error)) => {
                let (path, error) = (shown(self.path), fault::os_error(&error));
                say(Message::Warning(MessageKind::FallocateFailed { path, error }));
                Ok(())
            }
            // Space that cannot be reserved cannot be written either.
            (Err(error), _) if with_data && does_not_fit(&error) => Err(self.failed(&error, LayoutCall::Allocate)),
            // By default fio continues on file systems without fallocate.
            (Err(error), _) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            (Err(error), _) => {
                let (path, error) = (shown(self.path), fault::os_error(&error));
                let kind = MessageKind::NoSpaceReserved { path, from_bytes: present, to_bytes: wanted, error };
                say(Message::Warning(kind));
                Ok(())
            }
        }
    }

    /// Writes the job's data from `from` to `to`. With `fill_device` it ends when the device is full.
    fn write(&mut self, job: Job<'_>, from: u64, to: u64, site: &mut Site) -> Result<u64, PrepareError> {
        // A job that only reads may name any size for writes.
        let block = job.load.access.block.max_bytes[plan::Ddir::Write].min(to.saturating_sub(from)).max(1);
        let block = usize::try_from(block).unwrap_or(WRITE_BYTES);
        let mut buffer = zeroes(block * WRITE_BYTES.div_ceil(block).max(1))
            .map_err(|error| self.failed(&error, LayoutCall::Write))?;
        let mut at = from;
        let mut flushed = from;
        while at < to {
            // Early writeback leaves little for the final sync, which cannot be stopped.
            if job.load.targets.create.fsync && at - flushed >= WRITEBACK_BYTES {
                self.file
                    .start_writeback(flushed, at - flushed)
                    .map_err(|error| self.failed(&error, LayoutCall::Write))?;
                flushed = at;
            }
            let left = usize::try_from(to - at).unwrap_or(usize::MAX).min(buffer.len());
            buffer[..left].chunks_mut(block).for_each(|block| (site.fill)(block));
            let mut written = 0;
            while written < left {
                if site.stop.load(Ordering::Relaxed) {
                    return Err(PrepareError::Stopped);
                }
                if let Some(error) = site.targets.lost() {
                    return Err(error.into());
                }
                match self.file.write_at(&buffer[written..left], at) {
                    Ok(0) => {
                        return Err(self.failed(&errno::error(errno::EIO), LayoutCall::Write).into());
                    }
                    Ok(bytes) => {
                        written += bytes;
                        at += bytes as u64;
                        self.reached = at;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if is_out_of_space(&error) && job.load.targets.extent.fill_device => {
                        return Ok(at);
                    }
                    Err(error) => return Err(self.failed(&error, LayoutCall::Write).into()),
                }
            }
        }
        Ok(at)
    }

    fn failed(&self, error: &io::Error, call: LayoutCall) -> RunError {
        fault::of_io(error, LayoutError::Call { path: shown(self.path), call })
    }

    /// Restores the state before the layout.
    fn put_back(&self) {
        let done = match self.before {
            None => self.targets.remove(self.path, false),
            Some(bytes) => match self.file.size() {
                // If it is larger, another job has extended it. Setting the old size frees reserved space.
                Ok(Some(now)) if now == bytes || now > bytes && now <= self.reached => self.file.set_size(bytes),
                _ => Ok(()),
            },
        };
        // The error that led here is reported. A failed removal adds nothing to it.
        drop(done);
    }
}

/// Allocates a buffer. Blocks may be larger than the memory.
fn zeroes(bytes: usize) -> io::Result<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|_| errno::error(errno::ENOMEM))?;
    buffer.resize(bytes, 0);
    Ok(buffer)
}

/// Returns true if the file system is full or cannot have a file of this size.
fn does_not_fit(error: &io::Error) -> bool {
    is_out_of_space(error) || error.kind() == io::ErrorKind::FileTooLarge
}

fn is_out_of_space(error: &io::Error) -> bool {
    errno::of(error).is_some_and(|number| [errno::ENOSPC, errno::EDQUOT].contains(&number))
}
