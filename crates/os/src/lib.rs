//! The operating system: I/O backends, buffers, clocks, files, devices, CPUs. Only this crate and `servers`
//! have `unsafe`.
//!
//! It offers safe functions and does not know plans or jobs. The public modules have what all systems share, and `system` is
//! the module of the one that is compiled for: `linux` or `windows`.
//!
//! It must not depend on plans. Start with `io/backend.rs`, then `linux/io/uring.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(
    all(target_os = "linux", not(test)),
    deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod clock;
pub mod cloud;
pub mod cpu;
pub mod device;
pub mod errno;
pub mod file;
pub mod io;
#[cfg(target_os = "linux")]
mod linux;
pub mod memory;
mod mpi_error;
pub mod platform;
pub mod process;
pub mod terminal;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(windows)]
use windows as system;

#[cfg(target_os = "linux")]
pub use linux::{library, wait};
pub use mpi_error::MpiError;
pub use system::{cgroup, event, machine, mpi, signal, standard_streams};
