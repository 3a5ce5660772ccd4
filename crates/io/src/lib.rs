//! Plain types that plans or records share with the kernel's interfaces: settings of engines (commands of devices, servers,
//! links, rings, mappings), uses of targets, the state and the counters of disks, settings of files and
//! threads, and parts of a machine.
//!
//! `os` uses them as they are. They must not know a job.
//! Start with [`Remote`] and [`Secret`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod disk_counters;
mod health;
mod machine;
mod mapping;
mod net;
mod passthrough;
mod ring;
mod scsi;
mod secret;
mod server;
mod settings;
mod stat_call;
mod target_use;

pub use disk_counters::DiskCounters;
pub use health::{
    DiskHealth, DiskWarning, FormatPerformance, IdleState, LbaFormat, NvmeHealth, NvmeSetup, PcieLink, ScsiHealth,
    Throttle, VolatileWriteCache, WriteCache,
};
pub use machine::{Cloud, Cpu, MemoryLimit};
pub use mapping::{Flush, Mapping};
pub use net::{Net, NetProtocol};
pub use passthrough::{
    Bsg, ByteCheck, CommandLength, DataPlacement, DeviceCommands, Nvme, NvmeProtection, NvmeWrite, NvmeWriteShare,
    Passthrough, PlacementKind, PlacementRange, PlacementSelect,
};
pub use ring::IoUring;
pub use scsi::{Scsi, ScsiWrite};
pub use secret::{MASK, Secret};
pub use server::{CephPool, Http, HttpServer, Rbd, Remote, S3, Tls};
pub use settings::{ClockSource, NumaMemory, WriteHint};
pub use stat_call::StatCall;
pub use target_use::{TargetUse, UseKind, UsedDevice};
