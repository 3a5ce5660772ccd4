//! Opens the backend of a configuration.

use super::backend::{Backend, BackendError};
use super::config::BackendConfig;
use super::execute::Executing;
use super::mixed::Mixed;
use super::offload::Offload;
use crate::memory::{Buffers, Slots};
use crate::system::io::{engines, mmap::Mmap};

/// Opens the backends of engines.
pub trait Engines: Sync {
    /// Checks whether the machine has what the engine needs, before any file is opened.
    ///
    /// # Errors
    /// Returns what the machine does not support.
    fn probe(&self, config: &BackendConfig) -> Result<(), BackendError>;

    /// Opens the backend of the engine on the calling thread. Threads that submit for it (`offload`) are not started here.
    ///
    /// # Errors
    /// Returns what the machine does not support or does not have enough of.
    fn open(&'static self, config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError>;
}

/// The engines of the kernel.
pub struct Kernel;

impl Engines for Kernel {
    fn probe(&self, config: &BackendConfig) -> Result<(), BackendError> {
        engines::probe(config)
    }

    fn open(&'static self, config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
        engines::open(config, slots)
    }
}

/// Opens a backend on `buffers`, whose slots are the operation slots. Call it on the thread that uses the backend.
///
/// # Errors
/// Returns what the machine does not support or does not have enough of.
pub(crate) fn open_backend(
    engines: &'static dyn Engines,
    config: &BackendConfig,
    buffers: &Buffers,
) -> Result<Box<dyn Backend>, BackendError> {
    check(config)?;
    let slots = buffers.slots();
    let backend =
        if config.offload { Box::new(Offload::open(engines, config, slots)?) } else { engines.open(config, slots)? };
    if !config.maps_too {
        return Ok(backend);
    }
    let mapped = Executing::new(Mmap::new(config), config, buffers.slots());
    Ok(Box::new(Mixed::new(backend, mapped, config.files)))
}

/// Checks settings that no engine has.
///
/// # Errors
/// Returns the wrong setting.
pub(crate) fn check(config: &BackendConfig) -> Result<(), BackendError> {
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
