//! The backend of each engine.

pub use super::passthrough::examine_device;
pub use super::pmem::is_persistent;
use crate::io::{Backend, BackendConfig, BackendError, EngineKind, Null, executing};
use crate::linux::io;
use crate::memory::Slots;

/// Opens the backend of the engine, on the calling thread.
pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
    log::debug!("engine {:?}, depth {}, files: {}", config.engine, config.depth, config.files);
    Ok(match config.engine {
        EngineKind::Null => Box::new(Null::new(config)),
        EngineKind::IoUring => Box::new(io::uring::Uring::open(config, slots)?),
        EngineKind::IoUringCmd => Box::new(io::passthrough::Passthrough::open(config, slots)?),
        EngineKind::Libaio => Box::new(io::libaio::Libaio::open(config, slots)?),
        EngineKind::Mmap => executing(io::mmap::Mmap::new(config), config, slots),
        EngineKind::Mtd => executing(io::mtd::Mtd::new(config), config, slots),
        EngineKind::Posixaio => Box::new(io::posixaio::Posixaio::open(config, slots)),
        EngineKind::Falloc | EngineKind::Ftruncate => executing(io::resize::Resize::new(config), config, slots),
        EngineKind::PageFault => executing(io::page_fault::PageFault::new(config)?, config, slots),
        EngineKind::E4defrag => executing(io::e4defrag::E4defrag::new(config), config, slots),
        EngineKind::Sg => executing(io::sg::Sg::new(config), config, slots),
        EngineKind::Splice => executing(io::splice::Splice::new(config)?, config, slots),
        EngineKind::Net => Box::new(io::net::Net::open(config, slots)?),
        EngineKind::Nfs
        | EngineKind::Http
        | EngineKind::Nbd
        | EngineKind::Libiscsi
        | EngineKind::Rbd
        | EngineKind::Rados => return Err(without_servers(config.engine)),
        EngineKind::Libpmem | EngineKind::DevDax => executing(io::pmem::Pmem::new(config)?, config, slots),
        EngineKind::Windowsaio => return Err(windowsaio_is_missing()),
        EngineKind::Vsync => Box::new(io::vsync::Vsync::open(config, slots)),
        EngineKind::Sync | EngineKind::Psync | EngineKind::Pvsync | EngineKind::Pvsync2 => {
            executing(io::sync::Sync::new(config), config, slots)
        }
    })
}

/// Checks whether the kernel supports the engine.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    match config.engine {
        EngineKind::IoUring => io::uring::probe(config),
        EngineKind::IoUringCmd => io::passthrough::probe(config),
        EngineKind::Libaio => io::libaio::probe(config),
        EngineKind::Pvsync2 => io::sync::probe_preadv2(config),
        EngineKind::Nfs
        | EngineKind::Http
        | EngineKind::Nbd
        | EngineKind::Libiscsi
        | EngineKind::Rbd
        | EngineKind::Rados => Err(without_servers(config.engine)),
        EngineKind::Libpmem | EngineKind::DevDax => io::pmem::API.of(config.engine).map(drop),
        EngineKind::Windowsaio => Err(windowsaio_is_missing()),
        EngineKind::Sync
        | EngineKind::Psync
        | EngineKind::Vsync
        | EngineKind::Pvsync
        | EngineKind::Mmap
        | EngineKind::Mtd
        | EngineKind::Posixaio
        | EngineKind::Falloc
        | EngineKind::Ftruncate
        | EngineKind::PageFault
        | EngineKind::E4defrag
        | EngineKind::Sg
        | EngineKind::Splice
        | EngineKind::Net
        | EngineKind::Null => Ok(()),
    }
}

fn windowsaio_is_missing() -> BackendError {
    BackendError::new(EngineKind::Windowsaio, "only Windows has this engine")
}

fn without_servers(engine: EngineKind) -> BackendError {
    BackendError::new(engine, "the kernel has no such engine")
}
