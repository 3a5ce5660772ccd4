//! What a back end is asked to be.

use std::fmt;

use crate::file::Advice;

/// The ways to reach the kernel, by fio's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    IoUring,
    Libaio,
    /// `lseek` and `read` or `write`.
    Sync,
    /// `pread`, `pwrite`.
    Psync,
    /// `lseek` and `readv` or `writev`, neighbouring operations in one call.
    Vsync,
    /// `preadv`, `pwritev`.
    Pvsync,
    /// `preadv2`, `pwritev2`.
    Pvsync2,
    Mmap,
    Posixaio,
    /// `fallocate`: reads reserve space, writes extend the file, trims punch holes.
    Falloc,
    /// A write cuts the file off at its offset.
    Ftruncate,
    /// Completes everything at once and touches nothing: the cost of the tool itself.
    Null,
}

impl EngineKind {
    /// fio's `ioengine` value.
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

/// How a mapped file is used, beyond copying.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mapping {
    /// Blocks are copied around the CPU's caches: written straight to the mapped memory, read straight to the
    /// buffer.
    pub write_through: bool,
    /// What follows each write.
    pub flush: Option<Flush>,
}

/// How a block that was written to mapped memory goes on from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flush {
    /// `msync(2)` of the block's pages: to the device.
    View,
    /// The block's cache lines are written back to memory, and waited for. That is the device where memory is the
    /// device (see [`is_dax`](crate::file::is_dax)), else the page cache only. CPUs without such instructions
    /// sync the pages.
    CacheLines,
    /// The same without waiting.
    CacheLinesNoDrain,
}

/// A back end's configuration. Fields that an engine has no use for are left at their default by the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackendConfig {
    pub engine: EngineKind,
    /// Most operations in flight at once.
    pub depth: u32,
    /// Size of the file table: `attach` takes indices below it.
    pub files: u32,
    /// Operations are submitted by threads of their own, one for each that may be in flight.
    pub offload: bool,

    /// Polled completions (io_uring: IOPOLL ring; pvsync2: `RWF_HIPRI`).
    pub hipri: bool,
    /// pvsync2: how many of a hundred operations are polled.
    pub hipri_percentage: u32,
    /// `RWF_NOWAIT` on reads and writes (io_uring, libaio, pvsync2).
    pub nowait: bool,
    /// `RWF_DONTCACHE` on reads and writes (io_uring, pvsync2).
    pub uncached: bool,
    /// `RWF_ATOMIC` on writes (io_uring, libaio, pvsync2).
    pub atomic: bool,

    /// io_uring: a kernel thread takes the submissions.
    pub sqthread_poll: bool,
    pub sqthread_poll_cpu: Option<u32>,
    /// io_uring: the buffers are mapped by the kernel once, at open; `None` is where it can be had.
    pub fixedbufs: Option<bool>,
    /// io_uring: the files are looked up by the kernel once, at attach; `None` is where it can be had.
    pub registerfiles: Option<bool>,
    /// io_uring: READ and WRITE, else READV and WRITEV.
    pub nonvectored: bool,
    /// io_uring: every so many-th operation goes straight to a kernel worker; 0 for none.
    pub force_async: u32,

    /// libaio: take completions from the mapped ring without a system call wherever the ring's layout is known.
    pub userspace_reap: bool,
    /// libaio: PREADV and PWRITEV.
    pub libaio_vectored: bool,

    /// mmap: ask for transparent huge pages (and map privately, as fio does).
    pub thp: bool,
    /// mmap: write back and drop each block after its transfer, the nearest thing to direct I/O.
    pub mmap_drop: bool,
    /// Files may be mapped, too, beside those that this engine reads and writes: see `Backend::map`.
    pub maps_too: bool,
    /// mmap: what the kernel is told of the order of access.
    pub mmap_advice: Advice,

    /// Flags of `sync_file_range(2)`.
    pub sync_file_range: u32,
}

impl BackendConfig {
    /// The defaults fio has for `engine`.
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

    /// The flags of `preadv2(2)` for reads and for writes.
    pub(crate) fn rw_flags(&self) -> (i32, i32) {
        let mut both = 0;
        if self.nowait {
            both |= libc::RWF_NOWAIT;
        }
        if self.uncached {
            both |= libc::RWF_DONTCACHE;
        }
        let write = if self.atomic { both | libc::RWF_ATOMIC } else { both };
        (both, write)
    }
}
