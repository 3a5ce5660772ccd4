//! How far a parser got in an input.

use units::diagnostic::{Diagnostic, Level};

/// How far a parser got in an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Progress {
    /// Each error is in the first token: the parser saw nothing of the rest.
    FirstToken,
    /// Refused because of something after the first token.
    Further,
    /// Accepted.
    Accepted,
}

impl Progress {
    /// Returns the progress of a parser that reports diagnostics. The input begins at byte `start` of their source.
    pub fn of_errors(errors: &[Diagnostic], start: usize) -> Progress {
        let places = errors.iter().filter(|error| error.level == Level::Error).filter_map(|error| error.label.as_ref());
        let is_further = |text: &str, at: usize| at >= end_of_first_token(text, start);
        let further = places.clone().any(|(span, _)| is_further(&span.source().text, span.range().start));
        if further { Progress::Further } else { Progress::FirstToken }
    }

    /// As [`Progress::of_errors`], for parsers that end at the first error.
    pub fn of<T>(outcome: &Result<T, Diagnostic>) -> Progress {
        match outcome {
            Ok(_) => Progress::Accepted,
            Err(error) => Progress::of_errors(std::slice::from_ref(error), 0),
        }
    }
}

/// Returns the end of the first token: text without white space and punctuation that separates.
fn end_of_first_token(text: &str, start: usize) -> usize {
    // An error in a file of the line: it has no `start`, which can be within a character.
    let start = (start.min(text.len())..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let rest = &text[start..];
    let token = rest.trim_start();
    let length = token.find(|c: char| c.is_whitespace() || "=:,;<>?/\0".contains(c)).unwrap_or(token.len());
    start + (rest.len() - token.len()) + length.max(1)
}
