//! Arguments of a command line, with their positions for diagnostics.

use std::ops::Range;
use std::sync::Arc;

use units::diagnostic::{Diagnostic, Source, Span};
use units::lookalike;
use units::system::System;

/// All arguments, and the command line that they form.
pub struct CommandLine<'a> {
    pub arguments: Vec<Argument<'a>>,
    pub text: String,
}

pub struct Argument<'a> {
    pub text: &'a str,
    pub span: Span,
}

impl<'a> CommandLine<'a> {
    pub fn new(program: &str, arguments: &'a [String]) -> CommandLine<'a> {
        let mut text = program.to_owned();
        let mut ranges = Vec::with_capacity(arguments.len());
        for argument in arguments {
            text.push(' ');
            ranges.push(text.len()..text.len() + argument.len());
            text += argument;
        }
        let source: Arc<Source> = Source::new("command line", text.as_str());
        let arguments =
            arguments.iter().zip(ranges).map(|(text, range)| Argument { text, span: Span::new(&source, range) });
        CommandLine { arguments: arguments.collect(), text }
    }
}

/// Characters that an option starts with. A path of Linux starts with a slash.
pub const SWITCH_CHARACTERS: &[char] = if System::HERE.is_windows() { &['-', '/'] } else { &['-'] };

/// An argument that starts with `-`, on Windows also with `/`.
pub struct Switch<'a> {
    pub letter: char,
    /// The text after the option letter.
    pub value: &'a str,
    pub argument: &'a str,
    pub span: Span,
    /// The next argument. It is never the value of this option.
    pub next: Option<&'a str>,
}

impl<'a> Switch<'a> {
    /// Parses an argument. Returns `None` for a target.
    pub fn of(argument: &Argument<'a>, next: Option<&'a str>) -> Option<Result<Switch<'a>, Diagnostic>> {
        let rest = argument.text.strip_prefix(SWITCH_CHARACTERS)?;
        let Some(letter) = rest.chars().next() else {
            let error = Diagnostic::error("`-` has no option letter");
            return Some(Err(error.at(&argument.span, "expected a letter")));
        };
        let value = &rest[letter.len_utf8()..];
        Some(Ok(Switch { letter, value, argument: argument.text, span: argument.span.clone(), next }))
    }

    /// Returns the span of a part of the value.
    pub fn value_span(&self, range: Range<usize>) -> Span {
        let start = 1 + self.letter.len_utf8();
        self.span.part(start + range.start..start + range.end)
    }

    /// Returns an error about the whole option.
    pub fn error(&self, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(&self.span, label)
    }

    /// Returns an error about the value from `start` on.
    pub fn error_from(&self, start: usize, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(&self.value_span(start..self.value.len()), label)
    }

    /// Returns an error for a missing value. Users often write the value as a separate argument.
    pub fn missing(&self, expected: &str) -> Diagnostic {
        let error = self.error(format!("-{} has no value", self.letter), format!("expected {expected}"));
        match self.next {
            Some(next) if next.starts_with(|c: char| c.is_ascii_digit()) => {
                error.help(format!("an option is one argument: write -{}{next}", self.letter))
            }
            _ => error,
        }
    }
}

/// Returns the option that an argument with such a dash is likely to mean.
pub fn intended_option(argument: &str) -> Option<String> {
    let rest = lookalike::after_dashes(argument)?;
    crate::options::option(rest.chars().next()?)?;
    Some(format!("-{rest}"))
}
