//! The part of the page about one test.

use assessment::{Aim, Assessment, Cause, Failure, Steady, Study, Test, Verdict};
use maud::{Markup, html};
use units::format::change;
use units::order::OrderBy;
use units::quantity::option_value;

use super::badge::badge;
use crate::causes::cause_of_test;
use crate::chart::{self, Chart, Detail, data};
use crate::figures::{Cell, Side, TIMES, cells, is_search, jobs};
use crate::hosts;
use crate::key_figures;
use crate::matrix::{self, Matrix};
use crate::study::{Column, Row, Table};
use crate::text::{self, NONE};
use crate::wording;

/// The quantity of all latencies that have no other name.
const SERVICE_TIME: &str = "service time (lat)";
/// With more settings, the table of figures is collapsed.
const ROWS_SHOWN: usize = 16;

pub fn section(assessment: &Assessment, test: &Test, at: usize, detail: &Detail) -> Markup {
    // A test alone, and the one that decides the verdict, need no click.
    let first = assessment.tests.iter().position(|test| test.verdict == assessment.verdict);
    let is_open = assessment.tests.len() == 1 || (test.verdict > Verdict::Pass && first == Some(at));
    let is_cause = |failure: &&Failure| matches!(&test.cause, Cause::Failure(cause) if cause == *failure);
    html! {
        details.test open[is_open] {
            summary {
                h3 { (test.name) } " "
                // Without a threshold the verdict is that of all such tests.
                @if test.verdict != Verdict::Measured { (badge(test.verdict)) " " }
                span.soft { (key_figures(at, test)) }
            }
            section id={ "test-" (at) } {
                p {
                    (text::sentence(&test.title)) "."
                    @if test.aim != Aim::Behaviour { " Aim: " (text::aim(test.aim)) "." }
                }
                // The sentence of a study is at the top of the page.
                @if !matches!(test.cause, Cause::NothingExpected | Cause::Result) {
                    p { (text::sentence(&cause_of_test(assessment, test))) "." }
                }
                @if let Some(failure) = test.error.as_ref().filter(|failure| !is_cause(failure)) {
                    p { "Stopped early: " (wording::failure(failure)) "." }
                }
                (tables(assessment, test))
                (charts(assessment, test, detail))
                @for steady in &test.steady { (rounds(steady)) }
                details { summary { "The job" } pre tabindex="0" { (test.job) } }
            }
        }
    }
}

fn tables(assessment: &Assessment, test: &Test) -> Markup {
    let cells = sorted(test, cells(test));
    // The table of a sweep or a search is at the top of the page.
    let has_own_table = matches!(assessment.study, Study::Sweep(_) | Study::Knee(_)) && cells.len() > 1;
    let matrix = matrix::of_test(test, &cells).filter(|_| !has_own_table);
    let jobs = jobs(test);
    html! {
        @if let Some(matrix) = matrix { (table(&matrix).html()) }
        @if has_own_table || cells.len() > ROWS_SHOWN {
            details { summary { "Figures of all " (cells.len()) " settings" } (figures(&cells, "Figures")) }
        } @else {
            (figures(&cells, "Figures"))
        }
        @if let Some(table) = hosts::table(test) { (table.html()) }
        @if !jobs.is_empty() { (figures(&jobs, "Figures of each job")) }
    }
}

fn charts(assessment: &Assessment, test: &Test, detail: &Detail) -> Markup {
    let mut charts = if detail.points > 0 { chart::of_test(assessment, test, detail) } else { Vec::new() };
    // The curve of a search or a sweep is at the top of the page.
    let curves = chart::curves(assessment, test);
    charts.retain(|chart| curves.iter().all(|curve| curve.kind != chart.kind));
    html! {
        @if detail.points == 0 { (no_charts()) }
        @if !charts.is_empty() { div.charts { @for chart in &charts { (figure(chart)) } } }
    }
}

pub fn no_charts() -> Markup {
    html! { p.soft { "No charts: with the charts of all tests the page would be too large." } }
}

/// Sorts the settings of a search by load: it tries them in another order.
fn sorted<'a>(test: &'a Test, mut cells: Vec<Cell<'a>>) -> Vec<Cell<'a>> {
    if is_search(test) {
        let load = |cell: &Cell| cell.at.first().and_then(|(_, value)| option_value(value)).unwrap_or_default();
        cells.order_by(|one, other| load(one).total_cmp(&load(other)));
    }
    cells
}

/// Returns the main figures of a test in one line, after their direction if there are several. Of loads with intended starts
/// these are the response times.
fn key_figures(at: usize, test: &Test) -> String {
    if let Some(offered) = offered(test).filter(|_| is_search(test)) {
        return offered;
    }
    let rows = key_figures::of_test(at, test);
    let shown = rows.iter().map(|row| {
        let direction = if rows.len() > 1 { format!("{} ", row.direction) } else { String::new() };
        let figures = [(row.iops, "IOPS"), (row.bytes_per_s, "B/s")];
        let figures = figures.into_iter().filter_map(|(span, unit)| Some(span?.shown(unit)));
        let p99 = row.latency_ns[1].map(|span| format!("p99 lat {}", span.shown("ns")));
        direction + &figures.chain(p99).collect::<Vec<_>>().join(", ")
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// Returns the offered rates and the response times of a search over rates.
fn offered(test: &Test) -> Option<String> {
    let cells = cells(test);
    cells.iter().map(Cell::offered_iops).collect::<Option<Vec<f64>>>()?;
    let offered = cells.iter().filter_map(|cell| option_value(cell.at.first()?.1));
    let p99 = cells.iter().map(|cell| cell.load_latency().percentile_ns(99.0).unwrap_or(f64::INFINITY));
    let [offered, p99] = [key_figures::Span::of(offered)?, key_figures::Span::of(p99)?];
    Some(format!("offered {}, p99 response time {}", offered.shown("IOPS"), p99.shown("ns")))
}

pub fn figure(chart: &Chart) -> Markup {
    html! {
        figure {
            figcaption { b { (chart.title) } }
            (chart.inline())
            figcaption {
                (chart.caption)
                @if !chart.data.series.is_empty() { span.save { " " (save(chart, "csv")) " " (save(chart, "json")) } }
            }
        }
    }
}

/// Formats a link that saves the values of a chart.
fn save(chart: &Chart, end: &str) -> Markup {
    let (media_type, text) = match end {
        "csv" => ("text/csv", chart.data.csv()),
        _ => ("application/json", chart.data.json()),
    };
    let name = format!("{}.{end}", chart.name);
    html! { a href=(data::address(media_type, &text)) download=(name) { (end.to_uppercase()) } }
}

/// Returns a table of one setting by another.
fn table(matrix: &Matrix) -> Table {
    let [rows, columns] = &matrix.names;
    let heads = matrix.columns.iter().map(|column| Column::number("", &format!("{columns}={column}")));
    let row = |(value, figures): &(String, Vec<Option<String>>)| {
        let figures = figures.iter().map(|figure| figure.clone().unwrap_or_else(|| NONE.to_owned()));
        Row { labels: vec![value.clone()], cells: Ok(figures.collect()) }
    };
    Table {
        title: format!("{} by {rows} and {columns}", matrix.title),
        columns: std::iter::once(Column::number("", rows)).chain(heads).collect(),
        rows: matrix.rows.iter().map(row).collect(),
    }
}

/// Formats the figures by setting and direction.
fn figures(cells: &[Cell], title: &str) -> Markup {
    if cells.is_empty() {
        return html! { p { "No figures." } };
    }
    let has_settings = cells.iter().any(|cell| !cell.at.is_empty());
    let has_runs = cells.iter().any(|cell| cell.runs() > 1);
    let names = has_settings.then_some("Setting").into_iter().chain(["Direction"]).map(Column::text);
    let runs = has_runs.then(|| Column::number("", "runs"));
    let rates = ["IOPS", "MiB/s"].map(|head| Column::number("", head));
    let times = ["mean", "p50", "p99", "p99.9", "max"].map(|head| Column::number(SERVICE_TIME, head).labelled(head));
    let row = |(cell, side): (&Cell, Side)| {
        let runs = has_runs.then(|| cell.runs().to_string());
        let labels = has_settings.then(|| cell.name()).into_iter().chain([side.name.to_owned()]).collect();
        Row { labels, cells: Ok(runs.into_iter().chain(side.rates_shown()).chain(side.times_shown(TIMES)).collect()) }
    };
    let sides = cells.iter().flat_map(|cell| cell.sides().into_iter().map(move |side| (cell, side)));
    let title = if has_runs { format!("{title}, medians of the runs") } else { title.to_owned() };
    let table = Table {
        title: format!("{title}. Latencies are service times (lat): from the issue of an I/O to its completion"),
        columns: names.chain(runs).chain(rates).chain(times).collect(),
        rows: sides.map(row).collect(),
    };
    table.html()
}

/// Formats the table of rounds.
fn rounds(steady: &Steady) -> Markup {
    let shown = |value: f64| text::figure(value, steady.metric.unit());
    let window = steady.from_round.and_then(|from| steady.values.get(from..)).filter(|window| !window.is_empty());
    let mean = window.map(|window| window.iter().sum::<f64>() / window.len() as f64);
    let row = |(at, value): (usize, &f64)| {
        let is_steady = steady.from_round.is_some_and(|from| at >= from);
        let apart = mean.map_or_else(|| NONE.to_owned(), |mean| change(value / mean - 1.0));
        let is_steady = if is_steady { "yes" } else { "" };
        Row { labels: vec![(at + 1).to_string()], cells: Ok(vec![shown(*value), apart, is_steady.to_owned()]) }
    };
    let heads = [steady.metric.to_string(), "from the steady mean".to_owned(), "steady".to_owned()];
    let table = Table {
        title: format!("{}; rule: {}", text::sentence(&wording::steady(steady)), steady.rule.name()),
        columns: std::iter::once("round".to_owned()).chain(heads).map(|head| Column::number("", &head)).collect(),
        rows: steady.values.iter().enumerate().map(row).collect(),
    };
    html! { details { summary { "Rounds" } (table.html()) } }
}
