//! Sets the options of a section from the lines of a job file.

use std::borrow::Cow;

use units::diagnostic::Span;

use super::section::{OptionSpans, Section};
use super::state::State;
use super::substitute::substitute;
use super::value::Severity;
use crate::options::{Rank, core_option};

/// Sets the options of all engines by rank, then the options of the selected engine.
///
/// A line has no comment and no surrounding white space. Returns whether all options are valid.
pub fn set_options(section: &mut Section, lines: &[Span], state: &mut State) -> bool {
    let mut is_valid = true;
    let mut engine_lines = Vec::new();
    for rank in Rank::ALL {
        for span in lines {
            let line = OptionLine::new(span, state);
            let option = core_option(line.name());
            if option.map_or(Rank::Middle, |option| option.rank) != rank {
                continue;
            }
            match option.filter(|option| option.profile.is_none()) {
                Some(option) => is_valid &= section.set(option, line.value(), &line.spans(), state),
                None => engine_lines.push(span),
            }
        }
    }
    if engine_lines.is_empty() {
        return is_valid;
    }
    if let Err(diagnostic) = section.select_engine() {
        state.report(Severity::Error, *diagnostic);
        return false;
    }
    for span in engine_lines {
        let line = OptionLine::new(span, state);
        match section.engine_option(line.name()) {
            Some(option) => is_valid &= section.set(option, line.value(), &line.spans(), state),
            None => {
                state.errors.push_with(|| section.unknown_option(line.name(), &line.name_span()));
                is_valid = false;
            }
        }
    }
    is_valid
}

/// A line with an option.
struct OptionLine<'a> {
    span: &'a Span,
    /// The text after substitution of variables.
    text: Cow<'a, str>,
}

impl<'a> OptionLine<'a> {
    fn new(span: &'a Span, state: &State) -> OptionLine<'a> {
        OptionLine { span, text: substitute(span.text(), state.env) }
    }

    fn parts(&self) -> (&str, Option<&str>) {
        match self.text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (&self.text, None),
        }
    }

    fn name(&self) -> &str {
        self.parts().0.trim_end()
    }

    fn value(&self) -> Option<&str> {
        self.parts().1
    }

    /// Returns whether the source contains the text literally.
    fn is_literal(&self) -> bool {
        self.text == self.span.text()
    }

    fn name_span(&self) -> Span {
        if self.is_literal() { self.span.part(0..self.name().len()) } else { self.span.clone() }
    }

    fn spans(&self) -> OptionSpans {
        let (name, value) = self.parts();
        let value = value.filter(|_| self.is_literal());
        OptionSpans { option: self.span.clone(), value: value.map(|_| self.span.part(name.len() + 1..self.text.len())) }
    }
}
