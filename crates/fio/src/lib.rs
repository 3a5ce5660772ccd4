//! fio's dialect: its command lines and job files in, its reports out; both ends meet in one table of options.
//!
//! Invariant: no device and no file is touched here, but for reading job files through `parse::env::Env`.

pub mod lower;
pub mod options;
pub mod parse;
pub mod render;

pub use lower::lower;
pub use parse::{Invocation, Job, Request, parse, parse_with};
