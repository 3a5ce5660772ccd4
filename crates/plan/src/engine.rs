//! How I/O reaches the kernel.

use io::{IoUring, Net, Passthrough, Remote, Scsi, StatCall};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// An I/O engine with its own options.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum Engine {
    #[strum(serialize = "io_uring")]
    IoUring(IoUring),
    /// NVMe or SCSI commands through a ring.
    #[strum(serialize = "io_uring_cmd")]
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
    #[strum(serialize = "cpuio")]
    Cpu {
        load_percent: u32,
        chunk_us: u64,
        sorts: bool,
        exit_on_io_done: bool,
    },
    /// Runs a program; does no I/O.
    Exec(Exec),
    /// Copies from and to anonymous memory of the job's size.
    #[strum(serialize = "page_fault")]
    PageFault,
    /// Copies from and to files in persistent memory, by libpmem.
    Libpmem,
    /// Copies from and to a DAX device, by libpmem.
    #[strum(serialize = "dev-dax")]
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
    /// Returns the usual name of the interface, which fio has, too.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Net(net) if net.splices => "netsplice",
            Engine::Remote(remote) => remote.engine_name(),
            engine => engine.into(),
        }
    }

    /// Whether the worker issues I/Os.
    pub fn does_io(&self) -> bool {
        self.properties().does_io
    }

    /// Whether a call does an I/O and returns at its end.
    pub fn is_synchronous(&self) -> bool {
        self.properties().is_synchronous
    }

    /// Whether each I/O is complete when its submission returns, as nothing is done for it.
    pub fn completes_at_once(&self) -> bool {
        self.properties().completes_at_once
    }

    /// Whether the I/Os bypass the page cache without `O_DIRECT`, too: commands to a device, persistent memory, raw flash.
    pub fn bypasses_page_cache(&self) -> bool {
        self.properties().bypasses_page_cache
    }

    /// Whether an asynchronous engine does trims in the submission, as they are system calls.
    pub fn trims_in_submission(&self) -> bool {
        self.properties().trims_in_submission
    }

    /// Whether the engine's I/Os read or write data of a target.
    pub fn moves_data(&self) -> bool {
        self.properties().moves_data
    }

    /// Whether the counters of the target's disk include the I/Os.
    pub fn is_counted_by_disk(&self) -> bool {
        self.properties().is_counted_by_disk
    }

    /// Creates, examines or removes files or directories. Transfers no data.
    pub fn works_on_names(&self) -> bool {
        self.properties().works_on_names
    }

    fn properties(&self) -> Properties {
        let transfer = Properties {
            does_io: true,
            is_synchronous: true,
            completes_at_once: false,
            bypasses_page_cache: false,
            trims_in_submission: false,
            moves_data: true,
            is_counted_by_disk: true,
            works_on_names: false,
        };
        let queued = Properties { is_synchronous: false, ..transfer };
        let without_data = Properties { moves_data: false, is_counted_by_disk: false, ..transfer };
        match self {
            Engine::Sync
            | Engine::Psync
            | Engine::Vsync
            | Engine::Pvsync
            | Engine::Pvsync2 { .. }
            | Engine::Mmap { .. }
            | Engine::Splice => transfer,
            Engine::IoUring(_) | Engine::Windowsaio => queued,
            Engine::Libaio { .. } | Engine::Posixaio => Properties { trims_in_submission: true, ..queued },
            Engine::IoUringCmd(_) => Properties { bypasses_page_cache: true, ..queued },
            Engine::Sg(_) => Properties { bypasses_page_cache: true, ..transfer },
            // The CPU copies to and from persistent memory, and raw flash is no disk.
            Engine::Libpmem | Engine::DevDax | Engine::Mtd { .. } => {
                Properties { bypasses_page_cache: true, is_counted_by_disk: false, ..transfer }
            }
            Engine::Null => Properties { is_synchronous: false, completes_at_once: true, ..without_data },
            Engine::Remote(remote) => Properties { is_synchronous: !remote.is_asynchronous(), ..without_data },
            Engine::PageFault | Engine::Net(_) | Engine::E4defrag { .. } | Engine::Falloc | Engine::Ftruncate => {
                without_data
            }
            Engine::FileCreate
            | Engine::FileStat(_)
            | Engine::FileDelete
            | Engine::DirCreate
            | Engine::DirStat(_)
            | Engine::DirDelete => Properties { works_on_names: true, completes_at_once: true, ..without_data },
            Engine::Cpu { .. } | Engine::Exec(_) => Properties { does_io: false, ..without_data },
        }
    }
}

/// The methods of [`Engine`] describe them.
struct Properties {
    does_io: bool,
    is_synchronous: bool,
    completes_at_once: bool,
    bypasses_page_cache: bool,
    trims_in_submission: bool,
    moves_data: bool,
    is_counted_by_disk: bool,
    works_on_names: bool,
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

/// How the queue is filled: batches of submissions and completions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Batches {
    /// The queue is refilled when the I/Os in flight fall to this number. `None`: each I/O is replaced as it completes.
    pub low: Option<u32>,
    /// I/Os per submission. `None` is automatic.
    pub submit: Option<u32>,
    /// Completions to wait for. `None` is automatic, 0 never waits.
    pub complete_min: Option<u32>,
    pub complete_max: Option<u32>,
    /// I/Os start at their intended start, also if the queue is full (`io_submit_mode=offload`).
    pub offload: bool,
    /// An I/O waits until no other on the same bytes is in flight.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serializes_overlaps: bool,
}
