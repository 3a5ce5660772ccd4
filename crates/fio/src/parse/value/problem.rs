//! Problems in option values.

use std::ops::Range;

use units::diagnostic::shortened;
use units::diagnostics::KEPT_MAX;
use units::lookalike;

/// Severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The value is unusual and unambiguous.
    Warning,
    /// fio's parser accepts the value, and a job with it cannot run as intended. A warning with `--parse-only`.
    ErrorWhenRun,
    /// The value is invalid.
    Error,
}

/// A problem in a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub severity: Severity,
    /// The position within the value.
    pub range: Range<usize>,
    pub message: String,
    /// The text at the marked position, such as `expected a number`.
    pub label: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn error(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, range, message: message.into(), label: label.into(), help: None }
    }

    pub fn error_when_run(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem { severity: Severity::ErrorWhenRun, ..Problem::error(range, message, label) }
    }

    pub fn warning(range: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::error(range, message, label) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Replaces the help by the advice on the whole value, if there is any: it names the likely cause.
    pub fn with_advice(mut self, advice: Option<&str>) -> Problem {
        if let Some(advice) = advice {
            self.help = Some(advice.to_owned());
        }
        self
    }

    /// Moves the range by `offset`, from a part of a value to the whole value.
    pub fn shifted(mut self, offset: usize) -> Problem {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }
}

/// The first [`KEPT_MAX`] problems of a value. A long list can have thousands.
#[derive(Default, Debug)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem. In a full list, it replaces a less severe one, so that no error is lost.
    pub fn push(&mut self, problem: Problem) {
        if self.0.len() < KEPT_MAX {
            self.0.push(problem);
        } else if let Some(last) = self.0.last_mut().filter(|last| last.severity < problem.severity) {
            *last = problem;
        }
    }

    pub fn extend(&mut self, more: impl IntoIterator<Item = Problem>) {
        more.into_iter().for_each(|problem| self.push(problem));
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Removes the problems after the first `count`, and returns them.
    pub fn split_off(&mut self, count: usize) -> Vec<Problem> {
        self.0.split_off(count)
    }

    /// Removes consecutive duplicates.
    pub fn dedup(&mut self) {
        self.0.dedup();
    }

    pub fn into_vec(self) -> Vec<Problem> {
        self.0
    }
}

/// Returns how to write a value in ASCII, if it has typographic characters. They are the likely cause of its problems.
pub fn typographic_advice(value: &str) -> Option<String> {
    let found = lookalike::first(value)?;
    let meant = lookalike::in_ascii(value);
    // A shell removes quotation marks around a value, but not these.
    let meant = meant.trim_matches([' ', '"', '\'']);
    Some(shortened(format!("{}: write `{meant}`", lookalike::described(found))))
}
