//! Why a text is not a quantity.

use std::fmt;
use std::ops::Range;

use super::kind::Kind;
use crate::diagnostic::{Diagnostic, Span};

/// Why a text is not a quantity, and where in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    kind: Kind,
    text: String,
    range: Range<usize>,
    problem: Problem,
}

/// What is wrong with a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The text doesn't start with a number.
    NoNumber,
    /// The number is below 0.
    Negative,
    /// The kind of quantity needs a unit.
    MissingUnit,
    /// The kind of quantity has no such unit.
    UnknownUnit,
    /// A unit of bits where bytes are expected.
    Bits,
    /// The value doesn't fit into 64 bits.
    TooLarge,
}

impl Problem {
    /// Describes the problem in a few words, as a label below the text.
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

    /// Returns what is wrong.
    pub fn problem(&self) -> Problem {
        self.problem
    }

    /// Returns the wrong part of the text, as a range of bytes.
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

    /// Makes a diagnostic that marks the wrong part. `span` is where the parsed text stands in its source.
    pub fn diagnostic(&self, span: &Span) -> Diagnostic {
        let message = format!("`{}` is not {}", self.text.trim(), self.kind.name());
        Diagnostic::error(message).at(&span.part(self.range()), self.problem.label()).help(self.help())
    }
}

/// One line without the text itself: `unknown unit; units are ns, us, ms, s, min, h or d`. Command-line parsers show the
/// text beside it.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem.label(), self.help())
    }
}

impl std::error::Error for ParseError {}
