//! The operating system: I/O backends, buffers, clocks, files, devices, CPUs. The only crate with `unsafe`.
//!
//! It offers safe functions and does not know plans or jobs. Code for Linux only is in `linux` folders, or its module
//! documentation names Linux.

pub mod clock;
pub mod cloud;
pub mod cpu;
pub mod device;
pub mod errno;
pub mod event;
pub mod file;
pub mod io;
pub mod machine;
pub mod memory;
pub mod platform;
pub mod process;
pub mod signal;
#[doc(hidden)]
pub mod simulation;
pub mod standard_streams;
pub mod terminal;
