//! Sets of runs, compared: table, notes and JSON.

use assessment::{By, ComparedFigure, Comparison, ComparisonNote, InvalidRuns, LimitedChange};
use judge::compare::{SINGLE, side_name};
use schemars::JsonSchema;
use serde::Serialize;
use units::format::percent;
use units::markup::{one_line, printable};

use super::conclusion::{self, interval, ratio};
use super::ink::{Ink, in_ascii};
use super::parts::{document, wrapped};
use super::table::{Column, Row, Table};
use crate::text::{NONE, figure};

const SCHEMA: &str = "fathom.comparison/2";
/// Most notes on the source of the variation.
const SOURCES_MOST: usize = 6;

/// The figures of a comparison.
pub fn table(comparison: &Comparison) -> Table {
    let has_many = comparison.lines.iter().any(|line| line.side > 1);
    // A single run has no test to name.
    let has_tests = comparison.lines.iter().any(|line| line.test != SINGLE);
    let mut columns: Vec<Column> = has_tests.then(|| Column::text("test")).into_iter().collect();
    columns.extend([Column::text("figure"), Column::number("", "A")]);
    match has_many {
        true => columns.extend([Column::text("with"), Column::number("", "its figure"), Column::number("", "ratio")]),
        false => columns.extend([Column::number("", "B"), Column::number("", "B / A")]),
    }
    let interval = format!("{} interval", percent(comparison.confidence));
    columns.extend([Column::text(&interval).labelled(&interval), Column::number("", "detectable")]);
    let row = |line: &ComparedFigure| {
        let mut cells = vec![figure(line.first, &line.unit)];
        cells.extend(has_many.then(|| side_name(line.side).to_string()));
        let detectable = line.detectable.map_or_else(|| NONE.to_owned(), percent);
        cells.extend([figure(line.second, &line.unit), ratio(line.ratio), certainty(line), detectable]);
        let labels = has_tests.then(|| line.test.clone()).into_iter().chain([line.metric.to_string()]);
        Row { labels: labels.collect(), cells: Ok(cells) }
    };
    Table { title: String::new(), columns, rows: comparison.lines.iter().map(row).collect() }
}

/// How certain a difference is.
fn certainty(line: &ComparedFigure) -> String {
    match (line.by, line.interval) {
        (By::Repeats | By::History, Some(found)) if line.shown => interval(found),
        (By::Repeats | By::History, Some(found)) => format!("{}: no difference shown", interval(found)),
        (By::Intervals, Some(found)) => format!("{} within the runs", interval(found)),
        (By::Invalid, _) => "INVALID".to_owned(),
        _ => "too few intervals and repeats".to_owned(),
    }
}

/// What the table does not show.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes: Vec<String> = comparison.notes.iter().map(note).collect();
    let mut sources: Vec<String> = Vec::new();
    for line in &comparison.lines {
        let source = source(line);
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources.truncate(SOURCES_MOST);
    notes.extend(sources);
    let shown = comparison.lines.iter().filter(|line| line.shown).count();
    if comparison.tested > 0 {
        notes.push(format!(
            "{shown} of {} figures differ. With intervals of {}, at most 5 % of the differences shown are expected to be chance. \
             Detectable: the smallest change that these runs would show.",
            comparison.tested,
            percent(comparison.confidence),
        ));
    }
    notes
}

/// The source of the run-to-run variation of a figure.
fn source(line: &ComparedFigure) -> String {
    let (side, (first, second)) = (side_name(line.side), line.runs);
    let runs = format!("A: {}, {side}: {}.", counted(first), counted(second));
    match line.by {
        By::Repeats => format!("{runs} Figures are means. Run-to-run variation: of these runs."),
        By::History => {
            let (count, ids) = (line.history.len(), in_ranges(&line.history));
            format!("{runs} Run-to-run variation: of {count} repeats of the job on the target in the history ({ids}).")
        }
        By::Intervals | By::Nothing => {
            format!("{runs} Run-to-run variation is unknown. Use at least 4 repeats per side.")
        }
        By::Invalid => format!("{runs} Not compared: INVALID runs."),
    }
}

/// Returns numbers of runs, with ranges: `3, 12-16`.
fn in_ranges(ids: &[i64]) -> String {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    let ranges = ids.chunk_by(|id, next| next - id <= 1).map(|range| match range {
        [first, second] => format!("{first}, {second}"),
        [first, .., last] => format!("{first}-{last}"),
        alone => alone.iter().map(i64::to_string).collect(),
    });
    ranges.collect::<Vec<_>>().join(", ")
}

fn counted(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

fn note(note: &ComparisonNote) -> String {
    match note {
        ComparisonNote::Missing { test, side } => format!("{} is not in {}", one_line(test), side_name(*side)),
        ComparisonNote::JobsDiffer { test, side } => {
            let of = if *side > 1 { format!(" of A and {}", side_name(*side)) } else { String::new() };
            format!("{}: the jobs{of} differ; this alone may change the figures", one_line(test))
        }
        ComparisonNote::LimitNotDetectable { limit, test, detectable } => format!(
            "warning: --fail-on {limit}: {}: only changes above {} are shown with these runs\nhelp: use more repeats",
            one_line(test),
            percent(*detectable),
        ),
    }
}

/// Returns a comparison as text. The conclusion is at the end.
pub fn comparison_text(comparison: &Comparison, ink: Ink) -> String {
    let lines = |all: &[String]| all.iter().map(|note| wrapped(note)).collect::<String>();
    let (notes, conclusion) = (lines(&notes(comparison)), lines(&conclusion::of_comparison(comparison)));
    let text = format!("{}\n{notes}\n{conclusion}", table(comparison).text());
    let text = printable(&text);
    if ink == Ink::Ascii { in_ascii(&text) } else { text.into_owned() }
}

/// The JSON of `fathom compare`.
#[derive(Serialize, JsonSchema)]
pub struct ComparisonDocument<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The sets, in order.
    sides: Vec<SideDocument<'a>>,
    #[serde(flatten)]
    comparison: Compared<'a>,
}

/// A set of runs.
#[derive(Serialize, JsonSchema)]
struct SideDocument<'a> {
    /// `A`, `B` and so on.
    name: String,
    /// The runs, as typed.
    runs: &'a str,
}

/// The lines, notes, exceeded limits and the conclusion of a comparison.
#[derive(Serialize, JsonSchema)]
pub struct Compared<'a> {
    /// One line per figure and set that is compared with the first.
    lines: Vec<LineDocument<'a>>,
    /// Limits of what the comparison shows.
    notes: Vec<NoteDocument<'a>>,
    /// Number of lines with a p. The false discovery rate is controlled over them.
    tested: usize,
    /// Confidence of the intervals of these lines: 0.95 or more.
    confidence: f64,
    /// Exceeded limits of `--fail-on`.
    failed: Vec<ChangeDocument<'a>>,
    /// Limits of `--fail-on` that cannot be decided.
    undecided: Vec<ChangeDocument<'a>>,
    /// Tests with INVALID runs. Their figures are not compared.
    invalid: Vec<InvalidDocument<'a>>,
    /// The result in sentences. The text can change with any version.
    conclusion: Vec<String>,
}

/// A figure of two sets.
#[derive(Serialize, JsonSchema)]
struct LineDocument<'a> {
    #[serde(flatten)]
    figure: &'a ComparedFigure,
    /// The result in words. The text can change with any version.
    message: String,
    /// The source of the run-to-run variation in words. The text can change with any version.
    source: String,
}

/// A limit of what a comparison shows.
#[derive(Serialize, JsonSchema)]
struct NoteDocument<'a> {
    note: &'a ComparisonNote,
    /// The note in words. The text can change with any version.
    message: String,
}

/// A change, compared with a limit of `--fail-on`.
#[derive(Serialize, JsonSchema)]
struct ChangeDocument<'a> {
    #[serde(flatten)]
    change: &'a LimitedChange,
    /// The limit and the change in words. The text can change with any version.
    message: String,
}

/// INVALID runs of a test.
#[derive(Serialize, JsonSchema)]
struct InvalidDocument<'a> {
    #[serde(flatten)]
    invalid: &'a InvalidRuns,
    /// The runs and the cause in words. The text can change with any version.
    message: String,
}

impl<'a> From<&'a Comparison> for Compared<'a> {
    fn from(comparison: &'a Comparison) -> Compared<'a> {
        let line = |figure: &'a ComparedFigure| LineDocument {
            figure,
            message: conclusion::result(figure),
            source: source(figure),
        };
        let change = |change: &'a LimitedChange| ChangeDocument { change, message: conclusion::broken(change) };
        let invalid =
            |invalid: &'a InvalidRuns| InvalidDocument { invalid, message: conclusion::invalid_runs(invalid) };
        Compared {
            lines: comparison.lines.iter().map(line).collect(),
            notes: comparison.notes.iter().map(|one| NoteDocument { note: one, message: note(one) }).collect(),
            tested: comparison.tested,
            confidence: comparison.confidence,
            failed: comparison.failed.iter().map(change).collect(),
            undecided: comparison.undecided.iter().map(change).collect(),
            invalid: comparison.invalid.iter().map(invalid).collect(),
            conclusion: conclusion::of_comparison(comparison),
        }
    }
}

/// Returns a comparison as JSON. `sides` are the arguments of the sets.
pub fn comparison_json(comparison: &Comparison, sides: &[String]) -> String {
    let named = sides.iter().enumerate().map(|(at, runs)| SideDocument { name: side_name(at).to_string(), runs });
    let sides = named.collect();
    document(&ComparisonDocument { schema: SCHEMA, sides, comparison: comparison.into() })
}
