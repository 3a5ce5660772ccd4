//! How I/O reaches the kernel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::passthrough::Passthrough;
use crate::remote::Remote;

/// An I/O engine with its own options.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    IoUring(IoUring),
    /// NVMe or SCSI commands through a ring.
    IoUringCmd(Passthrough),
    Libaio {
        userspace_reap: bool,
        nowait: bool,
        /// Vectored reads and writes.
        #[serde(default)]
        vectored: bool,
    },
    Sync,
    #[default]
    Psync,
    Vsync,
    Pvsync,
    Pvsync2 {
        hipri: bool,
        hipri_percent: u32,
        nowait: bool,
        uncached: bool,
    },
    Mmap {
        thp: bool,
    },
    Posixaio,
    /// Each write exchanges blocks with the donor, a file on the same ext4 file system.
    E4defrag {
        /// Path of the donor.
        donor: String,
        /// The blocks of the donor are reserved and freed for each write.
        in_place: bool,
    },
    /// SCSI commands.
    Sg(Scsi),
    /// `splice` and `vmsplice` through a pipe.
    Splice,
    /// Overlapped I/O with a completion port.
    Windowsaio,
    Null,
    /// Burns CPU time; does no I/O.
    Cpu {
        load_percent: u32,
        chunk_us: u64,
        sorts: bool,
        exit_on_io_done: bool,
    },
    /// Runs a program; does no I/O.
    Exec(Exec),
    /// Copies from and to anonymous memory of the job's size.
    PageFault,
    /// Copies from and to files in persistent memory, by libpmem.
    Libpmem,
    /// Copies from and to a DAX device, by libpmem.
    DevDax,
    /// Raw flash.
    Mtd {
        /// I/Os on blocks that are marked as bad fail without access to them.
        skips_bad_blocks: bool,
    },
    /// Transfers to and from a peer.
    Net(Net),
    /// Targets on another machine.
    Remote(Remote),
    FileCreate,
    FileStat(StatCall),
    FileDelete,
    DirCreate,
    DirStat(StatCall),
    DirDelete,
    Ftruncate,
    Falloc,
}

impl Engine {
    /// Whether the I/Os bypass the page cache without `O_DIRECT`, too: commands to a device, persistent memory, raw flash.
    pub fn bypasses_page_cache(&self) -> bool {
        matches!(self, Engine::Sg(_) | Engine::IoUringCmd(_) | Engine::Libpmem | Engine::DevDax | Engine::Mtd { .. })
    }

    /// Whether an asynchronous engine does trims in the submission, as they are system calls.
    pub fn trims_in_submission(&self) -> bool {
        matches!(self, Engine::Libaio { .. } | Engine::Posixaio)
    }

    /// Whether the engine's I/Os read or write data of a target.
    pub fn moves_data(&self) -> bool {
        match self {
            Engine::IoUring(_)
            | Engine::IoUringCmd(_)
            | Engine::Libaio { .. }
            | Engine::Sync
            | Engine::Psync
            | Engine::Vsync
            | Engine::Pvsync
            | Engine::Pvsync2 { .. }
            | Engine::Posixaio
            | Engine::Sg(_)
            | Engine::Splice
            | Engine::Windowsaio
            | Engine::Libpmem
            | Engine::DevDax
            | Engine::Mtd { .. }
            | Engine::Mmap { .. } => true,
            Engine::Null
            | Engine::Cpu { .. }
            | Engine::Exec(_)
            | Engine::PageFault
            | Engine::Net(_)
            | Engine::Remote(_)
            | Engine::E4defrag { .. }
            | Engine::Falloc
            | Engine::Ftruncate => false,
            Engine::FileCreate
            | Engine::FileStat(_)
            | Engine::FileDelete
            | Engine::DirCreate
            | Engine::DirStat(_)
            | Engine::DirDelete => false,
        }
    }

    /// Creates, examines or removes files or directories. Transfers no data.
    pub fn works_on_names(&self) -> bool {
        matches!(
            self,
            Engine::FileCreate
                | Engine::FileStat(_)
                | Engine::FileDelete
                | Engine::DirCreate
                | Engine::DirStat(_)
                | Engine::DirDelete
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct IoUring {
    pub hipri: bool,
    pub sqthread_poll: bool,
    pub sqthread_poll_cpu: Option<u32>,
    /// Registered buffers and files; `None`: the engine decides.
    pub fixed_buffers: Option<bool>,
    pub register_files: Option<bool>,
    pub nonvectored: bool,
    /// Each n-th request is punted to a kernel worker; 0 is none.
    pub force_async_every: u32,
    pub nowait: bool,
    pub uncached: bool,
}

/// SCSI commands of reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Scsi {
    pub hipri: bool,
    /// Reads access the medium (FUA).
    pub read_fua: bool,
    /// Writes access the medium (FUA).
    pub write_fua: bool,
    pub write: ScsiWrite,
}

/// Command of a write to a SCSI device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScsiWrite {
    #[default]
    Write,
    WriteAndVerify,
    /// One block of data, written to each block of the range.
    WriteSame,
    WriteSameWithoutData,
    WriteStream {
        /// Number of the stream.
        id: u16,
    },
    /// The device reads the range and compares nothing.
    VerifyMedium,
    /// The device compares the range with the data.
    VerifyData,
    /// The device compares each block of the range with one block of data.
    VerifyBlock,
}

/// A link to a peer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Net {
    pub protocol: NetProtocol,
    /// Host of the peer, multicast group, path of the UNIX socket, or context identifier of the virtual machine.
    pub host: Option<String>,
    /// Port of the peer, or the port to listen at.
    pub port: u32,
    /// Waits for the peer instead of connecting to it.
    pub listens: bool,
    /// Each transfer is answered by one of the same length.
    pub pingpong: bool,
    /// Small packets are sent without delay.
    pub no_delay: bool,
    /// Address of the interface for multicast.
    pub interface: Option<String>,
    /// Hops of multicast.
    pub ttl: u32,
    /// Size of the socket's buffer. 0 is the system's.
    pub window_bytes: u32,
    /// Segment size of TCP. 0 is the system's.
    pub mss_bytes: u32,
    /// Transfers by `splice`.
    pub splices: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetProtocol {
    #[default]
    Tcp,
    TcpV6,
    Udp,
    UdpV6,
    Unix,
    Vsock,
}

impl NetProtocol {
    pub fn is_tcp(self) -> bool {
        matches!(self, NetProtocol::Tcp | NetProtocol::TcpV6)
    }
}

/// The program of a worker that does no I/O.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Exec {
    /// Path or name of the program.
    pub program: String,
    /// Separated by blanks. `%r` is the runtime in seconds, `%n` the name of the job.
    pub arguments: Option<String>,
    /// Time in seconds between SIGTERM and SIGKILL.
    pub grace_time_s: u32,
    /// The output goes to files named after the job.
    pub saves_output: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatCall {
    #[default]
    Stat,
    Lstat,
    Statx,
}

/// The number of I/Os in flight, and the batches of submissions and completions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Depth {
    pub iodepth: u32,
    /// The queue is refilled when the I/Os in flight fall to this number.
    pub low: u32,
    /// I/Os per submission. `None` is automatic.
    pub batch_submit: Option<u32>,
    /// Completions to wait for. `None` is automatic, 0 never waits.
    pub complete_min: Option<u32>,
    pub complete_max: Option<u32>,
    /// I/Os start at their intended start, also if the queue is full (`io_submit_mode=offload`).
    pub offload: bool,
    /// An I/O waits until no other on the same bytes is in flight.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serializes_overlaps: bool,
}

impl Depth {
    /// Returns a depth of `iodepth` with automatic batches. Each I/O is replaced as it completes.
    pub fn of(iodepth: u32) -> Self {
        Depth {
            iodepth,
            low: iodepth,
            batch_submit: None,
            complete_min: None,
            complete_max: None,
            offload: false,
            serializes_overlaps: false,
        }
    }
}
