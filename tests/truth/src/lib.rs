//! Things whose answer is known, and the real binary's reports about them. The tests beside this library hold the one
//! against the other; `docs/truth.md` says what is checked and how closely.
//!
//! Runs of the binary have real-time priority where that is allowed: the figures are tested, not the scheduler.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

pub mod arithmetic;
pub mod diskspd_report;
pub mod fio_log;
pub mod fio_report;
pub mod kernel;
pub mod timed_files;
pub mod volume;

use std::path::Path;

/// Runs `fathom fio`, with arguments that are separated by spaces, to its end.
pub fn fio(directory: &Path, arguments: &str) -> harness::Outcome {
    run(directory, "fio", arguments)
}

/// Runs `fathom diskspd` likewise.
pub fn diskspd(directory: &Path, arguments: &str) -> harness::Outcome {
    run(directory, "diskspd", arguments)
}

/// Runs a command of the program likewise.
pub fn run(directory: &Path, word: &str, arguments: &str) -> harness::Outcome {
    harness::outcome(harness::first(harness::command(directory, word, arguments)).spawn().unwrap())
}
