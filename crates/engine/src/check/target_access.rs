//! What jobs do to their targets, for the check that no target in use is changed.

use std::path::Path;

use plan::{Engine, Job, Memory, Stream, Worker};
use record::RunError;
use targets::{Safety, TargetAccess};

use crate::engine_flags::EngineFlags;

/// Checks a target of a job.
pub(super) fn check(safety: &mut Safety, job: Job<'_>, path: &Path) -> Result<(), RunError> {
    if !has_targets(&job) {
        return Ok(());
    }
    let removes = removes(job);
    let is_replaceable = EngineFlags::of(&job.engine).metadata || removes;
    safety.check(path, &TargetAccess { removes, is_replaceable, ..access(&job, changes_bytes(job)) })
}

/// Checks the target of a stream.
pub(super) fn check_stream(safety: &mut Safety, worker: &Worker, stream: &Stream) -> Result<(), RunError> {
    let changes = stream.write_percent > 0 || stream.create.is_some();
    let is_replaceable = stream.is_created_elsewhere();
    safety.check(Path::new(&stream.path), &TargetAccess { is_replaceable, ..access(worker, changes) })
}

/// Checks the file behind the buffers of `mem=mmap:FILE`. It is written as the buffers are.
pub(super) fn check_buffer_file(safety: &mut Safety, worker: &Worker) -> Result<(), RunError> {
    match &worker.buffers.memory {
        Memory::Mmap { file: Some(file) }
        | Memory::MmapShared { file: Some(file) }
        | Memory::MmapHuge { file: Some(file) } => safety.check(Path::new(file), &access(worker, true)),
        _ => Ok(()),
    }
}

fn access(worker: &Worker, changes: bool) -> TargetAccess<'_> {
    let allows_mounted = worker.job().is_some_and(|job| job.load.targets.allow_mounted_write);
    TargetAccess { job: &worker.name, changes, removes: false, is_replaceable: false, allows_mounted }
}

/// Returns true if the engine does something with the job's targets.
pub(super) fn has_targets(worker: &Worker) -> bool {
    let flags = EngineFlags::of(&worker.engine);
    !flags.diskless || flags.metadata
}

/// The job may change what is in a target, or the space it takes.
fn changes_bytes(job: Job<'_>) -> bool {
    let pattern = job.load.access.pattern;
    let metadata = EngineFlags::of(&job.engine).metadata;
    !metadata && (pattern.writes || pattern.trims || matches!(job.engine, Engine::Falloc | Engine::Ftruncate))
}

/// The job removes targets.
fn removes(job: Job<'_>) -> bool {
    let targets = &job.load.targets;
    targets.unlink || targets.unlink_each_loop || job.engine == Engine::FileDelete
}
