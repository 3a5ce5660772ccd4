//! The words of a command line: which are switches, and where each stands for messages.

use std::ops::Range;
use std::sync::Arc;

use units::diagnostic::{Diagnostic, Source, Span};

/// All words, and the text that they make together.
pub struct Words<'a> {
    pub words: Vec<Word<'a>>,
    pub text: String,
}

pub struct Word<'a> {
    pub text: &'a str,
    pub span: Span,
}

impl<'a> Words<'a> {
    pub fn new(program: &str, words: &'a [String]) -> Words<'a> {
        let mut text = program.to_owned();
        let mut ranges = Vec::with_capacity(words.len());
        for word in words {
            text.push(' ');
            ranges.push(text.len()..text.len() + word.len());
            text += word;
        }
        let source: Arc<Source> = Source::new("command line", text.as_str());
        let words = words.iter().zip(ranges).map(|(text, range)| Word { text, span: Span::new(&source, range) });
        Words { words: words.collect(), text }
    }
}

/// A word that begins with `-`.
pub struct Switch<'a> {
    pub letter: char,
    /// All behind the letter.
    pub value: &'a str,
    pub word: &'a str,
    pub span: Span,
    /// The word behind it, which is not its value whatever it looks like.
    pub next: Option<&'a str>,
}

impl<'a> Switch<'a> {
    /// `None` for a target.
    pub fn of(word: &Word<'a>, next: Option<&'a str>) -> Option<Result<Switch<'a>, Diagnostic>> {
        let rest = word.text.strip_prefix('-')?;
        let Some(letter) = rest.chars().next() else {
            let error = Diagnostic::error("`-` without a letter is no option");
            return Some(Err(error.at(&word.span, "expected a letter behind it")));
        };
        let value = &rest[letter.len_utf8()..];
        Some(Ok(Switch { letter, value, word: word.text, span: word.span.clone(), next }))
    }

    /// A part of the value.
    pub fn value_span(&self, range: Range<usize>) -> Span {
        let start = 1 + self.letter.len_utf8();
        self.span.part(start + range.start..start + range.end)
    }

    /// What is wrong with the switch as a whole.
    pub fn error(&self, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(&self.span, label)
    }

    /// What is wrong with a part of the value, from the given place on.
    pub fn error_from(&self, start: usize, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(&self.value_span(start..self.value.len()), label)
    }

    /// For a value that isn't there: people write it as a word of its own.
    pub fn missing(&self, expected: &str) -> Diagnostic {
        let error = self.error(format!("-{} has no value", self.letter), format!("expected {expected} behind it"));
        match self.next {
            Some(next) if next.starts_with(|c: char| c.is_ascii_digit()) => {
                error.help(format!("an option is one word: write -{}{next}", self.letter))
            }
            _ => error,
        }
    }
}

/// Dashes that programs for writing put in the place of `-`.
const DASHES: [char; 11] = [
    '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}', '\u{fe58}', '\u{fe63}',
    '\u{ff0d}', '\u{2e3a}',
];

/// The switch that was meant by a word with such a dash.
pub fn meant_switch(word: &str) -> Option<String> {
    let rest = word.strip_prefix(DASHES)?;
    crate::options::option(rest.chars().next()?)?;
    Some(format!("-{rest}"))
}
