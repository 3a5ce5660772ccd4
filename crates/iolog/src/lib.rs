//! Logs of I/Os: those of fio (versions 2 and 3), and the binary traces of blktrace. Also fio's compressed logs of
//! latencies ([`samples`]).
//!
//! [`Steps`] reads a log as it is replayed, [`summarize`] what a plan needs of it. No input makes them panic, and their
//! memory depends on the number of files, not on the length of the log.
//!
//! It must not open a file or read a clock: callers pass the bytes. Start with `steps.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod blktrace;
mod entry;
mod error;
mod files;
mod merge;
mod reader;
pub mod samples;
mod steps;
mod summary;
mod text;
pub mod write;

pub use blktrace::{BinaryLog, Record};
pub use entry::{Action, Entry, Found};
pub use error::{BadEntry, Ignored, LogError, Place};
pub use merge::{MergeError, MergeSource, merge};
pub use reader::Reader;
pub use steps::{Step, Steps};
pub use summary::{Summary, summarize};
