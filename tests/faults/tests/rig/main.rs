//! Runs the cases.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod attacks;
mod conditions;
mod failures;
mod files;
mod interruptions;
mod outputs;
mod page;
mod parallel;
mod removals;
