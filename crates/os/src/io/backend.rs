//! The interface of a backend, and how to open one.

use std::fmt;
use std::io;
use std::time::Duration;

use super::config::{BackendConfig, EngineKind, Mapping};
use super::files::misuse;
use super::linux;
use super::mixed::Mixed;
use super::null::Null;
use super::offload::Offload;
use super::op::{Completion, Op};
use crate::file::File;
use crate::memory::{Buffers, Slots};

/// A worker's interface to the kernel. It stays on that worker's thread.
pub trait Backend {
    /// Makes file `index` usable in operations: registers or maps it if the engine does that. The backend keeps the
    /// descriptor open, so its number cannot be reused during an operation.
    ///
    /// # Errors
    /// Returns `InvalidInput` if `index` is beyond the file table, otherwise the error of the system call.
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()>;

    /// Attaches a file that is mapped into memory. Its operations are copies, and `submit` completes them. Only the
    /// mmap engine and configurations with `maps_too` support this.
    ///
    /// # Errors
    /// Returns `InvalidInput` if the backend cannot map files or `index` is beyond the file table, otherwise the error
    /// of the system call.
    fn map(&mut self, _index: u32, _file: &File, _mapping: Mapping) -> io::Result<()> {
        Err(misuse("this backend cannot map files"))
    }

    /// Ends the use of file `index`.
    ///
    /// # Errors
    /// Returns `InvalidInput` if no file is attached at `index` or it has operations in flight, otherwise the error of
    /// the system call.
    fn detach(&mut self, index: u32) -> io::Result<()>;

    /// Submits operations and returns how many, from the first on. 0 means that none fit now: reap first. Synchronous
    /// backends complete them here. The result of an operation, also an error, comes only through [`reap`].
    ///
    /// [`reap`]: Backend::reap
    ///
    /// # Errors
    /// Returns an error for misuse: a slot or file that does not exist, a slot in flight, more bytes than the slot has.
    /// Returns the error of the system call if the backend is broken.
    fn submit(&mut self, ops: &[Op]) -> io::Result<usize>;

    /// Appends at most `max` completions to `out`. Takes those that need no system call first. If these are fewer than
    /// `min`, it waits for the rest for at most `timeout`. It never waits for more than are in flight. A signal does
    /// not end the wait.
    ///
    /// # Errors
    /// Returns an error if the backend is broken.
    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()>;

    /// Returns whether kernel worker threads run the operations on the CPUs of the caller, without waiting for a
    /// device.
    fn runs_on_kernel_workers(&self) -> bool {
        false
    }

    /// Returns whether `submit` completes its operations. Operations are then submitted and timed one by one.
    fn is_synchronous(&self) -> bool;
}

/// Reason why a backend cannot be opened.
#[derive(Debug)]
pub struct BackendError {
    pub engine: EngineKind,
    /// What is missing.
    pub what: String,
    pub source: Option<io::Error>,
}

impl BackendError {
    pub(crate) fn new(engine: EngineKind, what: impl Into<String>) -> Self {
        BackendError { engine, what: what.into(), source: None }
    }

    pub(crate) fn caused(engine: EngineKind, what: impl Into<String>, source: io::Error) -> Self {
        BackendError { engine, what: what.into(), source: Some(source) }
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ioengine={}: {}", self.engine, self.what)?;
        match &self.source {
            Some(source) => write!(f, " ({})", crate::errno::reason(source)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for BackendError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// Opens a backend on `buffers`, whose slots are the operation slots. Call it on the thread that uses the backend.
///
/// # Errors
/// Returns what the kernel does not support or does not have enough of.
pub fn open_backend(config: &BackendConfig, buffers: &Buffers) -> Result<Box<dyn Backend>, BackendError> {
    check(config)?;
    let slots = buffers.slots();
    let backend = if config.offload { Box::new(Offload::open(config, slots)?) } else { open_over(config, slots)? };
    if !config.maps_too {
        return Ok(backend);
    }
    let mapped = linux::mmap::Mmap::open(config, buffers.slots())?;
    Ok(Box::new(Mixed::new(backend, mapped, config.files)))
}

/// Opens the backend of the engine itself.
pub(super) fn open_over(config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
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

/// Checks whether the kernel supports `config`, before any file is opened.
///
/// # Errors
/// Returns what the kernel does not support.
pub fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    check(config)?;
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
