//! Carries a plan out: checks it, prepares its targets, runs its workers and reports what happens as events.

pub mod access;
mod backend;
pub mod check;
pub mod content;
pub mod cpu_burn;
pub mod logs;
pub mod metadata;
pub mod prepare;

#[cfg(test)]
mod sample;
