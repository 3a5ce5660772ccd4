//! Errors of parsing a quantity.

use std::fmt;
use std::ops::Range;

use super::kind::Kind;
use super::problem::Problem;
use crate::diagnostic::{Diagnostic, Span};

/// A parse error, with the affected part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    kind: Kind,
    text: String,
    range: Range<usize>,
    problem: Problem,
}

impl ParseError {
    pub(super) fn new(kind: Kind, text: &str, range: Range<usize>, problem: Problem) -> ParseError {
        ParseError { kind, text: text.to_owned(), range, problem }
    }

    /// Returns the kind of error.
    pub fn problem(&self) -> Problem {
        self.problem
    }

    /// Returns the affected byte range of the text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Lists the units of the expected kind.
    pub fn help(&self) -> String {
        match (self.problem, self.kind) {
            (Problem::Bits, _) => "write MB/s (powers of 1000) or MiB/s (powers of 1024)".to_owned(),
            (_, kind) => format!("units are {}", kind.units()),
        }
    }

    /// Returns a diagnostic that marks the affected part. `span` is the position of the parsed text in its source.
    pub fn diagnostic(&self, span: &Span) -> Diagnostic {
        let message = format!("`{}` is not {}", self.text.trim(), self.kind.name());
        Diagnostic::error(message).at(&span.part(self.range()), self.problem.label()).help(self.help())
    }
}

/// Formats one line without the text: `unknown unit; units are ns, us, ms, s, min, h or d`. Command-line parsers print
/// the text next to it.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem.label(), self.help())
    }
}

impl std::error::Error for ParseError {}
