//! Clients of storage servers: HTTP (S3, Swift, WebDAV), NFS, NBD, iSCSI and Ceph. Their libraries are loaded at run time.
//!
//! [`MACHINE`] is the platform that has these engines beside the kernel's. Only Linux has them.
//!
//! It must not know jobs. It has `unsafe` blocks, as `os` has, because the libraries are C. Start with `linux/mod.rs`, then
//! `linux/service.rs` and `linux/nbd.rs`.

// Other systems have no engine: there, this crate is empty.
#![cfg(any(target_os = "linux", windows))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(
    all(target_os = "linux", not(test)),
    deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

#[cfg(target_os = "linux")]
mod linux;

use os::io::{BackendConfig, BackendError, RemoteTarget};
use os::platform::Platform;

/// The real machine, with the engines of the kernel and of servers.
#[cfg(target_os = "linux")]
pub const MACHINE: Platform = Platform::with_engines(&linux::AllEngines);
#[cfg(not(target_os = "linux"))]
pub const MACHINE: Platform = Platform::MACHINE;

/// Connects to the server and looks at the targets. Nothing is changed.
///
/// # Errors
/// The library is missing, the server cannot be reached, or no job can do I/O on a target.
pub fn examine(config: &BackendConfig) -> Result<Vec<RemoteTarget>, BackendError> {
    match &config.remote {
        #[cfg(target_os = "linux")]
        Some(remote) => linux::examine(config, remote),
        _ => Err(BackendError::new(config.engine, "this is not an engine of a server")),
    }
}
