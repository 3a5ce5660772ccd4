//! The rows of the verdict table: a figure of a test, its expected value, and the verdict.

use assessment::{Aim, Assessment, ExpectedLimit, Judgement, Study, Test, Verdict};

use crate::causes;
use crate::figures::{Cell, Side, cells};
use crate::text::{self, NONE};
use crate::wording;
use units::format::ratio;

/// Most settings with a row each.
const SETTINGS_MOST: usize = 4;

/// Whether the study takes expectations: only suites do.
pub fn takes_expectations(assessment: &Assessment) -> bool {
    matches!(assessment.study, Study::Suite(_))
}

pub fn has_judgements(assessment: &Assessment) -> bool {
    assessment.tests.iter().any(|test| !test.judgements.is_empty())
}

/// Whether a table of verdicts is shown. Without expectations each verdict would be MEASURED.
pub fn is_table_wanted(assessment: &Assessment) -> bool {
    takes_expectations(assessment) || has_judgements(assessment)
}

pub struct Row {
    pub test: String,
    /// Returns the metric and the settings of a row.
    pub figure: String,
    pub measured: String,
    pub expected: String,
    pub ratio: String,
    pub interval: String,
    pub verdict: Verdict,
    pub cause: String,
}

/// Returns a row for each judgement; without expectations, for each main figure of the test.
pub fn of_test(assessment: &Assessment, test: &Test) -> Vec<Row> {
    let row = |figure: String, measured: String| Row {
        cause: causes::cause_of_test(assessment, test),
        ..row(test, figure, measured)
    };
    if !test.judgements.is_empty() {
        return test.judgements.iter().map(|judgement| judged(test, judgement)).collect();
    }
    let cells = cells(test);
    let figures: Vec<Figure> = cells.iter().flat_map(|cell| of_cell(test, cell)).collect();
    match figures.len() {
        0 => vec![row(String::new(), NONE.to_owned())],
        1..=SETTINGS_MOST => figures.iter().map(|figure| row(figure.named(), figure.shown(figure.value))).collect(),
        _ => spans(&figures).into_iter().map(|(figure, measured)| row(figure, measured)).collect(),
    }
}

/// Combines many settings into one row per figure, with their number and the range of values.
fn spans(figures: &[Figure]) -> Vec<(String, String)> {
    let mut names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let span = |name: &str| {
        let same: Vec<&Figure> = figures.iter().filter(|figure| figure.name == name).collect();
        let mut values: Vec<f64> = same.iter().map(|figure| figure.value).collect();
        values.sort_by(f64::total_cmp);
        let first = same.first()?;
        let (least, most) = (*values.first()?, *values.last()?);
        let one = first.shown(least);
        let measured = if one == first.shown(most) { one } else { text::from_to(least, most, first.unit) };
        Some((format!("{name} ×{}", same.len()), measured))
    };
    names.into_iter().filter_map(span).collect()
}

/// The main figure of a test, in one of its settings.
struct Figure {
    /// Name of the metric.
    name: String,
    at: String,
    value: f64,
    unit: &'static str,
}

impl Figure {
    fn named(&self) -> String {
        if self.at.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.at) }
    }

    fn shown(&self, value: f64) -> String {
        text::figure(value, self.unit)
    }
}

fn judged(test: &Test, judgement: &Judgement) -> Row {
    let unit = judgement.metric.unit();
    let figure = |value: f64| text::figure(value, unit);
    let dash = || NONE.to_owned();
    let interval = judgement.interval.map(|(low, high)| text::from_to(low, high, unit));
    Row {
        measured: figure(judgement.measured),
        expected: judgement.threshold.as_ref().map_or_else(dash, |threshold| figure(threshold.value)),
        ratio: judgement.ratio().map_or_else(dash, ratio),
        interval: interval.unwrap_or_else(dash),
        verdict: judgement.verdict,
        cause: wording::reason(judgement),
        ..row(test, named(judgement), String::new())
    }
}

/// Returns the metric and its settings.
fn named(judgement: &Judgement) -> String {
    let settings = judgement.at.iter().map(|(name, value)| format!(" {name}={value}"));
    judgement.metric.to_string() + &settings.collect::<String>()
}

fn row(test: &Test, figure: String, measured: String) -> Row {
    let dash = || NONE.to_owned();
    Row {
        test: test.name.clone(),
        figure,
        measured,
        expected: dash(),
        ratio: dash(),
        interval: dash(),
        verdict: test.verdict,
        cause: String::new(),
    }
}

fn of_cell(test: &Test, cell: &Cell) -> Vec<Figure> {
    let at = cell.name();
    let sides = cell.sides();
    let flushes: Vec<&Side> = sides.iter().filter(|side| side.rates.is_none()).collect();
    let chosen = match test.aim {
        Aim::FlushLatency if !flushes.is_empty() => flushes,
        _ => sides.iter().filter(|side| side.rates.is_some()).collect(),
    };
    chosen.into_iter().map(|side| Figure { at: at.clone(), ..main_figure(test.aim, side) }).collect()
}

/// Returns the main figure of an aim.
fn main_figure(aim: Aim, side: &Side) -> Figure {
    let figure = |name: String, value: f64, unit: &'static str| Figure { name, at: String::new(), value, unit };
    let p99 = |name: String| figure(name, side.latency.percentile_ns(99.0).unwrap_or(f64::INFINITY), "ns");
    match (aim, side.rates) {
        (_, None) => p99("fsync.p99".to_owned()),
        (Aim::LatencyFloor | Aim::FlushLatency, Some(_)) => p99(format!("{}.lat.p99", side.name)),
        (Aim::DiskBandwidth, Some(rates)) => figure(format!("{}.bw", side.name), rates.bytes_per_s, "B/s"),
        (_, Some(rates)) => figure(format!("{}.iops", side.name), rates.iops, "IOPS"),
    }
}

/// Returns the metric of a limit, after its volume.
pub fn limit_name(limit: &ExpectedLimit) -> String {
    let volume = limit.volume.as_ref().map(|volume| format!("{volume}:")).unwrap_or_default();
    format!("{volume}{}", limit.metric)
}
