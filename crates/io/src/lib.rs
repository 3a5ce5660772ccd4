//! Settings of engines, as plain types: commands of devices, servers, links, rings, mappings.
//!
//! A plan has them, and `os` uses them as they are. They must not know a job.
//! Start with [`Remote`] and [`Secret`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod mapping;
mod net;
mod passthrough;
mod ring;
mod scsi;
mod secret;
mod server;

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
