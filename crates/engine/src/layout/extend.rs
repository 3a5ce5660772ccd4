//! Making files as large as the job needs them, with real data where the job reads it.

use super::site::Site;
use super::sizes::Shares;
use crate::direct_io::check_alignment;
use crate::engine_flags::EngineFlags;
use crate::fault::{self, SetupError};
use crate::in_use::{TargetUses, refuse_in_use};
use os::errno;
use os::file::{File, OpenOptions};
use plan::{Fallocate, Worker};
use record::Message;
use record::RunError;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Bytes handed to the kernel at once, at least.
const WRITE_BYTES: usize = 1 << 20;
const MIB: u64 = 1 << 20;
/// Bytes written between two calls to the device.
const WRITEBACK_BYTES: u64 = 16 * MIB;

/// Makes the directories that the targets are to lie in, and those that are themselves targets.
pub(crate) fn make_directories(
    worker: &Worker,
    flags: EngineFlags,
    paths: &[PathBuf],
    readonly: bool,
) -> Result<(), RunError> {
    let refused = readonly || !worker.targets.create.allowed;
    for path in paths {
        let directory = if flags.makes_directories { Some(path.as_path()) } else { path.parent() };
        let wanted = !flags.diskless || flags.makes_directories;
        let Some(directory) = directory.filter(|directory| wanted && !directory.as_os_str().is_empty()) else {
            continue;
        };
        if refused || directory.is_dir() {
            continue;
        }
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(|error| {
            let text =
                format!("failed to create dir ({}): {error}", directory.display(), error = errno::reason(&error));
            fault::of_io(&error, "mkdir", text, "")
        })?;
    }
    Ok(())
}

/// Makes every file that is too short as large as its share says.
pub(crate) fn extend(
    worker: &Worker,
    flags: EngineFlags,
    paths: &[PathBuf],
    shares: &mut Shares,
    site: &mut Site,
) -> Result<(), SetupError> {
    let (count, bytes) = shares.growing();
    if count == 0 {
        return Ok(());
    }
    let several = count > 1;
    (site.say)(Message::Info(format!(
        "{}: Laying out IO file{} ({count} file{} / {}{}MiB)",
        worker.name,
        if several { "s" } else { "" },
        if several { "s" } else { "" },
        if several { "total " } else { "" },
        bytes / MIB,
    )));
    if site.readonly {
        return Err(fault::new(
            errno::EROFS,
            "setup_files",
            "refusing extend of file due to read-only".into(),
            "lay the files out with a run without --readonly first, or use files that are large enough",
        )
        .into());
    }
    let with_data = needs_data(worker, flags);
    let mut uses = TargetUses::default();
    let mut shrunk = false;
    for (share, path) in shares.files.iter_mut().zip(paths) {
        if !share.extend {
            continue;
        }
        let mut layout = Layout::open(worker, &mut uses, path)?;
        let done = layout.run(worker, share.real_size, with_data, site);
        let there = done.inspect_err(|_| layout.put_back())?;
        if with_data && worker.targets.extent.fill_device {
            share.real_size = there;
            share.io_size = share.io_size.min(there.saturating_sub(share.offset));
            shrunk = true;
        }
    }
    if shrunk {
        let filled = shares.files.iter().fold(0u64, |sum, share| sum.saturating_add(share.io_size));
        shares.pass_bytes = shares.pass_bytes.min(filled);
    }
    Ok(())
}

/// A file must hold data of its own before the job's first I/O on it.
fn needs_data(worker: &Worker, flags: EngineFlags) -> bool {
    let pattern = worker.access.pattern;
    let overwrites = worker.targets.create.overwrite && !worker.targets.extent.append;
    pattern.reads || pattern.writes && (overwrites || flags.no_extend)
}

/// One file while it is made.
struct Layout<'a> {
    path: &'a Path,
    file: File,
    /// Bytes that were in it before; `None` if it was made here.
    before: Option<u64>,
    /// How far it was written here.
    reached: u64,
}

impl<'a> Layout<'a> {
    fn open(worker: &Worker, uses: &mut TargetUses, path: &'a Path) -> Result<Self, RunError> {
        let failed = |error: io::Error| {
            fault::of_io(
                &error,
                "open",
                format!("open of {} failed: {error}", path.display(), error = errno::reason(&error)),
                "",
            )
        };
        let existing = OpenOptions { write: true, ..OpenOptions::new() };
        let (file, made) = match existing.open(path) {
            Ok(file) => {
                refuse_in_use(uses, &worker.name, path)?;
                (file, false)
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            Err(_) if !worker.targets.create.allowed => {
                return Err(fault::new(
                    errno::ENOENT,
                    "open",
                    "file creation disallowed by allow_file_create=0".into(),
                    &format!("{} doesn't exist", path.display()),
                ));
            }
            Err(_) => match (OpenOptions { create: true, exclusive: true, ..existing }).open(path) {
                Ok(file) => (file, true),
                // Another process created it first, or it is a link to a missing file.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    (OpenOptions { create: true, ..existing }.open(path).map_err(failed)?, false)
                }
                Err(error) => return Err(failed(error)),
            },
        };
        let before = if made { None } else { file.size().map_err(failed)? };
        let layout = Layout { path, file, before, reached: 0 };
        layout.check_direct(worker).inspect_err(|_| layout.put_back())?;
        Ok(layout)
    }

    /// That the file system can't do direct I/O is better known before a terabyte is written.
    fn check_direct(&self, worker: &Worker) -> Result<(), RunError> {
        if !worker.targets.open.direct {
            return Ok(());
        }
        match (OpenOptions { read: true, direct: true, ..OpenOptions::new() }).open(self.path) {
            Err(error) if error.raw_os_error() == Some(errno::EINVAL) => Err(fault::new(
                errno::EINVAL,
                &format!("open({})", self.path.display()),
                "looks like your file system does not support direct=1/buffered=0".into(),
                "use direct=0, or a file on a file system that has direct I/O",
            )),
            // Write access does not imply read access. The job's own open reports that.
            _ => check_alignment(worker, self.path),
        }
    }

    /// Makes the file `wanted` bytes long and says how long it is then.
    fn run(&mut self, worker: &Worker, wanted: u64, with_data: bool, site: &mut Site) -> Result<u64, SetupError> {
        // Another job may have made it longer since it was looked at.
        let present = self.size()?;
        if present >= wanted {
            return Ok(present);
        }
        self.allocate(worker, present, wanted, with_data, site.say)?;
        if !with_data {
            return Ok(self.size()?);
        }
        let end = self.write(worker, present, wanted, site)?;
        if worker.targets.create.fsync {
            self.file.fsync().map_err(|error| self.failed(&error, "fsync"))?;
        }
        // The cache is dropped from what was written, so that the job reads it from the device.
        self.file.invalidate_cache(present, end - present).map_err(|error| self.failed(&error, "invalidate"))?;
        Ok(end)
    }

    fn size(&self) -> Result<u64, RunError> {
        Ok(self.file.size().map_err(|error| self.failed(&error, "fstat"))?.unwrap_or(0))
    }

    /// Reserves the space. Under a file that will be written the size is left to grow with the data: a file that is
    /// as long as it should be then always holds data up to its end, even if we are killed on the way.
    fn allocate(
        &self,
        worker: &Worker,
        present: u64,
        wanted: u64,
        with_data: bool,
        say: &mut dyn FnMut(Message),
    ) -> Result<(), RunError> {
        if worker.targets.extent.fill_device {
            return Ok(());
        }
        let mode = worker.targets.create.fallocate;
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
            (Err(error), Fallocate::Keep) => Err(self.failed(&error, "fallocate")),
            (Err(error), Fallocate::Truncate) => Err(self.failed(&error, "ftruncate")),
            (Err(error), Fallocate::Posix) if !(with_data && does_not_fit(&error)) => {
                say(Message::Warning(format!("fio: posix_fallocate fails: {error}", error = errno::reason(&error))));
                Ok(())
            }
            // What can't be reserved can't be written either: better known now than when the disk is full.
            (Err(error), _) if with_data && does_not_fit(&error) => Err(self.failed(&error, "fallocate")),
            // fio's default is a try: file systems without fallocate are as good.
            (Err(error), _) if error.kind() == ErrorKind::Unsupported => Ok(()),
            (Err(error), _) => {
                say(Message::Warning(format!(
                    "fio: {}: no space reserved for bytes {present} to {wanted}: {error}",
                    self.path.display(),
                    error = errno::reason(&error)
                )));
                Ok(())
            }
        }
    }

    /// Writes the job's data from `from` up to `to`, or as far as there is space with `fill_device`.
    fn write(&mut self, worker: &Worker, from: u64, to: u64, site: &mut Site) -> Result<u64, SetupError> {
        // A job that only reads may name any size for writes.
        let block = worker.access.block.max_bytes[plan::Ddir::Write].min(to.saturating_sub(from)).max(1);
        let block = usize::try_from(block).unwrap_or(WRITE_BYTES);
        let mut buffer =
            zeroes(block * WRITE_BYTES.div_ceil(block).max(1)).map_err(|error| self.failed(&error, "write"))?;
        let mut at = from;
        let mut flushed = from;
        while at < to {
            // A device that is kept busy from the start has little left to do in the end, when nothing can stop it.
            if worker.targets.create.fsync && at - flushed >= WRITEBACK_BYTES {
                self.file.start_writeback(flushed, at - flushed).map_err(|error| self.failed(&error, "write"))?;
                flushed = at;
            }
            let left = usize::try_from(to - at).unwrap_or(usize::MAX).min(buffer.len());
            buffer[..left].chunks_mut(block).for_each(|block| (site.fill)(block));
            let mut written = 0;
            while written < left {
                if site.stop.load(Ordering::Relaxed) {
                    return Err(SetupError::Stopped);
                }
                match self.file.write_at(&buffer[written..left], at) {
                    Ok(0) => return Err(self.failed(&io::Error::from_raw_os_error(errno::EIO), "write").into()),
                    Ok(bytes) => {
                        written += bytes;
                        at += bytes as u64;
                        self.reached = at;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if out_of_space(&error).is_some() && worker.targets.extent.fill_device => {
                        return Ok(at);
                    }
                    Err(error) => return Err(self.failed(&error, "write").into()),
                }
            }
        }
        Ok(at)
    }

    fn failed(&self, error: &io::Error, func: &str) -> RunError {
        let shown = self.path.display();
        match out_of_space(error) {
            Some(name) => fault::of_io(
                error,
                func,
                format!("{name} on laying out file, stopping"),
                &format!(
                    "{shown} doesn't fit: what was written of it is gone again; make size= smaller or free some space"
                ),
            ),
            None => fault::of_io(
                error,
                func,
                format!("{func} of {shown} failed: {error}", error = errno::reason(error)),
                "",
            ),
        }
    }

    /// Leaves things as they were before.
    fn put_back(&self) {
        let done = match self.before {
            None => std::fs::remove_file(self.path),
            Some(bytes) => match self.file.size() {
                // Longer than that, and another job has a part in it. At its old length, what was reserved behind it
                // is given back.
                Ok(Some(now)) if now == bytes || now > bytes && now <= self.reached => self.file.set_size(bytes),
                _ => Ok(()),
            },
        };
        // The error that led here is reported. A failed removal adds nothing to it.
        drop(done);
    }
}

/// Blocks may be larger than the memory.
fn zeroes(bytes: usize) -> io::Result<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|_| io::Error::from_raw_os_error(errno::ENOMEM))?;
    buffer.resize(bytes, 0);
    Ok(buffer)
}

/// There is not that much space, or a file can't be that long.
fn does_not_fit(error: &io::Error) -> bool {
    out_of_space(error).is_some() || error.kind() == ErrorKind::FileTooLarge
}

fn out_of_space(error: &io::Error) -> Option<&'static str> {
    error.raw_os_error().filter(|number| [errno::ENOSPC, errno::EDQUOT].contains(number)).and_then(errno::name)
}
