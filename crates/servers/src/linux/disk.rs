//! Disks of other machines: their size, and signs of a use.

use os::device::{RemoteDisk, contents};
use os::io::{BackendConfig, BackendError, RemoteTarget};

/// Returns the size of a disk, and for a job that writes its contents. `clients` are those that the server reports.
pub(crate) fn disk(
    config: &BackendConfig,
    disk: &impl RemoteDisk,
    writes: bool,
    clients: Vec<String>,
) -> Result<RemoteTarget, BackendError> {
    let bytes = disk.bytes();
    if bytes == 0 {
        return Err(BackendError::new(config.engine, "the disk of the server has no size"));
    }
    let found = if writes { contents(disk) } else { Ok(None) };
    let contents = found.map_err(|error| BackendError::caused(config.engine, "the disk cannot be read", error))?;
    Ok(RemoteTarget { bytes: Some(bytes), contents, clients })
}
