//! The machine: back ends for I/O, buffers, clocks, files, devices, CPUs. The only crate with `unsafe`.
//!
//! It knows nothing of plans or jobs: what it offers is a safe door to what the kernel does. Linux is the first
//! kernel; what is its own lies in `linux` folders or says so at its head.

pub mod clock;
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
