//! Engines whose targets are on another machine. Their libraries are loaded at run time.

use super::backend::BackendError;
use super::config::BackendConfig;
use crate::system::io::engines;

/// Targets on another machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteConfig {
    pub server: RemoteServer,
    /// Name of each target on the server.
    pub names: Vec<String>,
    /// The job changes its targets.
    pub writes: bool,
    /// Missing targets may be created.
    pub creates: bool,
}

/// The server, with the options of its engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RemoteServer {
    /// A directory of an NFS server.
    Nfs {
        /// In the form of libnfs: `nfs://SERVER/PATH?ARGUMENT=VALUE`.
        url: String,
    },
}

/// What a server reports of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteTarget {
    /// Size, if the server determines it.
    pub bytes: Option<u64>,
}

/// Connects to the server and looks at the targets. Nothing is changed.
///
/// # Errors
/// The library is missing, the server cannot be reached, or no job can do I/O on a target.
pub fn examine(config: &BackendConfig) -> Result<Vec<RemoteTarget>, BackendError> {
    engines::examine(config)
}
