//! The cargo that builds this program.

use std::process::Command;

/// Makes a command that starts cargo with these arguments.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args);
    command
}

/// Returns true if the standard library of a target is installed.
pub fn has_target(target: &str) -> bool {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    installed.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).lines().any(|line| line == target))
}

/// Makes a command that starts cargo with the scheduling class for idle CPU time.
pub fn idle(args: &[&str]) -> Command {
    let mut command = Command::new("chrt");
    command.args(["--idle", "0", env!("CARGO")]).args(args);
    command
}
