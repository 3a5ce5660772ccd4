//! Targets on another machine.

use os::errno;
use os::io::{BackendConfig, EngineKind, RemoteConfig, RemoteServer, RemoteTarget};
use plan::{Engine, Remote, Worker};
use record::{CheckError, RunError};

use crate::fault;

/// Returns the configuration of the backend for `files` targets on `server`.
pub(crate) fn config(worker: &Worker, server: &Remote, files: u32) -> BackendConfig {
    let pattern = worker.access.pattern;
    let (engine, server) = match server {
        Remote::Nfs { url } => (EngineKind::Nfs, RemoteServer::Nfs { url: url.clone() }),
    };
    let remote = RemoteConfig {
        server,
        names: worker.targets.paths.clone(),
        writes: pattern.writes || pattern.trims,
        creates: worker.targets.create.allowed,
    };
    BackendConfig { remote: Some(Box::new(remote)), ..BackendConfig::new(engine, worker.depth.iodepth, files) }
}

/// Returns what the server of a worker reports of its targets. `None` if the targets are on this machine.
///
/// # Errors
/// The server cannot be reached, or no job can do I/O on a target.
pub(crate) fn examine(worker: &Worker) -> Result<Option<Vec<RemoteTarget>>, RunError> {
    let Engine::Remote(server) = &worker.engine else { return Ok(None) };
    let config = config(worker, server, worker.targets.paths.len() as u32);
    os::io::examine(&config).map(Some).map_err(|error| missing(&error))
}

/// Returns the error of an engine that this machine does not have, or whose server it cannot reach.
pub(crate) fn missing(error: &os::io::BackendError) -> RunError {
    let source = error.source.as_ref().map(fault::os_error);
    let errno = source.as_ref().map(|source| source.errno).filter(|errno| *errno != 0).unwrap_or(errno::EINVAL);
    let kind = CheckError::EngineMissing { engine: error.engine.to_string(), what: error.what.clone(), source };
    RunError::new(errno, kind)
}
