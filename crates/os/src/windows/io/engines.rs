//! The backend of each engine.

use std::io;
use std::path::Path;

use super::completion_port::CompletionPort;
use super::mmap::Mmap;
use super::sync::Sync;
use crate::io::{
    Backend, BackendConfig, BackendError, EngineKind, Null, PassthroughDevice, PassthroughProblem, executing,
};
use crate::memory::Slots;
use ::io::DeviceCommands;
use strum::IntoEnumIterator;

type Open = fn(&BackendConfig, Slots) -> Result<Box<dyn Backend>, BackendError>;

/// Returns the function that opens the backend of an engine; `None` for engines that Windows does not have.
fn opener(engine: EngineKind) -> Option<Open> {
    match engine {
        EngineKind::Null => Some(|config, _| Ok(Box::new(Null::new(config)))),
        EngineKind::Windowsaio => Some(|config, slots| Ok(Box::new(CompletionPort::open(config, slots)?))),
        EngineKind::Mmap => Some(|config, slots| Ok(executing(Mmap::new(config), config, slots))),
        EngineKind::Sync | EngineKind::Psync => Some(|config, slots| Ok(executing(Sync, config, slots))),
        _ => None,
    }
}

/// Opens the backend of the engine, on the calling thread.
pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
    let open = opener(config.engine).ok_or_else(|| missing(config.engine))?;
    open(config, slots)
}

/// Checks whether Windows has the engine.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    opener(config.engine).map(|_| ()).ok_or_else(|| missing(config.engine))
}

/// Looks at a device for the io_uring_cmd engine.
///
/// # Errors
/// Windows has no such device.
pub fn examine_device(_: &Path, _: &DeviceCommands) -> Result<PassthroughDevice, PassthroughProblem> {
    Err(PassthroughProblem::NotACharacterDevice)
}

/// Returns whether libpmem maps a file as persistent memory.
///
/// # Errors
/// Windows does not have the engine.
pub fn is_persistent(_: &Path) -> io::Result<bool> {
    Err(io::Error::other(missing(EngineKind::Libpmem)))
}

fn missing(engine: EngineKind) -> BackendError {
    let has = EngineKind::iter().filter(|kind| opener(*kind).is_some()).map(|kind| kind.to_string());
    let names = has.collect::<Vec<_>>().join(", ");
    BackendError::new(engine, format!("Windows does not have this engine (it has {names})"))
}
