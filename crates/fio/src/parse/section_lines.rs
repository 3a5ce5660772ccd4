//! Sets the options of a section from the lines of a job file.

use units::diagnostic::Span;
use units::order::OrderBy;

use super::section::{OptionSpans, Section};
use super::state::State;
use super::substitute::substitute;
use super::value::Severity;
use crate::options::core_option;

/// A line without comment and surrounding white space.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub span: Span,
}

/// Sets the options of all engines by priority, then the options of the selected engine.
///
/// Returns whether all options are valid.
pub fn set_options(section: &mut Section, lines: &[Line], state: &mut State) -> bool {
    let mut options: Vec<OptionLine> = lines.iter().map(|line| OptionLine::new(line, state)).collect();
    options.order_by_key(|line| -core_option(&line.name).map_or(0, |option| option.priority));
    let mut is_valid = true;
    let mut engine_options = Vec::new();
    for line in options {
        match core_option(&line.name).filter(|option| option.profile.is_none()) {
            Some(option) => is_valid &= section.set(option, line.value.as_deref(), &line.spans, state),
            None => engine_options.push(line),
        }
    }
    if engine_options.is_empty() {
        return is_valid;
    }
    if let Err(diagnostic) = section.select_engine() {
        state.report(Severity::Error, *diagnostic);
        return false;
    }
    for line in engine_options {
        match section.engine_option(&line.name) {
            Some(option) => is_valid &= section.set(option, line.value.as_deref(), &line.spans, state),
            None => {
                state.errors.push_with(|| section.unknown_option(&line.name, &line.name_span));
                is_valid = false;
            }
        }
    }
    is_valid
}

/// A line with an option, after substitution of variables.
struct OptionLine {
    name: String,
    value: Option<String>,
    name_span: Span,
    spans: OptionSpans,
}

impl OptionLine {
    fn new(line: &Line, state: &State) -> OptionLine {
        let text = substitute(&line.text, state.env);
        let is_unchanged = text == line.text;
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        let value_span = match value {
            Some(_) if is_unchanged => Some(line.span.part(name.len() + 1..text.len())),
            _ => None,
        };
        let name_length = name.trim_end().len();
        OptionLine {
            name: name.trim_end().to_owned(),
            value: value.map(str::to_owned),
            name_span: if is_unchanged { line.span.part(0..name_length) } else { line.span.clone() },
            spans: OptionSpans { option: line.span.clone(), value: value_span },
        }
    }
}
