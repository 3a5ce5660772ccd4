//! Backends: they submit operations to the kernel and return completions.
//!
//! The interface is a slice of [`Op`]s and a vector of [`Completion`]s: a dynamic call costs once per batch and not
//! once per I/O. A backend stays on one worker thread.

mod backend;
#[cfg(test)]
pub(crate) mod block_tests;
mod config;
mod engines;
mod files;
mod linux;
mod mixed;
mod null;
mod offload;
mod op;
mod open;
#[cfg(test)]
mod tests;

pub(crate) use files::misuse;

pub use backend::{Backend, BackendError};
pub use config::{BackendConfig, EngineKind, Flush, Mapping};
pub use op::{Completion, Kind, Op};
pub use open::{open_backend, probe};
