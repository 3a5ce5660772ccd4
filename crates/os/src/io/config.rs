//! Configuration of a backend.

use ::io::{Net, Scsi};

use super::passthrough::PassthroughConfig;
use super::remote::RemoteConfig;
use crate::file::Advice;

/// I/O engines. They are displayed by fio's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumIter)]
#[strum(serialize_all = "lowercase")]
pub enum EngineKind {
    #[strum(serialize = "io_uring")]
    IoUring,
    /// NVMe or SCSI commands through a ring.
    #[strum(serialize = "io_uring_cmd")]
    IoUringCmd,
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
    /// Copies from and to anonymous memory, whose pages appear at their first use.
    #[strum(serialize = "page_fault")]
    PageFault,
    /// A write exchanges blocks with another file, the donor, on ext4. The donor is attached after the targets.
    E4defrag,
    /// SCSI commands by `SG_IO`.
    Sg,
    /// `splice` and `vmsplice` through a pipe.
    Splice,
    /// Sockets.
    Net,
    /// Files on an NFS server, by libnfs.
    Nfs,
    /// Objects of a WebDAV, S3 or Swift server, by libcurl.
    Http,
    /// A disk of an NBD server, by libnbd.
    Nbd,
    /// LUNs of iSCSI targets.
    Libiscsi,
    /// An image of a Ceph pool, by librbd.
    Rbd,
    /// Objects of a Ceph pool, by librados.
    Rados,
    /// Copies from and to files in persistent memory, by libpmem.
    Libpmem,
    /// Copies from and to a DAX device, by libpmem.
    #[strum(serialize = "dev-dax")]
    DevDax,
    /// Raw flash: trims erase.
    Mtd,
    /// Completes each operation at once without I/O: the overhead of the load generator itself.
    #[default]
    Null,
}

/// Options of writes to persistent memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PmemConfig {
    /// A write waits until its data is in the memory. Otherwise a sync waits for the writes before it.
    pub drains: bool,
    /// Whether writes bypass the CPU caches. `None`: the library chooses by their size.
    pub nontemporal: Option<bool>,
}

/// The link of the net engine, with the directions of the job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetConfig {
    pub link: Net,
    pub reads: bool,
    pub writes: bool,
    /// Bytes that the job writes. Writes before the last of them announce more data (`MSG_MORE`).
    pub total_bytes: u64,
    /// Datagrams have numbers, so that the receiver counts the lost ones.
    pub numbers_datagrams: bool,
}

/// A backend's configuration. The caller leaves fields that the engine does not use at their defaults.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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

    /// page_fault: size of the memory.
    pub memory_bytes: u64,

    /// e4defrag: the blocks of the donor are reserved and freed for each operation.
    pub in_place: bool,

    /// sg: the commands of reads and writes.
    pub scsi: Scsi,

    /// libpmem, dev-dax: how writes are made.
    pub pmem: PmemConfig,

    /// mtd: operations on erase blocks that are marked as bad fail without access to them.
    pub skips_bad_blocks: bool,

    /// io_uring_cmd: the commands.
    pub passthrough: Option<Box<PassthroughConfig>>,

    /// net: the link to the peer.
    pub net: Option<Box<NetConfig>>,

    /// Engines of other machines: the server and the targets.
    pub remote: Option<Box<RemoteConfig>>,

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
            hipri_percentage: 100,
            nonvectored: true,
            userspace_reap: true,
            ..BackendConfig::default()
        }
    }
}
