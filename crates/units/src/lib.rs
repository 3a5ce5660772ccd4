//! Quantities and generators that every other crate may build on: no I/O, no clock.

pub mod random;
