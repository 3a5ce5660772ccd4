//! Devices with known behaviour, and the binary's reports about them. The tests compare the two; `docs/truth.md` lists what is
//! checked and with which tolerance.
//!
//! Runs have real-time priority where the system allows it, so that the tests do not measure the scheduler.

#![expect(clippy::missing_errors_doc, reason = "the library of one program")]
#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

pub mod arithmetic;
pub mod block_trace;
pub mod diskspd_report;
pub mod fio_log;
pub mod fio_report;
pub mod kernel;
pub mod saved_record;
pub mod slots;
pub mod timed_files;
pub mod volume;

use std::path::Path;

/// Runs `fathom fio` until it exits. Arguments are separated by spaces.
pub fn fio(directory: &Path, arguments: &str) -> harness::Outcome {
    run(directory, "fio", arguments)
}

/// Runs `fathom diskspd` in the same way.
pub fn diskspd(directory: &Path, arguments: &str) -> harness::Outcome {
    run(directory, "diskspd", arguments)
}

/// Runs a command of fathom in the same way.
pub fn run(directory: &Path, command: &str, arguments: &str) -> harness::Outcome {
    harness::outcome(harness::with_realtime_priority(harness::command(directory, command, arguments)).spawn().unwrap())
}
