//! The interface of a back end, and the door to all of them.

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

/// One worker's way to the kernel. It lives and dies on that worker's thread.
pub trait Backend {
    /// Makes file `index` usable in operations: registers it with the kernel where asked, maps it for mmap. The
    /// back end holds on to the descriptor, so it can't be closed and reused beneath an operation.
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()>;

    /// As [`attach`](Backend::attach), for a file that is to be mapped into memory: its operations are copies, run to
    /// their end by `submit`. Only the mmap engine and configurations with `maps_too` can do that.
    fn map(&mut self, _index: u32, _file: &File, _mapping: Mapping) -> io::Result<()> {
        Err(misuse("this back end maps no files"))
    }

    /// Ends the use of file `index`.
    fn detach(&mut self, index: u32) -> io::Result<()>;

    /// Hands operations to the kernel and says how many, from the first on, it took. 0: none now, reap first.
    /// Synchronous back ends run them here. An operation's result, good or bad, comes only through [`reap`].
    /// `Err` means that the back end or its use is broken: a slot or a file that doesn't exist, a slot in flight,
    /// more bytes than the slot has.
    ///
    /// [`reap`]: Backend::reap
    fn submit(&mut self, ops: &[Op]) -> io::Result<usize>;

    /// Appends completions to `out`, at most `max`: first whatever is there without a system call, then, while
    /// there are fewer than `min`, what the kernel has until `timeout` has passed. Never waits for more than is in
    /// flight. A signal doesn't end the wait.
    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()>;

    /// True where threads of the kernel run the operations on the CPUs that the caller may use, and no device
    /// is waited for.
    fn runs_on_kernel_workers(&self) -> bool {
        false
    }

    /// True where `submit` runs an operation to its end, so that one at a time is to be submitted and timed.
    fn is_synchronous(&self) -> bool;
}

/// Why a back end can't be had here.
#[derive(Debug)]
pub struct BackendError {
    pub engine: EngineKind,
    /// What is missing, in plain words.
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

/// Opens a back end over `buffers`: operation slots are its slots. To be called on the thread that will use it.
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

/// Opens the back end of the engine itself.
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

/// Says whether this kernel can do what `config` asks, before any file is touched.
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
        return refuse("a depth of 0 can't do any I/O");
    }
    if config.hipri_percentage > 100 {
        return refuse("hipri_percentage is at most 100");
    }
    if config.sqthread_poll_cpu.is_some() && !config.sqthread_poll {
        return refuse("sqthread_poll_cpu is of use with sqthread_poll only");
    }
    Ok(())
}
