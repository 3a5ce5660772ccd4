//! Quantities, generators and diagnostics that every other crate may build on: no I/O, no clock.

pub mod calendar;
pub mod diagnostic;
pub mod errno;
pub mod format;
pub mod markup;
pub mod nearest;
pub mod quantity;
pub mod random;
pub mod shell;
