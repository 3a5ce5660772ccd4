//! Finds a job's targets and their sizes.

use super::sizes::{Found, min_block};
use crate::engine_flags::EngineFlags;
use crate::flash;
use crate::passthrough;
use crate::pmem;
use os::errno;
use os::file::{Kind, OpenOptions, StatCall};
use plan::{Engine, Job, TargetKind, Worker};
use record::{FileKind, LayoutError, Message, MessageKind, RunError, TargetError};
use std::io;
use std::path::{Path, PathBuf};
use targets::fault::{self, shown};

/// Returns the job's targets: those that it names and, with `opendir`, each file below that directory.
///
/// # Errors
/// The directory cannot be read.
pub(crate) fn paths(job: Job<'_>, say: &mut dyn FnMut(Message)) -> Result<Vec<PathBuf>, RunError> {
    let named = job.load.targets.paths.iter().map(PathBuf::from);
    let Some(directory) = &job.load.targets.opendir else {
        return Ok(named.collect());
    };
    let mut below = files_below(Path::new(directory))?;
    let mut paths: Vec<_> = if job.load.targets.generated && !below.is_empty() { Vec::new() } else { named.collect() };
    paths.append(&mut below);
    say(Message::Info(MessageKind::DirectoryListed { files: paths.len() as u64 }));
    Ok(paths)
}

/// An entry of a directory.
enum Entry {
    File(PathBuf),
    Directory(PathBuf),
}

/// Returns the regular files in `directory` and below it. The entries of a directory are in the system's order, and a
/// directory's files take its place. Links are not followed.
///
/// The directories to read are on the heap and one is open at a time: a recursion would need a stack and descriptors for each
/// level.
fn files_below(directory: &Path) -> Result<Vec<PathBuf>, RunError> {
    let mut files = Vec::new();
    let mut rest = vec![Entry::Directory(directory.to_owned())];
    while let Some(next) = rest.pop() {
        match next {
            Entry::File(path) => files.push(path),
            Entry::Directory(path) => {
                let first = rest.len();
                list(&path, &mut rest)?;
                rest[first..].reverse();
            }
        }
    }
    Ok(files)
}

/// Appends the files and directories in `directory`, in the system's order.
fn list(directory: &Path, entries: &mut Vec<Entry>) -> Result<(), RunError> {
    let failed = |error: io::Error| fault::of_io(&error, LayoutError::ListDirectory { path: shown(directory) });
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        match entry.file_type() {
            Ok(kind) if kind.is_file() => entries.push(Entry::File(entry.path())),
            Ok(kind) if kind.is_dir() => entries.push(Entry::Directory(entry.path())),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// Returns the kind and size of a file; `None` if it does not exist.
fn stat_kind(path: &Path) -> io::Result<Option<(Kind, u64)>> {
    match os::file::stat(path, StatCall::Stat) {
        Ok(status) => Ok(Some((status.kind, status.bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the kind and current size of a target of `job`.
///
/// # Errors
/// No job can do I/O on the target, or its size cannot be read.
pub(crate) fn inspect(job: Job<'_>, flags: EngineFlags, path: &Path) -> Result<Found, RunError> {
    if flags.metadata {
        refuse_devices(path)?;
    }
    if flags.one_block_each {
        return Ok(Found { kind: Kind::Regular, bytes: Some(min_block(job)) });
    }
    if flags.diskless {
        return Ok(Found { kind: Kind::Regular, bytes: None });
    }
    let (kind, bytes) = kind_of_target(&job, path)?.unwrap_or((Kind::Regular, 0));
    require_kind(job, path, kind)?;
    let bytes = match kind {
        Kind::Block => Some(device_size(path)?),
        Kind::Regular => Some(bytes),
        Kind::Char => character_device_size(&job, path)?,
        Kind::Pipe | Kind::Directory | Kind::Socket => None,
    };
    Ok(Found { kind, bytes })
}

/// Returns the size of a character device, if the job's engine determines it.
fn character_device_size(worker: &Worker, path: &Path) -> Result<Option<u64>, RunError> {
    match &worker.engine {
        Engine::IoUringCmd(_) => passthrough::size(worker, path),
        Engine::DevDax => pmem::size(worker, path).map(Some),
        Engine::Mtd { .. } => flash::size(worker, path).map(Some),
        _ => Ok(None),
    }
}

/// Refuses a target of another kind than the job requires.
fn require_kind(job: Job<'_>, path: &Path, kind: Kind) -> Result<(), RunError> {
    let Some(required) = job.load.targets.kind else { return Ok(()) };
    let is_required = match required {
        TargetKind::File => kind == Kind::Regular,
        TargetKind::BlockDevice => kind == Kind::Block,
        TargetKind::CharacterDevice => kind == Kind::Char,
    };
    if is_required {
        return Ok(());
    }
    Err(RunError::new(errno::EINVAL, TargetError::OtherKind { path: shown(path), required }))
}

/// Returns the kind and size of a target of `job`; `None` if it does not exist.
///
/// # Errors
/// The target is of a kind that no job can do I/O on, or its status cannot be read.
pub(crate) fn kind_of_target(worker: &Worker, path: &Path) -> Result<Option<(Kind, u64)>, RunError> {
    let refuse = |errno: i32, kind: FileKind| {
        Err(RunError::new(errno, TargetError::NotATarget { job: worker.name.clone(), path: shown(path), kind }))
    };
    if path == Path::new("-") {
        return refuse(errno::EINVAL, FileKind::StandardStream);
    }
    match stat_kind(path) {
        Ok(Some((Kind::Pipe, _))) => refuse(errno::EINVAL, FileKind::Pipe),
        Ok(Some((Kind::Socket, _))) => refuse(errno::EINVAL, FileKind::Socket),
        Ok(Some((Kind::Directory, _))) => refuse(errno::EISDIR, FileKind::Directory),
        Ok(found) => Ok(found),
        Err(error) => Err(fault::of_io(&error, TargetError::Status { path: shown(path) })),
    }
}

/// Refuses devices, pipes and sockets for engines that create, examine and remove files.
///
/// # Errors
/// The target is one of them.
pub(crate) fn refuse_devices(path: &Path) -> Result<(), RunError> {
    match stat_kind(path) {
        Ok(Some((Kind::Block | Kind::Char | Kind::Pipe | Kind::Socket, _))) => {
            Err(RunError::new(errno::EINVAL, TargetError::NotAFile { path: shown(path) }))
        }
        // The engine reports a status that cannot be read.
        _ => Ok(()),
    }
}

/// Returns the size of a block device.
///
/// # Errors
/// The device cannot be opened, or has no size.
pub(crate) fn device_size(path: &Path) -> Result<u64, RunError> {
    let path_text = || shown(path);
    let opened = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path);
    let file = opened.map_err(|error| fault::of_io(&error, TargetError::DeviceOpen { path: path_text() }))?;
    match file.size() {
        Ok(Some(bytes)) if bytes > 0 => Ok(bytes),
        Ok(_) => Err(RunError::new(errno::EINVAL, TargetError::DeviceEmpty { path: path_text() })),
        Err(error) => Err(fault::of_io(&error, TargetError::DeviceSize { path: path_text() })),
    }
}
