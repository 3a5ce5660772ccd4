//! The operating system: I/O backends, buffers, clocks, files, devices, CPUs. Only this crate and `servers`
//! have `unsafe`.
//!
//! It offers safe functions and does not know plans or jobs. The public modules have what all systems share, and `system` is
//! the module of the one that is compiled for: `linux`, `windows`, or `elsewhere` for systems without an engine. Those have only
//! files, their devices and signals.
//!
//! It must not depend on plans. Start with `io/backend.rs`, then `linux/io/uring.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(
    all(target_os = "linux", not(test)),
    deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

#[cfg(any(target_os = "linux", windows))]
pub mod clock;
pub mod cloud;
#[cfg(any(target_os = "linux", windows))]
pub mod cpu;
pub mod device;
#[cfg(not(any(target_os = "linux", windows)))]
mod elsewhere;
pub mod errno;
pub mod file;
#[cfg(any(target_os = "linux", windows))]
pub mod io;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "linux", windows))]
pub mod memory;
mod mpi_error;
#[cfg(any(target_os = "linux", windows))]
pub mod platform;
#[cfg(any(target_os = "linux", windows))]
pub mod process;
#[cfg(any(target_os = "linux", windows))]
pub mod terminal;
#[cfg(unix)]
mod unix;
#[cfg(any(target_os = "linux", windows))]
pub mod waits;
#[cfg(windows)]
mod windows;

#[cfg(not(any(target_os = "linux", windows)))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(windows)]
use windows as system;

#[cfg(not(any(target_os = "linux", windows)))]
pub use elsewhere::process;
#[cfg(target_os = "linux")]
pub use linux::{library, wait};
pub use mpi_error::MpiError;
pub use system::signal;
#[cfg(any(target_os = "linux", windows))]
pub use system::{block_trace, cgroup, event, machine, mpi, standard_streams};
