//! The parts of all studies: the summary, values of JSON, and lines of text.

use assessment::{Failure, Finding, Test};
use serde::Serialize;
use serde_json::Value;
use units::markup::printable;

use super::table::{Table, WIDTH};
use crate::findings;
use crate::wording::{self, Dialect};

/// A study, ready to render.
pub struct Summary {
    /// Target and workload.
    pub head: String,
    pub tables: Vec<Table>,
    /// What the tables do not show.
    pub notes: Vec<String>,
    /// A chart of text.
    pub bars: Option<String>,
    pub sentence: Option<String>,
}

/// Formats a JSON document.
pub fn document(value: &Value) -> String {
    serde_json::to_string_pretty(value)
        .map_or_else(|error| error.to_string(), |text| printable(&text).into_owned() + "\n")
}

/// Returns a part of a study as JSON, with its message.
pub fn with_message(part: &impl Serialize, message: String) -> Value {
    let mut part = serde_json::to_value(part).unwrap_or_default();
    part["message"] = message.into();
    part
}

/// Returns a failure as JSON.
pub fn failure(failure: &Failure) -> Value {
    with_message(failure, wording::failure(failure))
}

/// Returns a finding as JSON, with its message and advice.
pub fn finding(finding: &Finding, dialect: Dialect) -> Value {
    let mut value = with_message(finding, wording::message(finding));
    value["advice"] = wording::advice(finding, dialect).into();
    value
}

/// Returns the findings of a test as JSON.
pub fn findings(test: Option<&Test>) -> Vec<Value> {
    let of_test = |test: &Test| {
        let dialect = findings::dialect(test);
        test.findings.iter().map(|finding| self::finding(finding, dialect)).collect()
    };
    test.map(of_test).unwrap_or_default()
}

/// Breaks a text between words and indents further lines. Line breaks of the text stay.
pub fn wrapped(text: &str) -> String {
    text.split('\n').map(wrapped_line).collect()
}

fn wrapped_line(text: &str) -> String {
    let length = |text: &str| text.chars().count();
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.trim().is_empty() && length(&line) + 1 + length(word) > WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line = " ".to_owned();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    format!("{lines}{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_broken_between_words() {
        let text = wrapped(&"word ".repeat(30));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH) && lines[1].starts_with("  word"));
        assert_eq!(text.split_whitespace().count(), 30);
        assert_eq!(wrapped("short\nlines"), "short\nlines\n");
    }
}
