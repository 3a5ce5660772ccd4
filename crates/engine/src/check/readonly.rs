//! Refuses jobs that change files in a run with `readonly`: what existed before the run is the same after it.

use crate::engine_flags::EngineFlags;
use os::errno;
use os::file::StatCall;
use plan::{Engine, Job, NetProtocol};
use record::{CheckError, FileChange, RunError};
use std::path::Path;

/// Checks that a job writes and trims nothing, and that it creates, removes and resizes no file.
pub(super) fn check(worker: Job<'_>) -> Result<(), RunError> {
    let job = worker.name.clone();
    let kind = if writes(worker) {
        CheckError::ReadOnlyRun { job }
    } else if let Some(change) = change(worker) {
        CheckError::ReadOnlyFiles { job, change }
    } else {
        return Ok(());
    };
    Err(RunError::new(errno::EROFS, kind))
}

fn writes(job: Job<'_>) -> bool {
    let pattern = job.load.access.pattern;
    pattern.writes || pattern.trims || job.load.verify.as_ref().is_some_and(|verify| verify.trims.is_some())
}

/// Returns what the job changes without writes.
fn change(job: Job<'_>) -> Option<FileChange> {
    let (targets, flags) = (&job.load.targets, EngineFlags::of(&job.engine));
    let changes = [
        (targets.unlink || targets.unlink_each_loop || flags.removes, FileChange::Removes),
        (flags.creates, FileChange::Creates),
        (flags.resizes, FileChange::Resizes),
    ];
    if let Some((_, change)) = changes.into_iter().find(|(is_made, _)| *is_made) {
        return Some(change);
    }
    match &job.engine {
        Engine::Net(net) if net.listens && net.protocol == NetProtocol::Unix => {
            Some(FileChange::Socket { path: net.host.clone().unwrap_or_default() })
        }
        _ => {
            let file = job.buffers.memory.file().filter(|path| keeps_data(Path::new(path)));
            file.map(|path| FileChange::BufferFile { path: path.to_owned() })
        }
    }
}

/// Whether the path leads to a file or device that exists and stores data. A new file for buffers is removed after the job.
fn keeps_data(path: &Path) -> bool {
    os::file::stat(path, StatCall::Stat).is_ok() && !os::device::is_without_storage(path)
}
