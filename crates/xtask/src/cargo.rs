//! The cargo that builds this program.

use std::process::Command;

/// Makes a command that starts cargo with these arguments.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args);
    command
}

/// Makes a command that starts cargo with the scheduling class for idle CPU time.
pub fn idle(args: &[&str]) -> Command {
    let mut command = Command::new("chrt");
    command.args(["--idle", "0", env!("CARGO")]).args(args);
    command
}
