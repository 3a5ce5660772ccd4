//! Runs the cases.

mod failures;
mod files;
mod page;
