//! Back ends: how operations reach the kernel and how their results come back.
//!
//! The border is a slice of [`Op`]s one way and a vector of [`Completion`]s the other, so that a dynamic call is
//! paid for a batch and not for an I/O. A back end belongs to one worker thread from birth to death.

mod backend;
#[cfg(test)]
pub(crate) mod block_tests;
mod config;
mod files;
mod linux;
mod mixed;
mod null;
mod offload;
mod op;
#[cfg(test)]
mod tests;

pub(crate) use files::misuse;

pub use backend::{Backend, BackendError, open_backend, probe};
pub use config::{BackendConfig, EngineKind, Flush, Mapping};
pub use op::{Completion, Kind, Op};
