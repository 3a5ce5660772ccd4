//! Searches, sweeps and repeats: a table, notes, a chart of text and a sentence, for people and for programs.
//!
//! All views of a study take their numbers from its result.

mod bars;
mod comparison;
mod knee;
mod repeats;
mod scale;
pub(crate) mod sweep;
mod table;

pub use comparison::{comparison_json, comparison_text, failed_limits};
pub use scale::Scale;
pub use table::{Column, Row, Table};

use assessment::{Assessment, Study};

/// Columns of a terminal.
pub(crate) const WIDTH: usize = 80;

/// Characters that a text may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ink {
    #[default]
    Unicode,
    Ascii,
}

/// A study, ready to render.
pub(crate) struct Summary {
    /// Target and workload.
    pub head: String,
    pub tables: Vec<Table>,
    /// What the tables do not show.
    pub notes: Vec<String>,
    /// A chart of text.
    pub bars: Option<String>,
    pub sentence: Option<String>,
}

/// Returns the summary of a search, a sweep or repeats; `None` for other studies and without a result.
pub(crate) fn summary(assessment: &Assessment) -> Option<Summary> {
    match &assessment.study {
        Study::Knee(request) => Some(knee::summary(assessment, request, request.result.as_ref()?)),
        Study::Sweep(request) => Some(sweep::summary(assessment, request, request.result.as_ref()?)),
        Study::Repeats(request) => Some(repeats::summary(assessment, request, request.result.as_ref()?)),
        Study::Suite(_) | Study::Single | Study::Preconditioning => None,
    }
}

/// Returns the conclusion of a search, a sweep or repeats in one sentence.
pub fn sentence(assessment: &Assessment) -> Option<String> {
    summary(assessment)?.sentence
}

/// Returns a search, a sweep or repeats as text; `None` for other studies.
pub fn text(assessment: &Assessment, ink: Ink) -> Option<String> {
    let summary = summary(assessment)?;
    let mut text = wrapped(&summary.head);
    for table in &summary.tables {
        text += "\n";
        text += &table.text();
    }
    if !summary.notes.is_empty() {
        text += "\n";
        summary.notes.iter().for_each(|note| text += &wrapped(note));
    }
    if let Some(bars) = &summary.bars {
        text += &format!("\n{bars}");
    }
    if let Some(sentence) = &summary.sentence {
        text += &format!("\n{}", wrapped(sentence));
    }
    Some(if ink == Ink::Ascii { in_ascii(&text) } else { text })
}

/// Returns a search, a sweep or repeats as JSON; `None` for other studies.
pub fn json(assessment: &Assessment) -> Option<String> {
    match &assessment.study {
        Study::Knee(request) => Some(knee::json(assessment, request, request.result.as_ref()?)),
        Study::Sweep(request) => Some(sweep::json(assessment, request, request.result.as_ref()?)),
        Study::Repeats(request) => Some(repeats::json(assessment, request, request.result.as_ref()?)),
        Study::Suite(_) | Study::Single | Study::Preconditioning => None,
    }
}

/// Returns the points of a sweep as CSV (RFC 4180); `None` for other studies.
pub fn csv(assessment: &Assessment) -> Option<String> {
    match &assessment.study {
        Study::Sweep(request) => Some(sweep::csv(request, request.result.as_ref()?)),
        Study::Suite(_) | Study::Single | Study::Knee(_) | Study::Repeats(_) | Study::Preconditioning => None,
    }
}

/// Writes a document of strings and numbers, which JSON can always represent.
fn document(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).map_or_else(|error| error.to_string(), |text| text + "\n")
}

/// Breaks a text between words; further lines are indented. Line breaks of the text stay.
fn wrapped(text: &str) -> String {
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

/// Replaces each character by one of ASCII, so that columns stay in place.
fn in_ascii(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{2588}'..='\u{258c}' => '#',
        '\u{258d}'..='\u{258f}' => ' ',
        'µ' => 'u',
        '…' => '.',
        '–' => '-',
        '×' => 'x',
        '±' => '+',
        c if c.is_ascii() => c,
        _ => '?',
    };
    text.chars().map(plain).collect()
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

    #[test]
    fn ascii_keeps_every_column() {
        assert_eq!(in_ascii("a ███▌ 3 µs … é"), "a #### 3 us . ?");
    }
}
