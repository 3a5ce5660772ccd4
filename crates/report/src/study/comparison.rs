//! Two sets of runs, compared.

use assessment::{BrokenLimit, By, ComparedFigure, Comparison, ComparisonNote};
use schemars::JsonSchema;
use serde::Serialize;
use units::format::percent;
use units::markup::{one_line, printable};

use super::parts::{document, wrapped};
use super::table::{Column, Row, Table};

const SCHEMA: &str = "fathom.comparison/1";

/// The figures of a comparison.
pub fn table(comparison: &Comparison) -> Table {
    let columns = vec![
        Column::text("test"),
        Column::text("figure"),
        Column::number("", "A"),
        Column::number("", "B"),
        Column::number("", "difference"),
        Column::text(""),
    ];
    let row = |line: &ComparedFigure| {
        let figures = [line.metric.show(line.first), line.metric.show(line.second), change(line.difference)];
        let cells = figures.into_iter().chain([certainty(line)]).collect();
        Row { labels: vec![line.test.clone(), line.metric.to_string()], cells: Ok(cells) }
    };
    Table { title: String::new(), columns, rows: comparison.lines.iter().map(row).collect() }
}

/// How certain a difference is.
fn certainty(line: &ComparedFigure) -> String {
    let certainty = match (line.by, line.interval, line.p) {
        (By::Intervals, Some((low, high)), _) => format!("{} to {}", change(low), change(high)),
        (By::Repeats, _, Some(p)) => format!("p = {p:.3}"),
        _ => "too few intervals and repeats".to_owned(),
    };
    if line.shown { certainty } else { format!("no difference shown ({certainty})") }
}

/// What the table does not show.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes: Vec<String> = comparison.notes.iter().map(note).collect();
    let shown = comparison.lines.iter().filter(|line| line.shown).count();
    notes.push(match shown {
        0 => "no difference shown".to_owned(),
        shown => format!("{shown} of {} figures differ", comparison.lines.len()),
    });
    if comparison.lines.iter().any(|line| line.by == By::Intervals) {
        notes.push("One run each: run-to-run variation is unknown. Use at least 4 repeats per side.".to_owned());
    }
    notes
}

fn note(note: &ComparisonNote) -> String {
    match note {
        ComparisonNote::OnlyInFirst(test) => format!("{} is only in A", one_line(test)),
        ComparisonNote::OnlyInSecond(test) => format!("{} is only in B", one_line(test)),
        ComparisonNote::JobsDiffer(test) => {
            format!("{}: the jobs differ; this alone may change the figures", one_line(test))
        }
    }
}

/// Formats a share as a change: `+5 %`.
pub fn change(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", percent(share))
}

/// A limit of `--fail-on` that a comparison breaks.
pub fn broken(broken: &BrokenLimit) -> String {
    format!("{}: {} is {}", broken.limit, one_line(&broken.test), change(broken.difference))
}

/// Returns the broken limits of a comparison, in words.
pub fn failed_limits(comparison: &Comparison) -> Vec<String> {
    comparison.failed.iter().map(broken).collect()
}

/// Returns a comparison as text.
pub fn comparison_text(comparison: &Comparison) -> String {
    let notes: String = notes(comparison).iter().map(|note| wrapped(note)).collect();
    printable(&format!("{}\n{notes}", table(comparison).text())).into_owned()
}

/// The JSON of `fathom compare`.
#[derive(Serialize, JsonSchema)]
pub struct ComparisonDocument<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The first set, as typed.
    a: &'a str,
    /// The second set, as typed.
    b: &'a str,
    #[serde(flatten)]
    comparison: Compared<'a>,
}

/// The lines, notes and broken limits of a comparison.
#[derive(Serialize, JsonSchema)]
pub struct Compared<'a> {
    /// One line per figure that both sets have.
    lines: &'a [ComparedFigure],
    /// Limits of what the comparison shows, in words. The text can change with any version.
    notes: Vec<String>,
    /// Broken limits of `--fail-on`, in words. The text can change with any version.
    failed: Vec<String>,
}

impl<'a> From<&'a Comparison> for Compared<'a> {
    fn from(comparison: &'a Comparison) -> Compared<'a> {
        Compared {
            lines: &comparison.lines,
            notes: comparison.notes.iter().map(note).collect(),
            failed: failed_limits(comparison),
        }
    }
}

/// Returns a comparison as JSON; `a` and `b` name the two sets.
pub fn comparison_json(comparison: &Comparison, a: &str, b: &str) -> String {
    document(&ComparisonDocument { schema: SCHEMA, a, b, comparison: comparison.into() })
}
