//! Sets of runs, compared: table, notes and JSON.

use std::borrow::Cow;
use std::mem::discriminant;

use assessment::{By, COMPARED_IOS_MIN, Cause, ComparedFigure, Comparison, ComparisonNote, InvalidRuns, LimitedChange};
use judge::compare::{SINGLE, side_name};
use schemars::JsonSchema;
use serde::Serialize;
use units::format::percent;
use units::markup::{one_line, printable};
use units::order::OrderBy;

use super::conclusion::{self, interval, ratio};
use super::ink::{Ink, in_ascii};
use super::parts::{document, wrapped};
use super::table::{Column, Row, Table};
use crate::text::{NONE, figure};
use crate::wording;

const SCHEMA: &str = "fathom.comparison/1";
/// Most lines of the text. One of 24 is left for the prompt.
const LINES_MOST: usize = 23;
/// Fewest rows of the table, however long the notes are.
const ROWS_LEAST: usize = 2;
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
        let of_means = if states_nothing(line) { NONE.to_owned() } else { ratio(line.ratio) };
        cells.extend([figure(line.second, &line.unit), of_means, certainty(line), detectable]);
        let labels = has_tests.then(|| line.test.clone()).into_iter().chain([line.metric.to_string()]);
        Row { labels: labels.collect(), cells: Ok(cells) }
    };
    Table { title: String::new(), columns, rows: comparison.lines.iter().map(row).collect() }
}

/// Whether the ratio of the means is no result.
fn states_nothing(line: &ComparedFigure) -> bool {
    line.is_too_uncertain() || line.by == By::NotRepeats
}

/// How certain a difference is.
fn certainty(line: &ComparedFigure) -> String {
    match (line.by, line.interval) {
        _ if states_nothing(line) => conclusion::result(line),
        (By::Repeats | By::History, Some(found)) if line.shown => interval(found),
        (By::Repeats | By::History, Some(found)) => format!("{}: no difference shown", interval(found)),
        (By::Intervals, Some(found)) => format!("{} within the runs", interval(found)),
        (By::Invalid, _) => "INVALID".to_owned(),
        _ => "too few intervals and repeats".to_owned(),
    }
}

/// What the table does not show.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = grouped(comparison);
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
        By::NotRepeats => format!("{runs} Not compared: the runs of a set are not repeats of one job."),
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

/// Returns a sentence for all tests of a set with the same note. Those on missing tests are first.
fn grouped(comparison: &Comparison) -> Vec<String> {
    let mut groups: Vec<(&ComparisonNote, Vec<Cow<str>>)> = Vec::new();
    for note in &comparison.notes {
        let of = |note: &ComparisonNote| (discriminant(note), note_subject(note).1);
        let test = one_line(note_subject(note).0);
        match groups.iter_mut().find(|(known, _)| of(known) == of(note)) {
            Some((_, tests)) => tests.push(test),
            None => groups.push((note, vec![test])),
        }
    }
    groups.order_by_key(|(note, _)| !matches!(note, ComparisonNote::Missing { .. }));
    groups.iter().map(|(note, tests)| sentence(note, tests)).collect()
}

/// Returns the test, and the index of the set or direction that a note is about.
fn note_subject(note: &ComparisonNote) -> (&str, usize) {
    match note {
        ComparisonNote::Missing { test, side }
        | ComparisonNote::JobsDiffer { test, side }
        | ComparisonNote::NotRepeats { test, side }
        | ComparisonNote::Disturbed { test, side } => (test, *side),
        ComparisonNote::FewIos { test, direction } => (test, *direction as usize),
    }
}

fn note(note: &ComparisonNote) -> String {
    sentence(note, &[one_line(note_subject(note).0)])
}

fn sentence(note: &ComparisonNote, tests: &[Cow<str>]) -> String {
    let names = tests.join(", ");
    match note {
        ComparisonNote::Missing { side, .. } => {
            format!("{names} {} not in {}", if tests.len() > 1 { "are" } else { "is" }, side_name(*side))
        }
        ComparisonNote::JobsDiffer { side, .. } => {
            let of = if *side > 1 { format!(" of A and {}", side_name(*side)) } else { String::new() };
            format!("{names}: the jobs{of} differ in load, length or size; this alone may change the figures")
        }
        ComparisonNote::NotRepeats { side, .. } => format!(
            "warning: {names}: the runs of {} are not repeats of one job: they differ in load, length, size or target\nhelp: compare \
             runs of one job on one target",
            side_name(*side),
        ),
        ComparisonNote::Disturbed { side, .. } => format!(
            "warning: {names}: other load or interruptions disturbed most runs of {}: this alone may change the figures",
            side_name(*side),
        ),
        ComparisonNote::FewIos { direction, .. } => {
            let name = direction.name();
            format!("{names}: fewer than {COMPARED_IOS_MIN} {name}s in each run: their figures are not compared")
        }
    }
}

/// Returns at most `most` figures in their order: the shown differences first, then the largest ratios.
fn most_different(comparison: &Comparison, most: usize) -> Comparison {
    let mut ranked: Vec<(usize, &ComparedFigure)> = comparison.lines.iter().enumerate().collect();
    ranked.order_by(|(_, one), (_, other)| {
        let rank = |line: &ComparedFigure| (line.shown, line.ratio.ln().abs());
        let ((shown, distance), (other_shown, other_distance)) = (rank(one), rank(other));
        other_shown.cmp(&shown).then(other_distance.total_cmp(&distance))
    });
    ranked.truncate(most);
    ranked.order_by_key(|(at, _)| *at);
    Comparison { lines: ranked.into_iter().map(|(_, line)| line.clone()).collect(), ..comparison.clone() }
}

/// Returns a comparison as text of one screen. The conclusion is at the end.
pub fn comparison_text(comparison: &Comparison, ink: Ink) -> String {
    let lines = |all: &[String]| all.iter().map(|note| wrapped(note)).collect::<String>();
    let (notes, conclusion) = (lines(&notes(comparison)), lines(&conclusion::answer_of_comparison(comparison)));
    let below = format!("\n{notes}\n{conclusion}");
    // The head of the table, and the line on what is left out.
    let room = LINES_MOST.saturating_sub(below.lines().count() + 2).max(ROWS_LEAST);
    let left_out = comparison.lines.len().saturating_sub(room);
    let table = match left_out {
        0 => table(comparison).text(),
        _ => format!(
            "{}  … {left_out} more figures: add --report compare.html\n",
            table(&most_different(comparison, room)).text()
        ),
    };
    let text = format!("{table}{below}");
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
    test: &'a str,
    /// Index of the set: 0 is A.
    side: usize,
    /// Number of INVALID runs.
    runs: usize,
    cause: InvalidCause<'a>,
    /// The runs and the cause in words. The text can change with any version.
    message: String,
}

/// The cause of the first INVALID run.
#[derive(Serialize, JsonSchema)]
struct InvalidCause<'a> {
    /// Name of the finding; `failure` for an error of the run.
    kind: &'a str,
    /// The cause in words. The text can change with any version.
    message: String,
}

impl<'a> From<&'a InvalidRuns> for InvalidDocument<'a> {
    fn from(invalid: &'a InvalidRuns) -> InvalidDocument<'a> {
        let kind = if let Cause::Finding(finding) = &invalid.cause { finding.kind.name() } else { "failure" };
        InvalidDocument {
            test: &invalid.test,
            side: invalid.side,
            runs: invalid.runs,
            cause: InvalidCause { kind, message: wording::cause(&invalid.cause) },
            message: conclusion::invalid_runs(invalid),
        }
    }
}

impl<'a> From<&'a Comparison> for Compared<'a> {
    fn from(comparison: &'a Comparison) -> Compared<'a> {
        let line = |figure: &'a ComparedFigure| LineDocument {
            figure,
            message: conclusion::result(figure),
            source: source(figure),
        };
        let change = |change: &'a LimitedChange| ChangeDocument { change, message: conclusion::broken(change) };
        Compared {
            lines: comparison.lines.iter().map(line).collect(),
            notes: comparison.notes.iter().map(|one| NoteDocument { note: one, message: note(one) }).collect(),
            tested: comparison.tested,
            confidence: comparison.confidence,
            failed: comparison.failed.iter().map(change).collect(),
            undecided: comparison.undecided.iter().map(change).collect(),
            invalid: comparison.invalid.iter().map(InvalidDocument::from).collect(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(test: usize, metric: &str, shown: bool) -> ComparedFigure {
        let ratio = if shown { 1.0 + test as f64 / 10.0 } else { 1.001 };
        ComparedFigure { test: format!("test-{test}"), ..conclusion::tests::line(metric, ratio, By::Repeats, shown) }
    }

    #[test]
    fn the_text_of_a_suite_is_one_screen_with_the_largest_differences() {
        let metrics = ["read.iops", "read.bw", "read.lat.p50", "read.lat.p99"];
        let lines: Vec<ComparedFigure> =
            (1..10).flat_map(|test| metrics.map(|metric| line(test, metric, test > 4))).collect();
        let missing = (1..9).map(|test| ComparisonNote::Missing { test: format!("other-{test}"), side: 0 });
        let comparison =
            Comparison { notes: missing.collect(), tested: 36, confidence: 0.95, lines, ..Comparison::default() };
        let text = comparison_text(&comparison, Ink::Unicode);
        assert!(text.lines().count() <= LINES_MOST, "{}:\n{text}", text.lines().count());
        assert!(text.contains("test-9  ") && !text.contains("test-1  "), "{text}");
        assert!(text.contains(" more figures: add --report compare.html\n"), "{text}");
        assert!(text.contains("other-1, other-2,"), "{text}");
        assert_eq!(text.replace("\n  ", " ").matches("not in A").count(), 1, "{text}");
        let few = Comparison { lines: comparison.lines[..4].to_vec(), notes: Vec::new(), ..comparison };
        assert!(!comparison_text(&few, Ink::Unicode).contains("more figures"));
    }

    #[test]
    fn tests_of_a_set_with_the_same_note_are_one_sentence_and_missing_tests_are_first() {
        let test = |name: &str| name.to_owned();
        let notes = vec![
            ComparisonNote::NotRepeats { test: test("a"), side: 1 },
            ComparisonNote::JobsDiffer { test: test("a"), side: 2 },
            ComparisonNote::JobsDiffer { test: test("b"), side: 1 },
            ComparisonNote::JobsDiffer { test: test("c"), side: 2 },
            ComparisonNote::Missing { test: test("d"), side: 1 },
            ComparisonNote::Missing { test: test("e"), side: 1 },
            ComparisonNote::Missing { test: test("f"), side: 0 },
        ];
        let sentences = grouped(&Comparison { notes, ..Comparison::default() });
        let starts = [
            "d, e are not in B",
            "f is not in A",
            "warning: a: the runs of B are not repeats",
            "a, c: the jobs of A and C differ",
            "b: the jobs differ",
        ];
        assert_eq!(sentences.len(), starts.len(), "{sentences:?}");
        for (sentence, start) in sentences.iter().zip(starts) {
            assert!(sentence.starts_with(start), "{sentence} does not start with {start}");
        }
    }
}
