//! Reports of sample records.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod advice;
mod browser;
mod charts;
mod digits;
mod disturbed;
mod documents;
mod junit;
mod pictures;
mod reasons;
#[path = "../sample/mod.rs"]
mod sample;
mod saved_values;
mod series;
mod undecided;
