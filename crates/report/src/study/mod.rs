//! Searches, sweeps and repeats: a table, notes, a chart of text and a sentence, for people and for programs.
//!
//! All views of a study take their numbers from its result.

mod bars;
mod comparison;
mod conclusion;
mod ink;
mod invalid;
mod knee;
mod knee_hosts;
mod like;
mod parts;
mod repeats;
mod scale;
pub(crate) mod sweep;
mod table;

pub use comparison::{ComparisonDocument, comparison_json, comparison_text};
pub(crate) use comparison::{notes as comparison_notes, table as comparison_table};
pub use conclusion::answer_of_comparison;
pub(crate) use conclusion::of_comparison as conclusion;
pub(crate) use conclusion::{changed, invalid_runs, limit as limit_in_words, result as result_of, undecided};
pub(crate) use conclusion::{interval as ratio_interval, ratio};
pub use ink::Ink;
pub(crate) use ink::in_ascii;
pub(crate) use invalid::names_invalid_runs;
pub use knee::KneeDocument;
pub use repeats::RepeatsDocument;
pub use sweep::SweepDocument;
pub use table::{Column, Row, Table};

use assessment::{Assessment, Finding, Study};

use parts::{Summary, wrapped};
use units::markup::printable;

/// Returns the summary of a search, a sweep or repeats; `None` for other studies and without a result.
pub(crate) fn summary(assessment: &Assessment) -> Option<Summary> {
    match &assessment.study {
        Study::Knee(request) => Some(knee::summary(assessment, request, request.result.as_ref()?)),
        Study::Sweep(request) => Some(sweep::summary(assessment, request, request.result.as_ref()?)),
        Study::Repeats(request) => Some(repeats::summary(assessment, request, request.result.as_ref()?)),
        Study::Suite(_) | Study::Single | Study::Preconditioning => None,
    }
}

/// Returns the conclusion of a search, a sweep or repeats in one line, after a finding that makes it worthless.
pub fn sentence(assessment: &Assessment) -> Option<String> {
    Some(summary(assessment)?.whole_sentence(assessment)?.replace('\n', "; "))
}

/// Returns the conclusion in one line, without such a finding.
pub(crate) fn result_sentence(assessment: &Assessment) -> Option<String> {
    let lines = summary(assessment)?.answer();
    (!lines.is_empty()).then(|| lines.join("; ").replace('\n', "; "))
}

/// Returns the points or runs of a study that have a finding of a test; `None` for other studies.
pub(crate) fn place(assessment: &Assessment, test: usize, finding: &Finding) -> Option<String> {
    match &assessment.study {
        Study::Sweep(request) => sweep::place(request.result.as_ref()?, finding),
        Study::Repeats(request) => repeats::place(request, request.result.as_ref()?, test, finding),
        Study::Suite(_) | Study::Knee(_) | Study::Single | Study::Preconditioning => None,
    }
}

/// Returns a search, a sweep or repeats as text; `None` for other studies. The conclusion is at the top; that of repeats is
/// at the end, as in a comparison.
pub fn text(assessment: &Assessment, ink: Ink) -> Option<String> {
    let summary = summary(assessment)?;
    let mut text = wrapped(&summary.head);
    let sentence =
        summary.whole_sentence(assessment).map(|sentence| format!("\n{}", wrapped(&sentence))).unwrap_or_default();
    let (first, last) = if matches!(assessment.study, Study::Repeats(_)) {
        (String::new(), sentence)
    } else {
        (sentence, String::new())
    };
    text += &first;
    for table in &summary.tables {
        text += "\n";
        text += &table.text();
    }
    let mut notes = summary.notes.iter().chain(&summary.findings).peekable();
    if notes.peek().is_some() {
        text += "\n";
        notes.for_each(|note| text += &wrapped(note));
    }
    if let Some(bars) = &summary.bars {
        text += &format!("\n{bars}");
    }
    text += &last;
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
