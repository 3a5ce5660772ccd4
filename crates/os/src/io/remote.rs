//! Engines whose targets are on another machine. Their libraries are loaded at run time.

use ::io::Remote;

/// Targets on another machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteConfig {
    pub server: Remote,
    /// Name of each target on the server.
    pub names: Vec<String>,
    /// The job changes its targets.
    pub writes: bool,
    /// Missing targets may be created.
    pub creates: bool,
    /// Bypasses the cache of the client.
    pub direct: bool,
}

/// What a server reports of a target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RemoteTarget {
    /// Size, if the server determines it.
    pub bytes: Option<u64>,
    /// What is on the disk, for jobs that write. Another machine may use it.
    pub contents: Option<&'static str>,
    /// Other clients that use the disk, for jobs that write.
    pub clients: Vec<String>,
}
