//! The donor of `e4defrag`: the file whose blocks are exchanged with those of the targets.

use std::path::Path;

use os::file::OpenOptions;
use os::io::Backend;
use plan::{Amount, Engine, Job, Worker};
use record::{IoError, OpenCall, RunError};
use targets::{HeldTargets, fault};

/// Returns the donor of a worker.
pub fn path(worker: &Worker) -> Option<&Path> {
    match &worker.engine {
        Engine::E4defrag { donor, .. } => Some(Path::new(donor)),
        _ => None,
    }
}

/// Opens the donor of a worker, if it has one, and attaches it after its `targets` targets. Reserves its blocks unless each
/// write does.
///
/// # Errors
/// The donor cannot be opened or attached, or has no space.
pub fn attach(job: Job<'_>, held: &HeldTargets, backend: &mut dyn Backend, targets: u32) -> Result<(), RunError> {
    let (Some(path), Engine::E4defrag { in_place, .. }) = (path(&job), &job.engine) else { return Ok(()) };
    let failed = |call: OpenCall, error: &std::io::Error| {
        fault::of_io(error, IoError::Open { path: fault::shown(path), call, is_direct: false })
    };
    let options = OpenOptions { write: true, create: true, ..OpenOptions::new() };
    let donor = held.open(&options, path);
    let donor = donor.map_err(|error| error.into_run_error(|error| failed(OpenCall::Open, error)))?;
    if !in_place {
        let extent = &job.load.targets.extent;
        let end = job.load.targets.file_size.map_or_else(|| extent.size.map_or(0, |size| size.of(0)), |(_, high)| high);
        let start = match extent.offset {
            Amount::Bytes(bytes) => bytes,
            Amount::Percent(_) | Amount::Zones(_) => extent.offset.of(end),
        };
        let bytes = end.saturating_sub(start);
        donor.allocate(start, bytes, false).map_err(|error| failed(OpenCall::Open, &error))?;
    }
    backend.attach(targets, &donor).map_err(|error| failed(OpenCall::Attach, &error))
}
