//! The HTML page of an assessment. It needs no other file and no network. It is complete without its script.

mod answer;
mod badge;
pub mod environment;
mod test;

use assessment::{Application, Assessment, Severity};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest, Sha256};
use units::markup::printable;
use units::untrusted::joined;

use crate::chart::{Detail, colours};
use crate::findings::worst_first;
use crate::identity::identity;
use crate::published_limits;
use crate::rows::{self, Row};
use crate::study::summary;
use crate::text::{self, NONE, duration, local_time, target_name};
use crate::wording;
pub use badge::badge;
pub use test::{figure, no_charts};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("time.js");
/// Note in print about what is only on the screen (`style.css`).
const PRINTED: &str = "Latencies are service times (lat): from the issue of an I/O to its completion. On a screen, the page has more \
                       charts of each test, its job, and the sources of published limits.";
/// Largest size of a page, in bytes. A larger page gets coarser charts.
const BYTES_MOST: usize = 950_000;
/// Resolutions of charts, from fine to coarse.
const DETAILS: [Detail; 7] = [
    Detail { points: 240, hints: 60, zoomed_points: 1440 },
    Detail { points: 240, hints: 60, zoomed_points: 600 },
    Detail { points: 240, hints: 60, zoomed_points: 0 },
    Detail { points: 120, hints: 40, zoomed_points: 0 },
    Detail { points: 60, hints: 20, zoomed_points: 0 },
    Detail { points: 30, hints: 0, zoomed_points: 0 },
    Detail { points: 0, hints: 0, zoomed_points: 0 },
];

pub fn html(assessment: &Assessment) -> String {
    fitting(|detail, bytes_most| page(assessment, None, detail, bytes_most))
}

/// Returns the page with a link to the page of all runs.
pub fn html_with_link(assessment: &Assessment, all_runs: &str) -> String {
    fitting(|detail, bytes_most| page(assessment, Some(all_runs), detail, bytes_most))
}

/// Returns the page with the finest charts that it has room for. `page` returns `None` if it is larger than the given size.
pub fn fitting(page: impl Fn(&Detail, usize) -> Option<String>) -> String {
    let (coarsest, finer) = DETAILS.split_last().expect("there is a resolution");
    let fits = finer.iter().find_map(|detail| page(detail, BYTES_MOST));
    fits.or_else(|| page(coarsest, usize::MAX)).unwrap_or_default()
}

/// Formats a page. `version` made it.
pub fn document(title: &str, header: &Markup, main: &Markup, version: &str) -> String {
    let (light, dark, charts) = (colours::variables(false), colours::variables(true), colours::style());
    let style =
        format!(":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{charts}{STYLE}");
    let has_time = main.0.contains("data-time=");
    // No other script runs.
    let script = if has_time {
        format!("; script-src 'sha256-{}'", BASE64.encode(Sha256::digest(SCRIPT)))
    } else {
        String::new()
    };
    let policy = format!("default-src 'none'; style-src 'unsafe-inline'; img-src data:{script}");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(policy);
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { header { (header) } main { (main) } footer { "Made by fathom " (version) "." } @if has_time { script id="time" { (PreEscaped(SCRIPT)) } } }
        }
    };
    printable(&page.0).into_owned() + "\n"
}

/// Returns the page; `None` as soon as it is larger than `bytes_most`.
fn page(assessment: &Assessment, all_runs: Option<&str>, detail: &Detail, bytes_most: usize) -> Option<String> {
    let title = format!("{}: {} on {}", assessment.verdict, assessment.suite, target_name(&assessment.target));
    let mut tests = PreEscaped(String::new());
    for (at, one) in assessment.tests.iter().enumerate() {
        test::section(assessment, one, at, detail).render_to(&mut tests.0);
        if tests.0.len() > bytes_most {
            return None;
        }
    }
    let main = html! {
        (answer::grid(assessment))
        (answer::overview(assessment, detail))
        (study(assessment))
        (applications(assessment))
        (limits_of_vendors(assessment))
        (findings(assessment))
        @if rows::is_table_wanted(assessment) { (verdicts(assessment)) }
        @if !assessment.tests.is_empty() { h2 id="tests" { "Tests" } p.soft.printed { (PRINTED) } }
        (tests)
        (environment::sections(assessment))
    };
    let page = document(&title, &head(assessment, all_runs), &main, assessment.fathom.raw());
    (page.len() <= bytes_most).then_some(page)
}

fn head(assessment: &Assessment, all_runs: Option<&str>) -> Markup {
    let took = duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms));
    html! {
        @if let Some(page) = all_runs { nav { a href=(page) { "All runs of this suite on this target" } } }
        h1 { (assessment.suite.raw()) " on " (target_name(&assessment.target)) }
        p.soft { (assessment.title.raw()) }
        (answer::sentence_of(assessment))
        (answer::checks(assessment))
        p.soft {
            (identity(assessment)) " · " (local_time(assessment.started_unix_ms, assessment.utc_offset_s))
            " · took " (took) " · fathom " (assessment.fathom.raw())
            @if !assessment.tags.is_empty() { " · tags: " (joined(&assessment.tags, ", ")) }
        }
        nav aria-label="Contents" {
            ul {
                @if !assessment.applications.is_empty() { li { a href="#applications" { "Applications" } } }
                li { a href="#findings" { "Findings" } }
                @if rows::is_table_wanted(assessment) { li { a href="#verdicts" { "Intervals and sources" } } }
                @for (at, test) in assessment.tests.iter().enumerate() { li { a href={ "#test-" (at) } { (test.name) } } }
                li { a href="#environment" { "Environment" } }
                li { a href="#repeat" { "How to repeat it" } }
            }
        }
    }
}

/// Formats a table whose rows are blocks on a phone. A column is its heading and the class of its cells, a row starts with its name.
pub fn stack(columns: &[(&str, &str)], rows: impl IntoIterator<Item = Vec<Markup>>) -> Markup {
    let is_none = |cell: &Markup| cell.0.is_empty() || cell.0 == NONE;
    html! {
        table.stack {
            thead { tr { @for (head, class) in columns { th scope="col" class=[(*class == "num").then_some(class)] { (head) } } } }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (row[0]) }
                        @for ((head, class), cell) in columns.iter().zip(&row).skip(1) {
                            td.(class).none[is_none(cell)] data-label=(head) { (cell) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the text of a row in a column of the verdicts.
type Shown = fn(&Row) -> &str;

fn verdicts(assessment: &Assessment) -> Markup {
    let tests = assessment.tests.iter().enumerate();
    let rows: Vec<(usize, Row)> =
        tests.flat_map(|(at, test)| rows::of_test(test).into_iter().map(move |row| (at, row))).collect();
    let figures: [(&str, Shown); 4] = [
        ("Measured", |row| &row.measured),
        ("Expected", |row| &row.expected),
        ("Ratio", |row| &row.ratio),
        ("95 % interval", |row| &row.interval),
    ];
    // A column without any value is omitted.
    let is_known = |of: Shown| rows.iter().any(|(_, row)| of(row) != NONE);
    let figures: Vec<_> = figures.into_iter().filter(|(_, of)| is_known(*of)).collect();
    let mut columns = vec![("Test", ""), ("Figure", "")];
    columns.extend(figures.iter().map(|(name, _)| (*name, "num")));
    columns.extend([("Verdict", ""), ("Cause", "cause")]);
    let cells = |(at, row): &(usize, Row)| {
        let mut cells = vec![html! { a href={ "#test-" (at) } { (row.test) } }, row.figure.render()];
        cells.extend(figures.iter().map(|(_, of)| of(row).render()));
        cells.extend([badge(row.verdict), row.cause.render()]);
        cells
    };
    html! {
        details {
            summary { h2 { "Intervals and sources" } }
            section id="verdicts" {
                (stack(&columns, rows.iter().map(cells)))
                (environment::expectations(assessment))
            }
        }
    }
}

/// Formats the tables and notes of a search, a sweep or repeats.
fn study(assessment: &Assessment) -> Markup {
    let Some(summary) = summary(assessment) else { return PreEscaped::default() };
    html! {
        section id="study" {
            h2 { "Figures" }
            p { (lines(&summary.head)) }
            @for table in &summary.tables { (table.html()) }
            @if !summary.notes.is_empty() { ul { @for note in &summary.notes { li { (with_code(note)) } } } }
        }
    }
}

/// Formats a text of several lines.
pub fn lines(text: &str) -> Markup {
    PreEscaped(text.render().0.replace('\n', "<br>"))
}

/// Formats a text of several lines. Its addresses are links, named by their hosts.
pub fn with_links(text: &str) -> Markup {
    let mut parts = text.split("https://");
    let first = parts.next().unwrap_or_default();
    html! {
        (lines(first))
        @for part in parts {
            @let ends = |c: char| c.is_whitespace() || ",;()".contains(c);
            @let address = part.split(ends).next().unwrap_or_default().trim_end_matches([':', '.']);
            @let host = address.split('/').next().unwrap_or_default();
            @if host.is_empty() { "https://" (lines(part)) } @else {
                a href={ "https://" (address) } rel="noreferrer" { (host) }
                (lines(&part[address.len()..]))
            }
        }
    }
}

/// Formats the lines of a note, and its commands as code.
fn with_code(note: &str) -> Markup {
    html! {
        @for (at, part) in note.split('`').enumerate() {
            @if at % 2 == 0 { (lines(part)) } @else { code { (lines(part)) } }
        }
    }
}

/// Formats the applications whose requirements were compared; empty if there are none.
fn applications(assessment: &Assessment) -> Markup {
    if assessment.applications.is_empty() {
        return PreEscaped::default();
    }
    let columns = [
        ("Application", ""),
        ("What it is", "cause"),
        ("Verdict", ""),
        ("Cause", "cause"),
        ("Source of the requirement", "cause"),
    ];
    let row = |one: &Application| {
        let source = one.source.as_ref().map(wording::citation).unwrap_or_default();
        let source = with_links(&source);
        vec![one.name.render(), one.title.render(), badge(one.verdict), wording::cause(&one.cause).render(), source]
    };
    html! {
        details {
            summary { h2 { "Applications" } }
            section id="applications" {
                p.soft {
                    "The figures compared with the requirements of applications. The suite of an application measures with its own load."
                }
                (stack(&columns, assessment.applications.iter().map(row)))
            }
        }
    }
}

/// Formats the published limits that the figures are like, and those of the machine; empty if there are none.
fn limits_of_vendors(assessment: &Assessment) -> Markup {
    let limits = published_limits::of(assessment);
    let columns = [("Figure", ""), ("Measured", "num"), ("Published limit", ""), ("Source", "cause")];
    let rows = limits.iter().map(|one| {
        let cells = [&one.of, &one.measured, &one.limit].map(Render::render);
        cells.into_iter().chain([with_links(&one.source)]).collect()
    });
    html! {
        @if !limits.is_empty() {
            details {
                summary { h2 { "Disk classes and limits of the machine" } }
                section id="published" { p.soft { (published_limits::RULE) "." } (stack(&columns, rows)) }
            }
        }
    }
}

fn findings(assessment: &Assessment) -> Markup {
    let all = worst_first(assessment);
    html! {
        section id="findings" {
            h2 { "Findings" }
            @if all.is_empty() { p { "No findings." } }
            @for shared in all {
                details class={ "finding " (shared.severity.name()) } {
                    summary {
                        span.kind { (shared.severity.name()) }
                        " " b { (text::sentence(&shared.headline)) }
                        " " span.soft { "(" (shared.tests()) ")" }
                    }
                    ul { @for found in &shared.occurrences { li { (found.evidence()) } } }
                    @if shared.severity == Severity::Info { p { (answer::of_command(&text::sentence(&shared.advice))) } }
                    @else { p { "What to do: " (answer::of_command(&shared.advice)) } }
                    p.soft { "Finding: " code { (shared.kind) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::with_links;

    #[test]
    fn only_an_address_with_a_host_is_a_link() {
        let link = "<a href=\"https://etcd.io/docs\" rel=\"noreferrer\">etcd.io</a>";
        assert_eq!(
            with_links("https:// or https:///x, https://etcd.io/docs.").0,
            format!("https:// or https:///x, {link}.")
        );
    }
}
