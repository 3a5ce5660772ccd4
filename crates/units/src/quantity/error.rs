//! Errors of parsing a quantity.

use std::fmt;
use std::ops::Range;

use super::kind::Kind;
use crate::diagnostic::{Diagnostic, Span};

/// A parse error, with the affected part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    kind: Kind,
    text: String,
    range: Range<usize>,
    problem: Problem,
}

/// Kinds of parse error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The text does not start with a number.
    NoNumber,
    /// The number is below 0.
    Negative,
    /// This kind of quantity needs a unit.
    MissingUnit,
    /// This kind of quantity does not have this unit.
    UnknownUnit,
    /// A unit of bits instead of bytes.
    Bits,
    /// The value does not fit in 64 bits.
    TooLarge,
}

impl Problem {
    /// Returns a short description, used as a label below the text.
    pub fn label(self) -> &'static str {
        match self {
            Problem::NoNumber => "no number",
            Problem::Negative => "negative",
            Problem::MissingUnit => "the unit is missing",
            Problem::UnknownUnit => "unknown unit",
            Problem::Bits => "a lower-case b means bits",
            Problem::TooLarge => "too large",
        }
    }
}

impl ParseError {
    pub(super) fn new(kind: Kind, text: &str, range: Range<usize>, problem: Problem) -> ParseError {
        ParseError { kind, text: text.to_owned(), range, problem }
    }

    /// Returns the expected kind of quantity.
    pub fn kind(&self) -> Kind {
        self.kind
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
