//! Steps of a task: commands with a name.

use std::process::Command;
use std::time::Instant;

/// Runs a command. Prints its name before and its time after it.
///
/// # Errors
///
/// The command does not start, or fails.
pub fn check(name: &str, mut command: Command) -> Result<(), String> {
    eprintln!("xtask: {name}");
    let start = Instant::now();
    let status = command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private-intra-doc-links").status();
    match status {
        Ok(status) if status.success() => {
            eprintln!("xtask: {name} took {} s", start.elapsed().as_secs());
            Ok(())
        }
        Ok(status) => Err(format!("{name}: {command:?} ended with {status}")),
        Err(error) => Err(format!("{name}: {command:?}: {error}")),
    }
}
