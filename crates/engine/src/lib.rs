//! Runs a plan: checks it, lays out the targets, runs the workers, and reports events.
//!
//! The engine prints nothing, and words nothing for people. An [`Observer`] receives its events, errors and messages as
//! data. A `record::Record` is their fold.
//!
//! It must not print or use names of options of a dialect. Start with [`run`], then `worker/io_loop`.

// Other systems have no engine: there, this crate is empty.
#![cfg(any(target_os = "linux", windows))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(not(test), deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss))]

pub mod access;
mod backend;
mod check;
mod command_priority;
pub mod content;
mod control_groups;
mod cpu_burn;
mod direct_io;
mod disks;
mod donor;
mod early_layout;
mod engine_flags;
mod entropy;
mod fault;
mod flash;
mod flow;
mod goal;
mod idleness;
mod intended;
mod interruptions;
mod layout;
pub mod live;
mod logs;
mod machine;
mod metadata;
mod new_files;
mod number;
mod overlap;
mod passthrough;
mod phase;
mod phase_setup;
mod pmem;
mod remote;
mod replay;
mod run;
mod sampler;
mod shared;
pub mod speed;
mod start_delay;
mod steady_state;
mod stop;
pub mod streams;
mod target;
mod target_facts;
mod target_locks;
mod thermometer;
mod timeline;
mod verify;
mod worker;
mod zones;

#[cfg(test)]
mod sample;

pub use goal::{Goal, Length};
pub use live::{Live, State};
pub use machine::describe as machine;
pub use run::{Observer, Refusal, RunOptions, Waiting, run};
pub use servers::MACHINE;
pub use stop::{StopKind, StopRequest};
