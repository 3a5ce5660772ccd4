//! Checks before anything is changed. A plan that passes may be laid out.
//!
//! Invariant: nothing here writes, creates or changes anything.

mod again;
mod aside;
mod engine;
mod memory;
mod outputs;
mod plan_check;
mod reach;
mod readonly;
mod scheduler;
mod streams;
mod target_access;
#[cfg(test)]
mod tests;

pub use again::{check_late, check_phase, has_leased_targets, with_command};
pub use aside::check_aside;
pub(crate) use memory::check_growth;
