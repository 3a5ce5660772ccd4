//! The backend of each engine.

use std::io;
use std::path::Path;

use super::completion_port::CompletionPort;
use super::mmap::Mmap;
use super::sync::Sync;
use crate::io::{Backend, BackendConfig, BackendError, EngineKind, Null, PassthroughDevice, PassthroughProblem};
use crate::memory::Slots;
use ::io::DeviceCommands;

/// Opens the backend of the engine, on the calling thread.
pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
    Ok(match config.engine {
        EngineKind::Null => Box::new(Null::new(config)),
        EngineKind::Windowsaio => Box::new(CompletionPort::open(config, slots)?),
        EngineKind::Mmap => Box::new(Mmap::new(config, slots)),
        EngineKind::Sync | EngineKind::Psync => Box::new(Sync::open(config, slots)),
        other => return Err(missing(other)),
    })
}

/// Checks whether Windows has the engine.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    match config.engine {
        EngineKind::Null | EngineKind::Windowsaio | EngineKind::Mmap | EngineKind::Sync | EngineKind::Psync => Ok(()),
        other => Err(missing(other)),
    }
}

/// Looks at a device that is to get commands. Windows has none.
pub(crate) fn examine_device(_: &Path, _: &DeviceCommands) -> Result<PassthroughDevice, PassthroughProblem> {
    Err(PassthroughProblem::NotACharacterDevice)
}

/// Returns an error: Windows does not have the engine.
pub(crate) fn is_persistent(_: &Path) -> io::Result<bool> {
    Err(io::Error::other(missing(EngineKind::Libpmem)))
}

fn missing(engine: EngineKind) -> BackendError {
    BackendError::new(engine, "Windows does not have this engine (it has windowsaio, sync, psync, mmap and null)")
}
