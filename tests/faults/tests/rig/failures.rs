//! Failures of several cases in one test.

use std::fmt::Display;

use faults::Case;
use harness::Outcome;

/// The failed cases of a test.
#[derive(Default)]
pub struct Failures(Vec<String>);

impl Failures {
    /// Adds a case if something is wrong with its end.
    pub fn add<F: Display>(&mut self, case: &Case<F>, ended: &Outcome, other_problems: Vec<String>) {
        let mut problems = case.problems(ended);
        problems.extend(other_problems);
        if !problems.is_empty() {
            let (problems, command) = (problems.join("\n  "), case.command);
            // Reports as JSON are long.
            let report = if command.starts_with("fio ") { "" } else { &ended.stdout };
            self.0.push(format!("{}: fathom {command}\n  {problems}\n{report}\n{}", case.fault, ended.stderr));
        }
    }
}

impl Drop for Failures {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{} cases failed:\n\n{}", self.0.len(), self.0.join("\n\n"));
        }
    }
}
