//! The parts of all studies: the summary, values of JSON, and lines of text.

use std::collections::BTreeMap;

use assessment::{Assessment, Cause, Settings, Verdict};
use judge::verdict::{Conclusion, conclusion};
use record::schema::Layout;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use units::markup::printable;

use super::invalid::names_invalid_runs;
use super::table::{Table, WIDTH};
use crate::wording;

/// A study, ready to render.
pub struct Summary {
    /// Target and workload.
    pub head: String,
    pub tables: Vec<Table>,
    /// What the tables do not show.
    pub notes: Vec<String>,
    /// The findings, for text. Pages and Markdown have a part of their own for them.
    pub findings: Vec<String>,
    /// A chart of text.
    pub bars: Option<String>,
    /// Why the study is INCONCLUSIVE, unless the conclusion begins with it.
    pub undecided: Option<String>,
    /// The conclusion, one sentence per line.
    pub sentence: Option<String>,
}

impl Summary {
    /// Returns the conclusion, one sentence per line, after the reason of an INCONCLUSIVE study.
    pub fn answer(&self) -> Vec<String> {
        self.undecided.iter().chain(&self.sentence).cloned().collect()
    }

    /// Returns the conclusion, after the finding that makes figures of the study worthless. That of an INCONCLUSIVE study begins
    /// with the verdict.
    pub fn whole_sentence(&self, assessment: &Assessment) -> Option<String> {
        let has_finding = assessment.verdict == Verdict::Invalid && matches!(assessment.cause, Cause::Finding(_));
        let is_invalid = has_finding && !names_invalid_runs(assessment);
        let invalid = is_invalid.then(|| format!("{}: {}", Verdict::Invalid, wording::cause(&assessment.cause)));
        let lines: Vec<String> = invalid.into_iter().chain(self.answer()).collect();
        let answer = lines.join("\n");
        match (conclusion(assessment), lines.is_empty()) {
            (Conclusion::Inconclusive, true) => Some(format!("{}: nothing was measured", Verdict::Inconclusive)),
            (Conclusion::Inconclusive, false) => Some(format!("{}: {answer}", Verdict::Inconclusive)),
            (_, is_empty) => (!is_empty).then_some(answer),
        }
    }
}

/// Formats a JSON document.
pub fn document(value: &impl Serialize) -> String {
    Layout::LINES.format(value).map_or_else(|error| error.to_string(), |text| printable(&text).into_owned() + "\n")
}

/// Settings as an object: `{"bs": "4k"}`.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SettingsObject(#[schemars(with = "BTreeMap<String, String>")] Map<String, Value>);

impl From<&Settings> for SettingsObject {
    fn from(settings: &Settings) -> SettingsObject {
        SettingsObject(settings.iter().map(|(option, value)| (option.clone(), value.as_str().into())).collect())
    }
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
