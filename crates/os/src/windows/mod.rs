//! Windows.

pub mod block_trace;
pub mod cgroup;
pub(crate) mod clock;
pub(crate) mod cpu;
pub(crate) mod device;
pub(crate) mod errno;
pub mod event;
pub(crate) mod file;
mod handle;
pub(crate) mod io;
pub mod machine;
pub(crate) mod memory;
pub mod mpi;
pub(crate) mod process;
mod registry;
pub mod signal;
pub mod standard_streams;
pub(crate) mod terminal;
pub mod waits;
