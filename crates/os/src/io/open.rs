//! Opens the backend of a configuration.

use std::io;
use std::path::Path;

use super::backend::{Backend, BackendError};
use super::config::BackendConfig;
use super::mixed::Mixed;
use super::offload::Offload;
use super::passthrough::{PassthroughDevice, PassthroughProblem};
use super::remote::RemoteTarget;
use crate::memory::Buffers;
use crate::system::io::{engines, mmap::Mmap};
use ::io::DeviceCommands;

/// Opens a backend on `buffers`, whose slots are the operation slots. Call it on the thread that uses the backend.
///
/// # Errors
/// Returns what the kernel does not support or does not have enough of.
pub fn open_backend(config: &BackendConfig, buffers: &Buffers) -> Result<Box<dyn Backend>, BackendError> {
    check(config)?;
    let slots = buffers.slots();
    let backend = if config.offload { Box::new(Offload::open(config, slots)?) } else { engines::open(config, slots)? };
    if !config.maps_too {
        return Ok(backend);
    }
    Ok(Box::new(Mixed::new(backend, Mmap::new(config, buffers.slots()), config.files)))
}

/// Checks whether the kernel supports `config`, before any file is opened.
///
/// # Errors
/// Returns what the kernel does not support.
pub fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    check(config)?;
    engines::probe(config)
}

/// Connects to the server and looks at the targets. Nothing is changed.
///
/// # Errors
/// The library is missing, the server cannot be reached, or no job can do I/O on a target.
pub fn examine(config: &BackendConfig) -> Result<Vec<RemoteTarget>, BackendError> {
    engines::examine(config)
}

/// Looks at a device for the io_uring_cmd engine. Nothing is changed.
///
/// # Errors
/// The device does not accept the commands.
pub fn examine_device(path: &Path, commands: &DeviceCommands) -> Result<PassthroughDevice, PassthroughProblem> {
    engines::examine_device(path, commands)
}

/// Returns whether libpmem maps a file as persistent memory. For a folder, it maps a temporary file without a name in
/// it.
///
/// # Errors
/// Returns the error of loading the library or of mapping the file. An empty file cannot be mapped.
pub fn is_persistent(path: &Path) -> io::Result<bool> {
    engines::is_persistent(path)
}

fn check(config: &BackendConfig) -> Result<(), BackendError> {
    let refuse = |what: &str| Err(BackendError::new(config.engine, what));
    if config.depth == 0 {
        return refuse("the depth must be at least 1");
    }
    if config.hipri_percentage > 100 {
        return refuse("hipri_percentage must be at most 100");
    }
    if config.sqthread_poll_cpu.is_some() && !config.sqthread_poll {
        return refuse("sqthread_poll_cpu requires sqthread_poll");
    }
    Ok(())
}
