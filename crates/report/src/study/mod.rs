//! Searches, sweeps and repeats: a table, notes, a chart of text and a sentence, for people and for programs.
//!
//! All views of a study take their numbers from its result.

mod bars;
mod comparison;
mod knee;
mod parts;
mod repeats;
mod scale;
pub(crate) mod sweep;
mod table;

pub(crate) use comparison::broken as broken_limit;
pub use comparison::{ComparisonDocument, comparison_json, comparison_text, failed_limits};
pub use knee::KneeDocument;
pub use repeats::RepeatsDocument;
pub use sweep::SweepDocument;
pub use table::Table;

use assessment::{Assessment, Study};

use parts::{Summary, wrapped};
use units::markup::printable;

/// Characters that a text may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ink {
    #[default]
    Unicode,
    Ascii,
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
    let text = printable(&text);
    Some(if ink == Ink::Ascii { in_ascii(&text) } else { text.into_owned() })
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
    fn ascii_keeps_every_column() {
        assert_eq!(in_ascii("a ███▌ 3 µs … é"), "a #### 3 us . ?");
    }
}
