//! Texts of files of limits are parts of lines: a control character or line break is an error.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use units::diagnostic::{Diagnostic, Source, Span};
use units::markup::is_control;

/// Checks all texts and keys of a file.
///
/// # Errors
/// A diagnostic at the first text with a control character. Errors of the syntax are those of the reader.
pub fn check(source: &Arc<Source>) -> Result<(), Diagnostic> {
    let Ok(table) = DeTable::parse(&source.text) else { return Ok(()) };
    match of_table(table.get_ref()) {
        None => Ok(()),
        Some(range) => {
            let error = Diagnostic::error("a text of a file of limits has a control character or a line break");
            Err(error.at(&Span::new(source, range), "write it in one line"))
        }
    }
}

fn of_table(table: &DeTable) -> Option<Range<usize>> {
    table
        .iter()
        .find_map(|(key, value)| key.get_ref().contains(is_control).then(|| key.span()).or_else(|| of_value(value)))
}

fn of_value(value: &Spanned<DeValue>) -> Option<Range<usize>> {
    match value.get_ref() {
        DeValue::String(text) => text.contains(is_control).then(|| value.span()),
        DeValue::Array(list) => list.iter().find_map(of_value),
        DeValue::Table(table) => of_table(table),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_character_in_any_text_or_key_is_found() {
        let check = |text: &str| check(&Source::new("a.toml", text)).is_ok();
        assert!(check("a = 'b'\n[[c]]\nd = { \"e\" = ['f'] }"));
        let wrong =
            ["a = \"b\\n\"", "a = \"\\u001b[0m\"", "a = '\u{202e}'", "[[c]]\nd = { e = [\"f\\r\"] }", "\"a\\n\" = 1"];
        for text in wrong {
            assert!(!check(text), "{text}");
        }
    }
}
