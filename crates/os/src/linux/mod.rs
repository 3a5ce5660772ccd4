//! Linux.

pub mod block_trace;
mod c_string;
pub mod cgroup;
pub(crate) mod clock;
pub(crate) mod cpu;
pub(crate) mod device;
pub(crate) mod errno;
pub mod event;
pub(crate) mod file;
pub(crate) mod io;
pub mod library;
pub mod machine;
pub(crate) mod memory;
pub mod mpi;
pub(crate) mod number;
pub(crate) mod process;
pub mod signal;
pub mod standard_streams;
pub(crate) mod terminal;
pub mod wait;
pub mod waits;
