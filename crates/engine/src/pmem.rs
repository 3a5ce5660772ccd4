//! Targets of the engine of persistent memory (`libpmem`).

use std::path::{Path, PathBuf};

use os::errno;
use os::file::Kind;
use plan::{Engine, Worker};
use record::{PmemProblem, RunError, TargetError};

use crate::fault;

/// Checks that a target, of the kind and size that were found, is persistent memory. For a file that the job will
/// create, the folder is tested.
///
/// # Errors
/// It is not, or it cannot be mapped.
pub(crate) fn check(worker: &Worker, path: &Path, found: Option<(Kind, u64)>) -> Result<(), RunError> {
    if worker.engine != Engine::Libpmem {
        return Ok(());
    }
    let refusal = |problem| {
        let engine = worker.echo.ioengine.clone();
        TargetError::PersistentMemory { path: fault::shown(path), engine, problem }
    };
    let is_persistent = match found {
        Some((Kind::Regular, 1..)) => {
            os::io::is_persistent(path).map_err(|error| fault::of_io(&error, refusal(PmemProblem::Map)))?
        }
        // The job's own open reports a folder in which no file can be created.
        Some((Kind::Regular, 0)) | None => os::io::is_persistent(&existing_folder(path)).unwrap_or(true),
        Some(_) => return Err(RunError::new(errno::EINVAL, refusal(PmemProblem::NotAFile))),
    };
    match is_persistent {
        true => Ok(()),
        false => Err(RunError::new(errno::EOPNOTSUPP, refusal(PmemProblem::NotPersistent))),
    }
}

/// Returns the folder of a file, or the nearest one above that exists.
fn existing_folder(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.ancestors().skip(1).find(|above| above.is_dir()).unwrap_or(Path::new("/")).to_path_buf()
}
