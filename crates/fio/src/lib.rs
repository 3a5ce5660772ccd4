//! fio's dialect.
//!
//! [`parse()`] parses command lines and job files, [`lower()`] returns the plan that the engine runs, and [`render`] prints
//! fio's reports. All use one table, [`options`], which `build.rs` makes of `options.toml`.
//!
//! Invariant: the crate does not access devices, and reads files only through [`parse::env::Env`].
//!
//! Start with `stages.rs`, then `lower/mod.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod check;
pub mod lower;
pub mod options;
pub mod parse;
pub mod render;
mod stages;
pub mod wording;

pub use iolog::samples::write_text as write_log_text;
pub use lower::lower;
pub use parse::{Invocation, Job, Request};
pub use stages::{parse, parse_with};
