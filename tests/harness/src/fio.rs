//! Runs of fio, with which fathom is compared.

use std::io;
use std::process::{Command, Output};

/// fio's message if its jobs did not start within 5 s. No I/O was done.
const NOT_STARTED: &str = "job startup hung";
/// Starts before fio's failure is returned.
const STARTS: usize = 5;

/// Runs fio to its end. It is started again if its jobs did not start in time, as can happen on a busy machine.
/// `cargo xtask ci` lists lines that begin with `RETRIED`.
///
/// # Errors
///
/// fio cannot be started.
pub fn run_fio(command: &mut Command) -> io::Result<Output> {
    let mut output = command.output()?;
    for _ in 1..STARTS {
        if !String::from_utf8_lossy(&output.stderr).contains(NOT_STARTED) {
            break;
        }
        eprintln!("RETRIED: fio: {NOT_STARTED}");
        output = command.output()?;
    }
    Ok(output)
}
