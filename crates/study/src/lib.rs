//! Studies: sequences of runs, and the result of all runs of a study.
//!
//! A [`Study`] yields runs, takes their outcomes and ends as an assessment. Nothing here issues I/O, reads a clock or
//! renders.
//!
//! Start with [`Study`], then `single.rs`, the shortest one.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod axis;
mod error;
mod findings;
pub mod knee;
pub mod preconditioning;
pub mod quantity;
pub mod repeats;
pub mod replay;
pub mod rounds;
pub mod run;
#[cfg(test)]
mod sample;
pub mod single;
pub mod suite;
pub mod sweep;
pub mod time;
pub mod turns;
mod usage;

pub use axis::Axis;
pub use error::StudyError;
pub use replay::complete;
pub use run::{End, Outcome, PrepareCommand, Run, Session, Study, Work};
pub use turns::{Order, Turn};
