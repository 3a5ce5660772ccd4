//! Whether targets are there or may be made, and are of a kind that a job can do I/O on.

use crate::engine_flags::EngineFlags;
use crate::fault;
use crate::layout;
use os::errno;
use os::file::{Kind, OpenOptions, StatCall};
use plan::{Engine, Plan, Worker};
use record::RunError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The targets of a job as they are now.
pub(super) fn targets(worker: &Worker) -> Result<Vec<PathBuf>, RunError> {
    let flags = EngineFlags::of(&worker.engine);
    if flags.no_io {
        return Ok(Vec::new());
    }
    layout::check_size(worker)?;
    layout::paths(worker, &mut |_| {})
}

pub(super) fn check(plan: &Plan, worker: &Worker, path: &Path) -> Result<(), RunError> {
    let flags = EngineFlags::of(&worker.engine);
    if flags.metadata {
        layout::refuse_devices(path)?;
    }
    if flags.diskless {
        return Ok(());
    }
    let kind = layout::kind_of_target(worker, path)?;
    if worker.access.pattern.trims
        && worker.engine != Engine::Falloc
        && kind.is_none_or(|(kind, _)| kind == Kind::Regular)
    {
        return Err(fault::new(
            errno::ENOTTY,
            "td_io_queue",
            format!("{}: only block devices can be trimmed", path.display()),
            "a trimmed file would lose its contents; ioengine=falloc does that when it is asked to",
        ));
    }
    match kind {
        Some((Kind::Char, _)) if worker.engine == Engine::Falloc => Err(fault::new(
            errno::EINVAL,
            "open_file",
            "only files and blockdev are supported fallocate ".into(),
            &format!("{} is a character device", path.display()),
        )),
        Some((Kind::Regular, _)) => may_open(worker, path),
        Some(_) => Ok(()),
        None if worker.targets.create.allowed => may_make(path),
        None if made_by_another(plan, worker, path) => Ok(()),
        None => Err(fault::new(
            errno::ENOENT,
            "open",
            "file creation disallowed by allow_file_create=0".into(),
            &format!("{} doesn't exist", path.display()),
        )),
    }
}

/// Opens an existing file as the job will. Devices are left alone: closing one that was open for writing makes udev
/// read it.
fn may_open(worker: &Worker, path: &Path) -> Result<(), RunError> {
    let pattern = worker.access.pattern;
    let write = pattern.writes || pattern.trims;
    if EngineFlags::of(&worker.engine).metadata {
        return Ok(());
    }
    let options = OpenOptions { read: pattern.reads || !write, write, ..OpenOptions::new() };
    match options.open(path) {
        Ok(_) => Ok(()),
        // Removed since it was looked at.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => {
            let func = format!("open({})", path.display());
            Err(fault::of_io(
                &error,
                &func,
                format!("{func}: {error}", error = errno::reason(&error)),
                &format!("job {} needs it", worker.name),
            ))
        }
    }
}

/// A new file needs a directory that takes one, or that can be made.
fn may_make(path: &Path) -> Result<(), RunError> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for above in absolute.ancestors().skip(1) {
        let refuse = |error: &std::io::Error| {
            let text = format!(
                "failed to create {}: {}: {error}",
                path.display(),
                above.display(),
                error = errno::reason(error)
            );
            Err(fault::of_io(error, "open", text, ""))
        };
        match os::file::stat(above, StatCall::Stat) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return refuse(&error),
            Ok(status) if status.kind != Kind::Directory => {
                return refuse(&std::io::Error::from_raw_os_error(errno::ENOTDIR));
            }
            Ok(_) => return os::file::check_writable(above).or_else(|error| refuse(&error)),
        }
    }
    Ok(())
}

/// Some other job makes the file before this one needs it.
fn made_by_another(plan: &Plan, worker: &Worker, path: &Path) -> bool {
    plan.workers.iter().any(|other| {
        other.number != worker.number
            && other.targets.create.allowed
            && other.targets.paths.iter().any(|other| Path::new(other) == path)
    })
}
