//! Runs the cases.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod attacks;
mod failures;
mod files;
mod interruptions;
mod page;
