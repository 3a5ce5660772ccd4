//! A case: a fault, a command, and how the command must end.

use harness::Outcome;

use crate::report;

/// A fault of kind `F`, a command, and how the command must end.
#[derive(Debug, Clone, Copy)]
pub struct Case<F> {
    pub fault: F,
    /// The arguments of fathom.
    pub command: &'static str,
    pub exit: i32,
    /// Part of the messages. Empty if the fault needs none.
    pub message: &'static str,
    pub report: Report,
}

/// What a report must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// Nothing: the command ends before its first I/O.
    Missing,
    /// It is whole. Its number of I/Os depends on the speed of the machine.
    Complete,
    /// It is whole and has this number of I/Os.
    Ios(u64),
    /// It is whole, on standard error.
    OnStandardError,
}

/// Returns a case.
pub const fn case<F: Copy>(
    fault: F,
    command: &'static str,
    exit: i32,
    message: &'static str,
    report: Report,
) -> Case<F> {
    Case { fault, command, exit, message, report }
}

impl<F> Case<F> {
    /// Returns what is wrong with the end of the command.
    pub fn problems(&self, ended: &Outcome) -> Vec<String> {
        let mut problems = Vec::new();
        if ended.code != Some(self.exit) {
            problems.push(format!("exit status {:?} instead of {}", ended.code, self.exit));
        }
        if ended.stderr.contains("panicked") || ended.stdout.contains("panicked") {
            problems.push("a panic".to_owned());
        }
        if !ended.stderr.contains(self.message) && !ended.stdout.contains(self.message) {
            problems.push(format!("no message `{}`", self.message));
        }
        let found = match (self.report, report::ios(self.command, &ended.stdout)) {
            (Report::Missing, _) => None,
            (Report::Complete, found) => found.err(),
            (Report::OnStandardError, _) => {
                let report = ended.stderr.split_once("the report continues here\n").map_or("", |(_, report)| report);
                report::ios(self.command, report).err()
            }
            (Report::Ios(expected), Ok(Some(ios))) if ios == expected => None,
            (Report::Ios(expected), Ok(ios)) => Some(format!("{ios:?} I/Os in the report instead of {expected}")),
            (Report::Ios(_), Err(why)) => Some(why),
        };
        problems.extend(found);
        problems
    }
}
