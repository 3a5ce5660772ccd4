//! Things whose answer is known, and the real binary's reports about them. The tests beside this library hold the one
//! against the other; `docs/truth.md` says what is checked and how closely.
//!
//! A test makes its device, takes it away at its end (also when it panics), and says in one line where it can't be had.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

pub mod arithmetic;
pub mod binary;
pub mod diskspd_report;
pub mod fio_log;
pub mod fio_report;
pub mod kernel;
pub mod priority;
pub mod run;
pub mod scratch;
pub mod throttle;
pub mod timed_files;
pub mod volume;
pub mod zram;

use std::io::Write;

/// Says that a test was skipped, past the test harness, which keeps the output of tests that pass to itself.
pub fn skipped(test: &str, why: &str) {
    drop(writeln!(std::io::stderr(), "SKIPPED {test}: {why}"));
}

/// Runs a command of the system: what it printed, or why it failed.
pub fn system(command: &str) -> Result<String, String> {
    let output = std::process::Command::new("sh").arg("-c").arg(command).output();
    let output = output.map_err(|error| format!("`{command}`: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(format!("`{command}`: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
