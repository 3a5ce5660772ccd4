//! What a job's targets are, and how large they are, before anything is made.

use super::sizes::{Found, UNKNOWN, min_block};
use crate::engine_flags::EngineFlags;
use crate::fault;
use os::errno;
use os::file::{Kind, OpenOptions, StatCall};
use plan::Worker;
use record::Message;
use record::RunError;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The job's targets: those it names and, with `opendir`, every file below that directory.
pub(crate) fn paths(worker: &Worker, say: &mut dyn FnMut(Message)) -> Result<Vec<PathBuf>, RunError> {
    let named = worker.targets.paths.iter().map(PathBuf::from);
    let Some(directory) = &worker.targets.opendir else {
        return Ok(named.collect());
    };
    let mut below = Vec::new();
    files_below(Path::new(directory), &mut below)?;
    let mut paths: Vec<_> = if worker.targets.generated && !below.is_empty() { Vec::new() } else { named.collect() };
    paths.append(&mut below);
    say(Message::Info(format!("fio: opendir added {} files", paths.len())));
    Ok(paths)
}

/// Regular files in `directory` and the directories below it, in the order in which the system lists them. Links are
/// not followed.
fn files_below(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), RunError> {
    let failed = |error: io::Error| {
        let func = format!("opendir({})", directory.display());
        fault::of_io(
            &error,
            &func,
            format!("{func}: {error}", error = errno::reason(&error)),
            "opendir= takes a directory that can be read",
        )
    };
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        match entry.file_type() {
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            Ok(kind) if kind.is_dir() => files_below(&entry.path(), files)?,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// Kind and size of what `path` leads to; `None` where there is nothing yet.
fn stat_kind(path: &Path) -> io::Result<Option<(Kind, u64)>> {
    match os::file::stat(path, StatCall::Stat) {
        Ok(status) => Ok(Some((status.kind, status.bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Kind and present size of a target of `worker`.
pub(crate) fn inspect(worker: &Worker, flags: EngineFlags, path: &Path) -> Result<Found, RunError> {
    if flags.metadata {
        refuse_devices(path)?;
    }
    if flags.one_block_each {
        return Ok(Found { kind: Kind::Regular, bytes: min_block(worker) });
    }
    if flags.diskless {
        return Ok(Found { kind: Kind::Regular, bytes: UNKNOWN });
    }
    let (kind, bytes) = kind_of_target(worker, path)?.unwrap_or((Kind::Regular, 0));
    let bytes = match kind {
        Kind::Block => device_size(path)?,
        Kind::Regular => bytes,
        Kind::Char | Kind::Pipe | Kind::Directory | Kind::Socket => UNKNOWN,
    };
    Ok(Found { kind, bytes })
}

/// As [`stat_kind`], with an error for what no job can do I/O on.
pub(crate) fn kind_of_target(worker: &Worker, path: &Path) -> Result<Option<(Kind, u64)>, RunError> {
    let shown = path.display();
    let refuse = |errno: i32, what: &str, advice: &str| {
        Err(fault::new(
            errno,
            "setup_files",
            format!("{}: failed to get file size of {shown}", worker.name),
            &format!("it is {what}; {advice}"),
        ))
    };
    if path == Path::new("-") {
        return refuse(errno::EINVAL, "the standard input or output", "give a file or a device");
    }
    match stat_kind(path) {
        Ok(Some((Kind::Pipe, _))) => refuse(
            errno::EINVAL,
            "a pipe",
            "fathom does I/O at offsets, which pipes don't have: give a file or a device",
        ),
        Ok(Some((Kind::Socket, _))) => refuse(errno::EINVAL, "a socket", "give a file or a device"),
        Ok(Some((Kind::Directory, _))) => refuse(
            errno::EISDIR,
            "a directory",
            "use directory= to have files made in it, or opendir= to use those that are there",
        ),
        Ok(found) => Ok(found),
        Err(error) => Err(fault::of_io(
            &error,
            "fstat",
            format!("stat of {shown} failed: {error}", error = errno::reason(&error)),
            "",
        )),
    }
}

/// Engines that make, look at and remove files take nothing else.
pub(crate) fn refuse_devices(path: &Path) -> Result<(), RunError> {
    match stat_kind(path) {
        Ok(Some((Kind::Block | Kind::Char | Kind::Pipe | Kind::Socket, _))) => Err(fault::new(
            errno::EINVAL,
            "setup_files",
            "only files are supported".into(),
            &format!("{} is none; this engine makes, looks at or removes files and directories", path.display()),
        )),
        // What can't be looked at now is for the engine itself to meet.
        _ => Ok(()),
    }
}

pub(crate) fn device_size(path: &Path) -> Result<u64, RunError> {
    let shown = path.display();
    let opened = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path);
    let file = opened.map_err(|error| {
        let text = format!("failed opening blockdev {shown} for size check: {error}", error = errno::reason(&error));
        fault::of_io(&error, &format!("open({shown})"), text, "may this user read the device?")
    })?;
    match file.size() {
        Ok(Some(bytes)) if bytes > 0 => Ok(bytes),
        Ok(_) => Err(fault::new(
            errno::EINVAL,
            "blockdev_size",
            format!("{shown}: zero sized block device?"),
            "a loop device without a file, a drive without a medium, or a device that was never set up",
        )),
        Err(error) => Err(fault::of_io(
            &error,
            "blockdev_size",
            format!("no size to be had of {shown}: {error}", error = errno::reason(&error)),
            "",
        )),
    }
}
