//! The part of the page about one test.

use assessment::{Aim, Assessment, Cause, Failure, Steady, Test, Verdict};
use units::format::{grouped, time_ns};
use units::markup::escaped;

use super::badge::badge;
use crate::causes::cause_of_test;
use crate::chart::{self, Chart, Detail};
use crate::figures::{Cell, cells, jobs};
use crate::key_figures;
use crate::matrix::{self, Matrix};
use crate::text::{self, NONE};
use crate::wording;

/// With more settings, the table of figures is collapsed.
const ROWS_SHOWN: usize = 16;

pub fn section(assessment: &Assessment, test: &Test, at: usize, detail: &Detail) -> String {
    let aim = match test.aim {
        Aim::Behaviour => String::new(),
        aim => format!(" Aim: {}.", text::aim(aim)),
    };
    // A test alone, and the one that decides the verdict, need no click.
    let first = assessment.tests.iter().position(|test| test.verdict == assessment.verdict);
    let is_open = assessment.tests.len() == 1 || (test.verdict > Verdict::Pass && first == Some(at));
    let mut section = format!(
        "<details class=\"test\"{}><summary><h3>{}</h3> {}<span class=\"soft\">{}</span></summary>\
         <section id=\"test-{at}\">\n<p>{}.{aim}</p>\n",
        if is_open { " open" } else { "" },
        escaped(&test.name),
        // Without a threshold the verdict is that of all such tests.
        if test.verdict == Verdict::Measured { String::new() } else { badge(test.verdict) + " " },
        escaped(&key_figures(at, test)),
        escaped(&text::sentence(&test.title)),
    );
    if test.cause != Cause::NothingExpected {
        section += &format!("<p>{}.</p>\n", escaped(&text::sentence(&cause_of_test(assessment, test))));
    }
    let is_cause = |failure: &&Failure| matches!(&test.cause, Cause::Failure(cause) if cause == *failure);
    if let Some(failure) = test.error.as_ref().filter(|failure| !is_cause(failure)) {
        section += &format!("<p>Stopped early: {}.</p>\n", escaped(&wording::failure(failure)));
    }
    let cells = cells(test);
    section += &matrix::of_test(test, &cells).map_or_else(String::new, |matrix| table(&matrix));
    section += &figures(&cells, "Figures");
    let jobs = jobs(test);
    if !jobs.is_empty() {
        section += &figures(&jobs, "Figures of each job");
    }
    let mut charts = if detail.points > 0 { chart::of_test(assessment, test, detail) } else { Vec::new() };
    // The curve of a search or a sweep is at the top of the page.
    let curves = chart::curves(assessment, test);
    charts.retain(|chart| curves.iter().all(|curve| curve.kind != chart.kind));
    if detail.points == 0 {
        section += "<p class=\"soft\">No charts: with the charts of all tests the page would be too large.</p>\n";
    }
    if !charts.is_empty() {
        section += "<div class=\"charts\">\n";
        charts.iter().for_each(|chart| section += &figure(chart));
        section += "</div>\n";
    }
    section += &test.steady.as_ref().map_or_else(String::new, rounds);
    section += &format!(
        "<details><summary>The job</summary><pre tabindex=\"0\">{}</pre></details>\n</section></details>\n",
        escaped(&test.job)
    );
    section
}

/// Returns the main figures of a test in one line, after their direction if there are several.
fn key_figures(at: usize, test: &Test) -> String {
    let rows = key_figures::of_test(at, test);
    let shown = rows.iter().map(|row| {
        let direction = if rows.len() > 1 { format!("{} ", row.direction) } else { String::new() };
        let figures = [(row.iops, "IOPS"), (row.bytes_per_s, "B/s")];
        let figures = figures.into_iter().filter_map(|(span, unit)| Some(span?.shown(unit)));
        let p99 = row.latency_ns[1].map(|span| format!("p99 {}", span.shown("ns")));
        direction + &figures.chain(p99).collect::<Vec<_>>().join(", ")
    });
    shown.collect::<Vec<_>>().join("; ")
}

pub fn figure(chart: &Chart) -> String {
    format!(
        "<figure><figcaption><b>{}</b></figcaption>{}<figcaption>{}</figcaption></figure>\n",
        escaped(&chart.title),
        chart.inline(),
        escaped(&chart.description)
    )
}

/// Formats a table of one setting by another.
fn table(matrix: &Matrix) -> String {
    let [rows, columns] = matrix.names.each_ref().map(|name| escaped(name));
    let title = matrix.title;
    let heads = matrix
        .columns
        .iter()
        .map(|column| format!("<th scope=\"col\" class=\"num\">{columns}={}</th>", escaped(column)));
    let mut table = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title} by {rows} and {columns}\"><table><caption>{title} by {rows} \
         and {columns}</caption><thead><tr><th scope=\"col\">{rows}</th>{}</tr></thead><tbody>\n",
        heads.collect::<String>()
    );
    for (value, figures) in &matrix.rows {
        let figures =
            figures.iter().map(|figure| format!("<td class=\"num\">{}</td>", figure.as_deref().unwrap_or("–")));
        table += &format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escaped(value), figures.collect::<String>());
    }
    table + "</tbody></table></div>\n"
}

/// Formats the figures by setting and direction.
fn figures(cells: &[Cell], title: &str) -> String {
    if cells.is_empty() {
        return "<p>No figures.</p>\n".to_owned();
    }
    let has_settings = cells.iter().any(|cell| !cell.at.is_empty());
    let has_runs = cells.iter().any(|cell| cell.runs() > 1);
    let mut head = vec!["IOPS", "MiB/s", "mean", "p50", "p99", "p99.9", "max"];
    if has_runs {
        head.insert(0, "runs");
    }
    let columns: String = head.iter().map(|name| format!("<th scope=\"col\" class=\"num\">{name}</th>")).collect();
    let setting = if has_settings { "<th scope=\"col\">Setting</th>" } else { "" };
    let mut table = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table><caption>{title}; times are service times, from \
         issue to completion</caption><thead><tr>{setting}<th scope=\"col\">Direction</th>{columns}</tr></thead><tbody>\n"
    );
    for cell in cells {
        for side in cell.sides() {
            let latency = &side.latency;
            let percentile = |percent: f64| latency.percentile_ns(percent).map_or_else(|| NONE.to_owned(), time_ns);
            let has_latency = latency.count() > 0;
            let shown = |text: String| if has_latency { text } else { "–".to_owned() };
            let (iops, bandwidth) = match side.rates {
                Some(rates) => (grouped(rates.iops), grouped(rates.bytes_per_s / f64::from(1 << 20))),
                None => ("–".to_owned(), "–".to_owned()),
            };
            let mut values = vec![
                iops,
                bandwidth,
                shown(time_ns(latency.mean_ns())),
                shown(percentile(50.0)),
                shown(percentile(99.0)),
                shown(percentile(99.9)),
                shown(time_ns(latency.max_ns())),
            ];
            if has_runs {
                values.insert(0, cell.runs().to_string());
            }
            let setting =
                if has_settings { format!("<th scope=\"row\">{}</th>", escaped(&cell.name())) } else { String::new() };
            let values: String = values.iter().map(|value| format!("<td class=\"num\">{value}</td>")).collect();
            table += &format!("<tr>{setting}<td>{}</td>{values}</tr>\n", side.name);
        }
    }
    table += "</tbody></table></div>\n";
    if cells.len() <= ROWS_SHOWN {
        return table;
    }
    format!("<details><summary>Figures of all {} settings</summary>{table}</details>\n", cells.len())
}

/// Formats the table of rounds.
fn rounds(steady: &Steady) -> String {
    let shown = |value: f64| text::figure(value, steady.metric.unit());
    let window = steady.from_round.and_then(|from| steady.values.get(from..)).filter(|window| !window.is_empty());
    let mean = window.map(|window| window.iter().sum::<f64>() / window.len() as f64);
    let rows = steady.values.iter().enumerate().map(|(at, value)| {
        let is_steady = steady.from_round.is_some_and(|from| at >= from);
        let is_steady = if is_steady { "yes" } else { "" };
        let apart = mean.map_or_else(|| "–".to_owned(), |mean| format!("{:+.1} %", (value / mean - 1.0) * 100.0));
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{apart}</td><td>{is_steady}</td></tr>",
            at + 1,
            shown(*value)
        )
    });
    format!(
        "<details><summary>Rounds</summary><div class=\"wide\"><table><caption>{}; rule: {}</caption><thead><tr><th scope=\"col\">Round</th>\
         <th scope=\"col\" class=\"num\">{}</th><th scope=\"col\" class=\"num\">from the steady mean</th><th scope=\"col\">Steady</th></tr></thead>\
         <tbody>{}</tbody></table></div></details>\n",
        escaped(&text::sentence(&wording::steady(steady))),
        steady.rule.name(),
        steady.metric,
        rows.collect::<String>()
    )
}
