//! Targets of the engines of persistent memory: files of `libpmem`, devices of `dev-dax`.

use std::path::{Path, PathBuf};

use os::errno;
use os::file::Kind;
use plan::{Engine, Worker};
use record::{PmemProblem, RunError, TargetError};
use targets::fault;

/// Checks that the job can map a target as persistent memory. `found` is the kind and size of an existing target. Does
/// nothing for other engines.
///
/// # Errors
/// The target is not persistent memory, or it cannot be mapped.
pub(crate) fn check(worker: &Worker, path: &Path, found: Option<(Kind, u64)>) -> Result<(), RunError> {
    match worker.engine {
        Engine::Libpmem => check_file(worker, path, found),
        Engine::DevDax => size(worker, path).map(drop),
        _ => Ok(()),
    }
}

/// Returns the size of a DAX device.
///
/// # Errors
/// The target is of another kind.
pub(crate) fn size(worker: &Worker, path: &Path) -> Result<u64, RunError> {
    match os::device::dax_bytes(path) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(RunError::new(errno::EINVAL, refusal(worker, path, PmemProblem::NotADaxDevice))),
        Err(error) => Err(fault::of_io(&error, TargetError::Status { path: fault::shown(path) })),
    }
}

/// Checks that a file is in persistent memory. For a file that is empty or does not exist, checks its folder.
fn check_file(worker: &Worker, path: &Path, found: Option<(Kind, u64)>) -> Result<(), RunError> {
    let is_persistent = match found {
        Some((Kind::Regular, 1..)) => os::io::is_persistent(path)
            .map_err(|error| fault::of_io(&error, refusal(worker, path, PmemProblem::Map)))?,
        // The job's own open reports a folder in which no file can be created.
        Some((Kind::Regular, 0)) | None => os::io::is_persistent(&existing_folder(path)).unwrap_or(true),
        Some(_) => return Err(RunError::new(errno::EINVAL, refusal(worker, path, PmemProblem::NotAFile))),
    };
    match is_persistent {
        true => Ok(()),
        false => Err(RunError::new(errno::EOPNOTSUPP, refusal(worker, path, PmemProblem::NotPersistent))),
    }
}

/// Returns the folder of a file, or the nearest one above that exists.
fn existing_folder(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.ancestors().skip(1).find(|above| above.is_dir()).unwrap_or(Path::new("/")).to_path_buf()
}

fn refusal(worker: &Worker, path: &Path, problem: PmemProblem) -> TargetError {
    let engine = worker.engine.name().to_owned();
    TargetError::PersistentMemory { path: fault::shown(path), engine, problem }
}
