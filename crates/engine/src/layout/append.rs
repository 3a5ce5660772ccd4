//! Space for the passes of a job that appends (`file_append`).

use std::io;
use std::sync::{Mutex, PoisonError};

use crate::engine_flags::EngineFlags;
use crate::goal::Length;
use crate::target::Target;
use os::file::{Kind, OpenOptions};
use plan::{Fallocate, Job};
use record::{LayoutCall, LayoutError, RunError};
use targets::{
    HeldTargets,
    fault::{self, shown},
};

/// Between the size of a file and its extension no other job may extend it.
static EXTENDING: Mutex<()> = Mutex::new(());

/// Returns true if each pass of a job appends. A job that reads has data in the part that its layout appended only, and a
/// job that ends by time would fill the device.
pub fn appends_each_pass(job: Job<'_>) -> bool {
    let pattern = job.load.access.pattern;
    job.load.targets.extent.append
        && pattern.writes
        && !pattern.reads
        && !pattern.trims
        && !job.limits.time_based
        && job.load.zoned.is_none()
}

/// Moves the part of each file that the job uses behind the end of the file, and extends the file.
///
/// # Errors
/// A file cannot be opened, or its size cannot be read.
pub fn append(job: Job<'_>, targets: &mut [Target], held: &HeldTargets) -> Result<(), RunError> {
    let flags = EngineFlags::of(&job.engine);
    for target in targets.iter_mut().filter(|target| target.kind == Kind::Regular) {
        let Length::Bytes(bytes) = target.io_size else { continue };
        target.offset = match target.real_size {
            Some(end) if flags.diskless => end,
            _ => extend(job, target, bytes, held)?,
        };
        target.real_size = Some(target.offset.saturating_add(bytes));
    }
    Ok(())
}

/// Extends a file by `part_bytes`. Returns the size before. A file that does not exist has a size of 0.
fn extend(job: Job<'_>, target: &Target, part_bytes: u64, held: &HeldTargets) -> Result<u64, RunError> {
    let failed = |error: &io::Error, call: LayoutCall| {
        fault::of_io(error, LayoutError::Call { path: shown(&target.path), call })
    };
    let file = match held.open(&OpenOptions { write: true, ..OpenOptions::new() }, &target.path) {
        Ok(file) => file,
        Err(error) if error.is(io::ErrorKind::NotFound) => return Ok(0),
        Err(error) => {
            let path = shown(&target.path);
            return Err(error.into_run_error(|error| fault::of_io(error, LayoutError::Open { path: path.clone() })));
        }
    };
    let _extending = EXTENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = file.size().map_err(|error| failed(&error, LayoutCall::Status))?.unwrap_or(0);
    let create = &job.load.targets.create;
    if !create.on_open && create.fallocate != Fallocate::None {
        // Space that cannot be reserved is an error of the write that needs it.
        let _ = file.allocate(bytes, part_bytes, create.fallocate == Fallocate::Keep);
    }
    Ok(bytes)
}
