//! One overview of all tests: a bar for each rate, and the span from p50 to p99.9 for each latency.

use assessment::{Assessment, Test};
use units::markup::escaped;

use super::axis::{Axis, span};
use super::canvas::number;
use super::over_time::LARGE_BLOCK_BYTES;
use super::panel::{BAR_HEIGHT, LEFT, Panel};
use super::picture::Chart;
use super::sign::OF_PERCENTILES;
use crate::grid;
use crate::key_figures::{self, KeyFigures, PERCENTILES, Span};
use crate::text::figure;

/// With fewer rows the table of figures shows as much.
const ROWS_LEAST: usize = 2;
const ROWS_MOST: usize = 24;
/// A limit above this multiple of the largest value is not drawn: it would shorten the bars.
const LIMIT_AT_MOST: f64 = 3.0;

/// A rate of all tests.
struct Rate {
    kind: &'static str,
    title: &'static str,
    unit: &'static str,
    name: &'static str,
    divisor: f64,
    of: fn(&KeyFigures) -> Option<Span>,
}

const RATES: [Rate; 2] = [
    Rate { kind: "overview-iops", title: "IOPS", unit: "IOPS", name: "IOPS", divisor: 1.0, of: |row| row.iops },
    Rate {
        kind: "overview-bandwidth",
        title: "Bandwidth",
        unit: "B/s",
        name: "MiB/s",
        divisor: 1_048_576.0,
        of: |row| row.bytes_per_s,
    },
];

/// Returns the parts of the overview: IOPS, bandwidth and latency. An assessment with one row has none.
pub fn charts(assessment: &Assessment) -> Vec<Chart> {
    let rows = key_figures::of(assessment);
    if rows.len() < ROWS_LEAST {
        return Vec::new();
    }
    // The grid of CrystalDiskMark shows the rates, in its own unit.
    let rates = if grid::of(assessment).is_some() { &RATES[..0] } else { &RATES[..] };
    let mut charts: Vec<Chart> = rates.iter().filter_map(|rate| bars(assessment, &rows, rate)).collect();
    charts.extend(latencies(assessment, &rows));
    charts
}

/// Returns true if a rate describes a row: it has an expected value, or no rate has one and the size of the blocks decides.
fn describes(assessment: &Assessment, row: &KeyFigures, unit: &str) -> bool {
    let is_judged = |unit: &str| !limits(assessment.tests.get(row.test), unit, row).is_empty();
    match RATES.iter().any(|rate| is_judged(rate.unit)) {
        true => is_judged(unit),
        false => main_unit(row) == unit,
    }
}

/// Returns the unit of the rate that describes tests with blocks of this size best.
pub fn main_unit(row: &KeyFigures) -> &'static str {
    let (iops, bytes) = (row.iops.map_or(0.0, |span| span.most), row.bytes_per_s.map_or(0.0, |span| span.most));
    if bytes >= iops * LARGE_BLOCK_BYTES as f64 { "B/s" } else { "IOPS" }
}

fn bars(assessment: &Assessment, rows: &[KeyFigures], rate: &Rate) -> Option<Chart> {
    let rows = rows.iter().filter(|row| describes(assessment, row, rate.unit));
    let known: Vec<(&KeyFigures, Span)> = rows.filter_map(|row| Some((row, (rate.of)(row)?))).collect();
    let most = known.iter().map(|(_, span)| span.most).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let limits = |row: &KeyFigures| limits(assessment.tests.get(row.test), rate.unit, row);
    let near = known.iter().flat_map(|(row, _)| limits(row)).filter(|limit| *limit <= most * LIMIT_AT_MOST);
    let top = near.fold(most, f64::max) / rate.divisor;
    let axis = Axis::counts(rate.name, top);
    let mut panel = Panel::new();
    let mut words: Vec<String> = Vec::new();
    for (row, span) in known.iter().take(ROWS_MOST) {
        let shown = span.shown(rate.unit);
        let bar = panel.row(&row.name, &shown);
        let [least, most] = [span.least, span.most].map(|value| Panel::x_of(&axis, value / rate.divisor));
        let colour = row.colour;
        panel.bar(&format!("f{colour}"), bar, LEFT, least);
        if most - least > 0.5 {
            panel.bar(&format!("f{colour} part"), bar, least, most);
        }
        let limits = limits(row).into_iter().map(|limit| (limit / rate.divisor, figure(limit, rate.unit)));
        panel.limits(&axis, bar, top, &limits.collect::<Vec<_>>());
        words.push(format!("{} {shown}", row.name));
    }
    let words = format!("{}{}.", words.join("; "), left_out(known.len()));
    Some(panel.finish(&axis, &assessment.suite.to_string(), rate.kind, &title(assessment, rate.title), words))
}

fn title(assessment: &Assessment, what: &str) -> String {
    if assessment.tests.len() == 1 { what.to_owned() } else { format!("{what} of the tests") }
}

fn left_out(rows: usize) -> String {
    if rows > ROWS_MOST { format!("; {} more are in the tests", rows - ROWS_MOST) } else { String::new() }
}

/// Returns the thresholds of a test in a unit and in the direction of a row.
fn limits(test: Option<&Test>, unit: &str, row: &KeyFigures) -> Vec<f64> {
    let judgements = test.into_iter().flat_map(|test| &test.judgements);
    let of_row = judgements.filter(|judgement| judgement.metric.unit() == unit && judgement.at.is_empty());
    let of_row = of_row.filter(|judgement| judgement.metric.ddir.is_none_or(|ddir| ddir as usize == row.colour));
    of_row.filter_map(|judgement| Some(judgement.threshold.as_ref()?.value)).collect()
}

fn latencies(assessment: &Assessment, rows: &[KeyFigures]) -> Option<Chart> {
    let known: Vec<(&KeyFigures, [Span; 3])> = rows
        .iter()
        .filter_map(|row| {
            let [p50, p99, p99_9] = row.latency_ns;
            Some((row, [p50?, p99?, p99_9?]))
        })
        .collect();
    let (least, most) =
        span(known.iter().flat_map(|(_, spans)| spans.iter().flat_map(|span| [span.least, span.most])))?;
    let axis = Axis::latency("latency", least, most);
    let mut panel = Panel::new();
    let mut x = LEFT;
    for (mark, percent) in OF_PERCENTILES.into_iter().zip(PERCENTILES) {
        panel.body += &mark.svg(7, x + 5.0, panel.top + 6.0, "");
        panel.text(x + 14.0, panel.top + 10.0, "start", &format!("p{percent}"));
        x += 60.0;
    }
    panel.top += 18.0;
    let mut words: Vec<String> = Vec::new();
    for (row, spans) in known.iter().take(ROWS_MOST) {
        let shown = spans.map(|span| span.shown("ns"));
        let bar = panel.row(&row.name, &format!("p99 {}", shown[1])) + BAR_HEIGHT / 2.0;
        let x_of = |value: f64| Panel::x_of(&axis, value);
        let (from, to) = (number(x_of(spans[0].least)), number(x_of(spans[2].most)));
        panel.body += &format!("<path class=\"s{}\" d=\"M{from} {}H{to}\"/>", row.colour, number(bar));
        for ((mark, span), (percent, shown)) in
            OF_PERCENTILES.into_iter().zip(spans).zip(PERCENTILES.iter().zip(&shown))
        {
            let title = format!("<title>{}</title>", escaped(&format!("p{percent}: {shown}")));
            panel.body += &mark.svg(row.colour, x_of(span.most), bar, &title);
        }
        words.push(format!("{}: p50 {}, p99 {}, p99.9 {}", row.name, shown[0], shown[1], shown[2]));
    }
    let words = format!("Service times. {}{}.", words.join("; "), left_out(known.len()));
    Some(panel.finish(&axis, &assessment.suite.to_string(), "overview-latency", &title(assessment, "Latency"), words))
}
