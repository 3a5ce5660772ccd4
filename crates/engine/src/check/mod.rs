//! Checks before anything is changed. A plan that passes may be laid out.
//!
//! Invariant: nothing here writes, creates or changes anything.

mod aside;
mod engine;
mod lease;
mod memory;
mod plan_check;
mod reach;
mod readonly;
mod safety;
mod scheduler;
mod streams;
#[cfg(test)]
mod tests;

pub use aside::check_aside;
pub use lease::{Lease, has_leased_targets};
