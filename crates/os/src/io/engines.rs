//! The backend of each engine.

use super::backend::{Backend, BackendError};
use super::config::{BackendConfig, EngineKind};
use super::linux;
use super::null::Null;
use crate::memory::Slots;

/// Opens the backend of the engine, on the calling thread.
pub(super) fn open(config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
    Ok(match config.engine {
        EngineKind::Null => Box::new(Null::new(config, slots)),
        EngineKind::IoUring => Box::new(linux::uring::Uring::open(config, slots)?),
        EngineKind::Libaio => Box::new(linux::libaio::Libaio::open(config, slots)?),
        EngineKind::Mmap => Box::new(linux::mmap::Mmap::open(config, slots)?),
        EngineKind::Posixaio => Box::new(linux::posixaio::Posixaio::open(config, slots)),
        EngineKind::Falloc | EngineKind::Ftruncate => Box::new(linux::resize::Resize::open(config, slots)),
        EngineKind::Vsync => Box::new(linux::vsync::Vsync::open(config, slots)),
        EngineKind::Sync | EngineKind::Psync | EngineKind::Pvsync | EngineKind::Pvsync2 => {
            Box::new(linux::sync::Sync::open(config, slots))
        }
    })
}

/// Checks whether the kernel supports the engine.
pub(super) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    match config.engine {
        EngineKind::IoUring => linux::uring::probe(config),
        EngineKind::Libaio => linux::libaio::probe(config),
        EngineKind::Pvsync2 => linux::sync::probe_preadv2(config),
        EngineKind::Sync
        | EngineKind::Psync
        | EngineKind::Vsync
        | EngineKind::Pvsync
        | EngineKind::Mmap
        | EngineKind::Posixaio
        | EngineKind::Falloc
        | EngineKind::Ftruncate
        | EngineKind::Null => Ok(()),
    }
}
