//! Shell commands, and marking of skipped tests.

use std::process::Command;

/// Marks the calling test as skipped. `cargo xtask ci` counts tests whose output has a line that begins with `SKIPPED`.
pub fn skipped(why: &str) {
    eprintln!("SKIPPED: {}", why.trim().replace('\n', "; "));
}

/// Runs a shell command and returns what it printed.
///
/// # Errors
///
/// Returns the command and its standard error if it fails.
pub fn shell(command: &str) -> Result<String, String> {
    let output = Command::new("sh").arg("-c").arg(command).output();
    let output = output.map_err(|error| format!("`{command}`: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(format!("`{command}`: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Runs a shell command. A failure is printed, and the test continues.
pub fn system(command: &str) -> Option<String> {
    shell(command).map_err(|why| eprintln!("note: {why}")).ok()
}

/// Runs a shell command that the test requires. A failure marks the test as skipped.
pub fn needs(command: &str) -> Option<String> {
    shell(command).map_err(|why| skipped(&why)).ok()
}
