//! Quantities, formats and diagnostics for all other crates.
//!
//! It must not do I/O or read a clock. Start with `diagnostic.rs` and `quantity`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod calendar;
pub mod diagnostic;
pub mod diagnostics;
pub mod errno;
pub mod format;
pub mod lookalike;
pub mod markup;
pub mod nearest;
pub mod number;
pub mod order;
pub mod quantity;
pub mod shell;
pub mod system;
pub mod untrusted;
pub mod when;
