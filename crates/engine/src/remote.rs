//! Targets on another machine.

use os::errno;
use os::io::{BackendConfig, EngineKind, RemoteConfig, RemoteTarget};
use plan::{Engine, Job, Remote};
use record::{CheckError, RunError, TargetError};
use targets::fault;

/// Returns the configuration of the backend for `files` targets on `server`.
pub(crate) fn config(job: Job<'_>, server: &Remote, files: u32) -> BackendConfig {
    let pattern = job.load.access.pattern;
    let engine = match server {
        Remote::Nfs { .. } => EngineKind::Nfs,
        Remote::Http(_) => EngineKind::Http,
        Remote::Nbd { .. } => EngineKind::Nbd,
        Remote::Iscsi { .. } => EngineKind::Libiscsi,
        Remote::Rbd(_) => EngineKind::Rbd,
        Remote::Rados { .. } => EngineKind::Rados,
    };
    let remote = RemoteConfig {
        server: server.clone(),
        names: job.load.targets.paths.clone(),
        writes: pattern.writes || pattern.trims,
        creates: job.load.targets.create.allowed,
        direct: job.load.targets.open.direct,
    };
    BackendConfig { remote: Some(Box::new(remote)), ..BackendConfig::new(engine, job.depth(), files) }
}

/// Refuses to change disks that other machines may use: a file system is on them, or clients are connected.
///
/// # Errors
/// There is such a sign of a use.
pub(crate) fn refuse_in_use(worker: Job<'_>, targets: &[RemoteTarget]) -> Result<(), RunError> {
    for (path, target) in worker.load.targets.paths.iter().zip(targets) {
        // The job may write to a file system that is mounted, but not to the disk of a running client.
        let contents = target.contents.filter(|_| !worker.load.targets.allow_mounted_write).map(str::to_owned);
        if contents.is_none() && target.clients.is_empty() {
            continue;
        }
        let kind = TargetError::RemoteInUse {
            job: worker.name.clone(),
            path: path.clone(),
            contents,
            clients: target.clients.clone(),
        };
        return Err(RunError::new(errno::EBUSY, kind));
    }
    Ok(())
}

/// Returns what the server of a worker reports of its targets. `None` if the targets are on this machine.
///
/// # Errors
/// The server cannot be reached, or no job can do I/O on a target.
pub(crate) fn examine(job: Job<'_>) -> Result<Option<Vec<RemoteTarget>>, RunError> {
    let Engine::Remote(server) = &job.engine else { return Ok(None) };
    let config = config(job, server, crate::number::index(job.load.targets.paths.len()));
    servers::examine(&config).map(Some).map_err(|error| missing(&error))
}

/// Returns the error of an engine that this machine does not have, or whose server it cannot reach.
pub(crate) fn missing(error: &os::io::BackendError) -> RunError {
    let source = error.source.as_ref().map(fault::os_error);
    let errno = source.as_ref().map(|source| source.errno).filter(|errno| *errno != 0).unwrap_or(errno::EINVAL);
    let kind = CheckError::EngineMissing { engine: error.engine.to_string(), what: error.what.clone(), source };
    RunError::new(errno, kind)
}
