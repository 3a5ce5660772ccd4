//! Removes targets of jobs with `unlink` or `unlink_each_loop`.

use crate::engine_flags::EngineFlags;
use crate::target::Target;
use os::file::Kind;
use plan::Worker;
use record::RunError;
use std::io::ErrorKind;
use targets::{HeldTargets, fault};

/// Removes the files of a job, or its directories if its engine works on directories. Devices are not removed. Engines
/// without files have none to remove.
///
/// # Errors
/// A file cannot be removed.
pub fn unlink(worker: &Worker, targets: &[Target], held: &HeldTargets) -> Result<(), RunError> {
    let flags = EngineFlags::of(&worker.engine);
    if flags.diskless && !flags.one_block_each && !flags.makes_directories {
        return Ok(());
    }
    for target in targets.iter().filter(|target| target.kind == Kind::Regular) {
        if let Err(error) = held.remove(&target.path, flags.directories)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(fault::of_io(&error, record::LayoutError::Unlink { path: fault::shown(&target.path) }));
        }
    }
    Ok(())
}
