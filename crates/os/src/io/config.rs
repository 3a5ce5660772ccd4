//! Configuration of a backend.

use std::fmt;

use crate::file::Advice;

/// I/O engines, by fio's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    IoUring,
    Libaio,
    /// `lseek` and `read` or `write`.
    Sync,
    /// `pread`, `pwrite`.
    Psync,
    /// `lseek` and `readv` or `writev`, with adjacent operations in one call.
    Vsync,
    /// `preadv`, `pwritev`.
    Pvsync,
    /// `preadv2`, `pwritev2`.
    Pvsync2,
    Mmap,
    Posixaio,
    /// Overlapped I/O with a completion port (Windows).
    Windowsaio,
    /// `fallocate`: reads reserve space, writes extend the file, trims punch holes.
    Falloc,
    /// A write truncates the file at its offset.
    Ftruncate,
    /// Completes each operation at once without I/O: the overhead of the load generator itself.
    Null,
}

impl EngineKind {
    /// Returns fio's `ioengine` value.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::IoUring => "io_uring",
            EngineKind::Libaio => "libaio",
            EngineKind::Sync => "sync",
            EngineKind::Psync => "psync",
            EngineKind::Vsync => "vsync",
            EngineKind::Pvsync => "pvsync",
            EngineKind::Pvsync2 => "pvsync2",
            EngineKind::Mmap => "mmap",
            EngineKind::Posixaio => "posixaio",
            EngineKind::Windowsaio => "windowsaio",
            EngineKind::Falloc => "falloc",
            EngineKind::Ftruncate => "ftruncate",
            EngineKind::Null => "null",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Use of a mapped file, beyond copying.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mapping {
    /// Copies bypass the CPU caches (non-temporal stores).
    pub write_through: bool,
    /// Action after each write.
    pub flush: Option<Flush>,
}

/// How a write to mapped memory reaches the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// `msync(2)` of the pages, to the device.
    View,
    /// Writes the cache lines back and waits for them. On DAX this reaches the device (see
    /// [`is_dax`](crate::file::is_dax)), else only the page cache. CPUs without such instructions sync the pages.
    CacheLines,
    /// Writes the cache lines back without waiting.
    CacheLinesNoDrain,
}

/// A backend's configuration. The caller leaves fields that the engine does not use at their defaults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackendConfig {
    pub engine: EngineKind,
    /// Maximum number of operations in flight.
    pub depth: u32,
    /// Size of the file table. Indices of `attach` are below it.
    pub files: u32,
    /// A pool of threads submits the operations, with one thread per slot.
    pub offload: bool,

    /// Polled completions (io_uring: IOPOLL ring; pvsync2: `RWF_HIPRI`).
    pub hipri: bool,
    /// pvsync2: percentage of polled operations.
    pub hipri_percentage: u32,
    /// `RWF_NOWAIT` on reads and writes (io_uring, libaio, pvsync2).
    pub nowait: bool,
    /// `RWF_DONTCACHE` on reads and writes (io_uring, pvsync2).
    pub uncached: bool,
    /// `RWF_ATOMIC` on writes (io_uring, libaio, pvsync2).
    pub atomic: bool,

    /// io_uring: a kernel thread submits (SQPOLL).
    pub sqthread_poll: bool,
    pub sqthread_poll_cpu: Option<u32>,
    /// io_uring: registered buffers. `None` uses them if the kernel allows it.
    pub fixedbufs: Option<bool>,
    /// io_uring: registered files. `None` uses them if the kernel allows it.
    pub registerfiles: Option<bool>,
    /// io_uring: use READ and WRITE instead of READV and WRITEV.
    pub nonvectored: bool,
    /// io_uring: every n-th operation goes directly to a kernel worker (`IOSQE_ASYNC`). 0 means none.
    pub force_async: u32,

    /// libaio: reap from the mapped ring without a system call, if its layout is known.
    pub userspace_reap: bool,
    /// libaio: use PREADV and PWRITEV.
    pub libaio_vectored: bool,

    /// mmap: use transparent huge pages, and map privately as fio does.
    pub thp: bool,
    /// mmap: write back and drop each block after its transfer, as the closest to direct I/O.
    pub mmap_drop: bool,
    /// Files can also be mapped, beside those that the engine reads and writes (see `Backend::map`).
    pub maps_too: bool,
    /// mmap: access pattern for `madvise`.
    pub mmap_advice: Advice,

    /// Flags of `sync_file_range(2)`.
    pub sync_file_range: u32,
}

impl BackendConfig {
    /// Returns fio's defaults for `engine`.
    pub fn new(engine: EngineKind, depth: u32, files: u32) -> Self {
        BackendConfig {
            engine,
            depth,
            files,
            offload: false,
            hipri: false,
            hipri_percentage: 100,
            nowait: false,
            uncached: false,
            atomic: false,
            sqthread_poll: false,
            sqthread_poll_cpu: None,
            fixedbufs: None,
            registerfiles: None,
            nonvectored: true,
            force_async: 0,
            userspace_reap: true,
            libaio_vectored: false,
            thp: false,
            mmap_drop: false,
            maps_too: false,
            mmap_advice: Advice::Normal,
            sync_file_range: 0,
        }
    }
}
