//! Reports of sample records.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod browser;
mod documents;
#[path = "../sample/mod.rs"]
mod sample;
