//! The workload model: everything that a dialect can request of the engine, as plain data.
//!
//! A plan must not know a text format, and does no I/O. Every quantity has its unit in its name. [`Echo`] has the options that a
//! report repeats.
//!
//! Start with [`Plan`] and [`Worker`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod access;
mod buffer;
mod command_priority;
mod ddir;
mod engine;
mod limit;
mod load;
mod measure;
mod origin;
mod plan;
mod precondition;
mod process;
mod replay;
mod slowdown;
mod steady_state;
pub mod stream;
mod target;
mod verify;
mod worker;
mod zoned;

pub use access::*;
pub use buffer::*;
pub use command_priority::{CommandPriorities, PriorityShare, PrioritySplit};
pub use ddir::*;
pub use engine::*;
pub use io::{
    Bsg, ByteCheck, CephPool, ClockSource, CommandLength, DataPlacement, DeviceCommands, Http, HttpServer, IoUring,
    MASK, Net, NetProtocol, NumaMemory, Nvme, NvmeProtection, NvmeWrite, NvmeWriteShare, Passthrough, PlacementKind,
    PlacementRange, PlacementSelect, Rbd, Remote, S3, Scsi, ScsiWrite, Secret, StatCall, Tls, WriteHint,
};
pub use limit::*;
pub use load::{Job, JobLoad, Load};
pub use measure::*;
pub use origin::*;
pub use plan::*;
pub use precondition::Precondition;
pub use process::*;
pub use replay::*;
pub use slowdown::Slowdown;
pub use steady_state::*;
pub use stream::{Stream, Streams};
pub use target::*;
pub use verify::*;
pub use worker::*;
pub use zoned::Zoned;
