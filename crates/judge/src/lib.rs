//! Findings, statistics and verdicts, computed from records and limits.
//!
//! Pure functions: no I/O, no clock, no wording.
//!
//! Start with `findings/mod.rs`, then `verdict/overall.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod applications;
mod change_points;
pub mod classes;
pub mod compare;
pub mod figures;
pub mod findings;
pub mod inference;
mod job_load;
pub mod limits;
pub mod nesting;
pub mod requirements;
#[cfg(test)]
mod series_samples;
pub mod single;
pub mod stats;
pub mod steady;
mod time_series;
mod undisturbed;
pub mod verdict;

pub use findings::disturbance;
pub use findings::findings;
pub use findings::late_ios::is_rate_missed;
pub use findings::levels::{Change, changes};
pub use findings::load_generator::{load_generator, load_generators};
pub use findings::unwritten::reads_only_written;
