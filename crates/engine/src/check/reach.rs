//! Checks that targets exist or can be created, and that a job can do I/O on them.

use crate::engine_flags::EngineFlags;
use crate::flash;
use crate::layout;
use crate::passthrough;
use crate::pmem;
use os::errno;
use os::file::{Kind, OpenOptions, StatCall};
use plan::{Engine, Job, Plan};
use record::{RunError, TargetError};
use std::path::{Path, PathBuf};
use targets::fault::{self, shown};

/// Returns the targets of a job as they are now.
pub(super) fn targets(job: Job<'_>) -> Result<Vec<PathBuf>, RunError> {
    let flags = EngineFlags::of(&job.engine);
    if flags.no_io {
        return Ok(Vec::new());
    }
    layout::check_size(job)?;
    layout::paths(job, &mut |_| {})
}

pub(super) fn check(plan: &Plan, job: Job<'_>, path: &Path) -> Result<(), RunError> {
    let flags = EngineFlags::of(&job.engine);
    if flags.metadata {
        layout::refuse_devices(path)?;
    }
    if flags.diskless {
        return Ok(());
    }
    let kind = layout::kind_of_target(&job, path)?;
    let trims_written = job.load.verify.as_ref().is_some_and(|verify| verify.trims.is_some());
    if (job.load.access.pattern.trims || job.load.access.pattern.writes && trims_written)
        && !matches!(job.engine, Engine::Falloc | Engine::IoUringCmd(_) | Engine::Mtd { .. })
        && kind.is_none_or(|(kind, _)| kind == Kind::Regular)
    {
        return Err(RunError::new(errno::ENOTTY, TargetError::NotTrimmable { path: shown(path) }));
    }
    match kind {
        Some((Kind::Char, _)) if job.engine == Engine::Falloc => {
            Err(RunError::new(errno::EINVAL, TargetError::NotAllocatable { path: shown(path) }))
        }
        _ if matches!(job.engine, Engine::IoUringCmd(_)) => passthrough::check(job, path),
        Some((Kind::Regular, _)) | None if matches!(job.engine, Engine::Sg(_)) => {
            let engine = job.engine.name().to_owned();
            Err(RunError::new(errno::EINVAL, TargetError::NotADevice { path: shown(path), engine }))
        }
        Some((Kind::Regular, _)) => can_open(job, path),
        Some(_) => Ok(()),
        None if job.load.targets.create.allowed => can_create(path),
        None if is_created_by_another(plan, job, path) => Ok(()),
        None => Err(RunError::new(errno::ENOENT, TargetError::CreationDisallowed { path: shown(path) })),
    }?;
    pmem::check(&job, path, kind)?;
    flash::check(job, path)
}

/// Opens an existing file as the job will. Devices are not opened: closing one that was open for writing makes udev read
/// it.
fn can_open(worker: Job<'_>, path: &Path) -> Result<(), RunError> {
    let pattern = worker.load.access.pattern;
    let write = pattern.writes || pattern.trims;
    if EngineFlags::of(&worker.engine).metadata {
        return Ok(());
    }
    let options = OpenOptions { read: pattern.reads || !write, write, ..OpenOptions::new() };
    match options.open(path) {
        Ok(_) => Ok(()),
        // Removed since the status was read.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => {
            let kind = TargetError::OpenForJob { path: shown(path), job: worker.name.clone() };
            Err(fault::of_io(&error, kind))
        }
    }
}

/// Checks that the directory of a new file is writable or can be created.
fn can_create(path: &Path) -> Result<(), RunError> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for above in absolute.ancestors().skip(1) {
        let refuse = |error: &std::io::Error| {
            let kind = TargetError::CreateIn { path: shown(path), directory: shown(above) };
            Err(fault::of_io(error, kind))
        };
        match os::file::stat(above, StatCall::Stat) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return refuse(&error),
            Ok(status) if status.kind != Kind::Directory => {
                return refuse(&errno::error(errno::ENOTDIR));
            }
            Ok(_) => return os::file::check_writable(above).or_else(|error| refuse(&error)),
        }
    }
    Ok(())
}

/// Returns true if another job creates the file before this one needs it.
fn is_created_by_another(plan: &Plan, job: Job<'_>, path: &Path) -> bool {
    plan.jobs().any(|other| {
        other.number != job.number
            && other.load.targets.create.allowed
            && other.load.targets.paths.iter().any(|other| Path::new(other) == path)
    })
}
