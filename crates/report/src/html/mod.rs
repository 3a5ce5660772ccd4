//! The HTML page of an assessment. It needs no other file, no network and no script.

mod answer;
mod badge;
pub mod environment;
mod test;

use assessment::{Application, Assessment, Severity};
use units::markup::escaped;

use crate::chart::{Detail, colours};
use crate::findings::worst_first;
use crate::identity::identity;
use crate::published_limits::{self, PublishedLimit};
use crate::rows::{self, Row};
use crate::study::{Table, summary};
use crate::text::{self, NONE, duration, local_time, target_name};
use crate::wording;
pub use badge::badge;
pub use test::figure;

const STYLE: &str = include_str!("style.css");
/// Largest size of a page, in bytes. A larger page gets coarser charts.
const BYTES_MOST: usize = 950_000;
/// Resolutions of charts, from fine to coarse.
const DETAILS: [Detail; 5] = [
    Detail { points: 240, hints: 60 },
    Detail { points: 120, hints: 40 },
    Detail { points: 60, hints: 20 },
    Detail { points: 30, hints: 0 },
    Detail { points: 0, hints: 0 },
];

pub fn html(assessment: &Assessment) -> String {
    fitting(|detail, bytes_most| page(assessment, detail, bytes_most))
}

/// Returns the page with the finest charts that it has room for. `page` returns `None` if it is larger than the given size.
pub fn fitting(page: impl Fn(&Detail, usize) -> Option<String>) -> String {
    let (coarsest, finer) = DETAILS.split_last().expect("there is a resolution");
    let fits = finer.iter().find_map(|detail| page(detail, BYTES_MOST));
    fits.or_else(|| page(coarsest, usize::MAX)).unwrap_or_default()
}

/// Returns the start of a page, up to its body.
pub fn start(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n:root{{{}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n{}{STYLE}</style>\n</head>\n<body>\n",
        escaped(title),
        colours::variables(false),
        colours::variables(true),
        colours::style()
    )
}

/// Returns the end of a page, with the version that made it.
pub fn end(version: &str) -> String {
    format!("<footer>Made by fathom {}.</footer>\n</body>\n</html>\n", escaped(version))
}

/// Returns the page; `None` as soon as it is larger than `bytes_most`.
fn page(assessment: &Assessment, detail: &Detail, bytes_most: usize) -> Option<String> {
    let title = format!("{}: {} on {}", assessment.verdict, assessment.suite, target_name(&assessment.target));
    let mut page = start(&title);
    page += &head(assessment);
    page += "<main>\n";
    page += &answer::grid(assessment);
    page += &answer::overview(assessment, detail);
    page += &study(assessment);
    page += &applications(assessment);
    page += &limits_of_vendors(assessment);
    page += &findings(assessment);
    if rows::is_table_wanted(assessment) {
        page += &verdicts(assessment);
    }
    if !assessment.tests.is_empty() {
        page += "<h2 id=\"tests\">Tests</h2>\n";
    }
    for (at, one) in assessment.tests.iter().enumerate() {
        page += &test::section(assessment, one, at, detail);
        if page.len() > bytes_most {
            return None;
        }
    }
    page += &environment::sections(assessment);
    page += "</main>\n";
    page += &end(assessment.fathom.raw());
    (page.len() <= bytes_most).then_some(page)
}

fn head(assessment: &Assessment) -> String {
    let when = local_time(assessment.started_unix_ms, assessment.utc_offset_s);
    let took = duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms));
    let tags: Vec<String> = assessment.tags.iter().map(|tag| escaped(tag.raw())).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" · tags: {}", tags.join(", ")) };
    let applications = match assessment.applications.is_empty() {
        true => "",
        false => "<li><a href=\"#applications\">Applications</a></li>",
    };
    let verdicts = match rows::is_table_wanted(assessment) {
        true => "<li><a href=\"#verdicts\">Intervals and sources</a></li>",
        false => "",
    };
    let links: String = assessment
        .tests
        .iter()
        .enumerate()
        .map(|(at, test)| format!("<li><a href=\"#test-{at}\">{}</a></li>", escaped(&test.name)))
        .collect();
    format!(
        "<header>\n<h1>{} on {}</h1>\n<p class=\"soft\">{}</p>\n{}{}\
         <p class=\"soft\">{} · {when} · took {took} · fathom {}{tags}</p>\n\
         <nav aria-label=\"Contents\"><ul>{applications}<li><a href=\"#findings\">Findings</a></li>{verdicts}{links}\
         <li><a href=\"#environment\">Environment</a></li><li><a href=\"#repeat\">How to repeat it</a></li></ul></nav>\n</header>\n",
        escaped(assessment.suite.raw()),
        escaped(&target_name(&assessment.target)),
        escaped(assessment.title.raw()),
        answer::sentence_of(assessment),
        answer::checks(assessment),
        escaped(&identity(assessment)),
        escaped(assessment.fathom.raw()),
    )
}

/// Returns the text of a row in a column of the verdicts.
type Shown = fn(&Row) -> &str;

fn verdicts(assessment: &Assessment) -> String {
    let rows: Vec<(usize, Row)> = assessment
        .tests
        .iter()
        .enumerate()
        .flat_map(|(at, test)| rows::of_test(test).into_iter().map(move |row| (at, row)))
        .collect();
    let columns: [(&str, Shown); 4] = [
        ("Measured", |row| &row.measured),
        ("Expected", |row| &row.expected),
        ("Ratio", |row| &row.ratio),
        ("95 % interval", |row| &row.interval),
    ];
    // A column without any value is omitted.
    let is_known = |of: Shown| rows.iter().any(|(_, row)| of(row) != NONE);
    let columns: Vec<_> = columns.into_iter().filter(|(_, of)| is_known(*of)).collect();
    let heads: String =
        columns.iter().map(|(name, _)| format!("<th scope=\"col\" class=\"num\">{name}</th>")).collect();
    let mut section = format!(
        "<details><summary><h2>Intervals and sources</h2></summary><section id=\"verdicts\">\n<table class=\"stack\"><thead><tr>\
         <th scope=\"col\">Test</th><th scope=\"col\">Figure</th>{heads}<th scope=\"col\">Verdict</th>\
         <th scope=\"col\">Cause</th></tr></thead><tbody>\n"
    );
    for (at, row) in &rows {
        let cell = |label: &str, class: &str, text: &str| {
            let none = if text.is_empty() || text == NONE { " none" } else { "" };
            format!("<td class=\"{class}{none}\" data-label=\"{label}\">{}</td>", escaped(text))
        };
        let figures: String = columns.iter().map(|(name, of)| cell(name, "num", of(row))).collect();
        section += &format!(
            "<tr><th scope=\"row\"><a href=\"#test-{at}\">{}</a></th>{}{figures}<td data-label=\"Verdict\">{}</td>{}</tr>\n",
            escaped(&row.test),
            cell("Figure", "", &row.figure),
            badge(row.verdict),
            cell("Cause", "cause", &row.cause),
        );
    }
    section += "</tbody></table>\n";
    section += &environment::expectations(assessment);
    section + "</section></details>\n"
}

/// Formats the tables and notes of a search, a sweep or repeats.
fn study(assessment: &Assessment) -> String {
    let Some(summary) = summary(assessment) else { return String::new() };
    let tables: String = summary.tables.iter().map(Table::html).collect();
    let notes: String = summary.notes.iter().map(|note| format!("<li>{}</li>", with_code(&escaped(note)))).collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul>{notes}</ul>\n") };
    let head = escaped(&summary.head).replace('\n', "<br>");
    format!("<section id=\"study\"><h2>Figures</h2>\n<p>{head}</p>\n{tables}{notes}</section>\n")
}

/// Formats the lines of a note, and its commands as code.
fn with_code(note: &str) -> String {
    let parts = note.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { part.to_owned() } else { format!("<code>{part}</code>") });
    parts.collect::<String>().replace('\n', "<br>")
}

/// Formats the applications whose requirements were compared; empty if there are none.
fn applications(assessment: &Assessment) -> String {
    if assessment.applications.is_empty() {
        return String::new();
    }
    let row = |one: &Application| {
        format!(
            "<tr><th scope=\"row\">{}</th><td data-label=\"What it is\" class=\"cause\">{}</td>\
             <td data-label=\"Verdict\">{}</td><td data-label=\"Cause\" class=\"cause\">{}</td>\
             <td data-label=\"Source of the requirement\" class=\"cause\">{}</td></tr>\n",
            escaped(&one.name),
            escaped(&one.title),
            badge(one.verdict),
            escaped(&wording::cause(&one.cause)),
            escaped(&one.source.as_ref().map(wording::citation).unwrap_or_default()),
        )
    };
    format!(
        "<details><summary><h2>Applications</h2></summary><section id=\"applications\">\n\
         <p class=\"soft\">The figures compared with the requirements of applications. The suite of an application measures with \
         its own load.</p>\n\
         <table class=\"stack\"><thead><tr><th scope=\"col\">Application</th><th scope=\"col\">What it is</th>\
         <th scope=\"col\">Verdict</th><th scope=\"col\">Cause</th><th scope=\"col\">Source of the requirement</th></tr></thead>\
         <tbody>\n{}</tbody></table></section></details>\n",
        assessment.applications.iter().map(row).collect::<String>()
    )
}

/// Formats the published limits that the figures are like, and those of the machine; empty if there are none.
fn limits_of_vendors(assessment: &Assessment) -> String {
    let limits = published_limits::of(assessment);
    if limits.is_empty() {
        return String::new();
    }
    let row = |limit: &PublishedLimit| {
        let cell = |label: &str, class: &str, text: &str| {
            let none = if text.is_empty() { " none" } else { "" };
            format!("<td class=\"{class}{none}\" data-label=\"{label}\">{}</td>", escaped(text))
        };
        format!(
            "<tr><th scope=\"row\">{}</th>{}{}{}</tr>\n",
            escaped(&limit.of),
            cell("Measured", "num", &limit.measured),
            cell("Limit", "", &limit.limit),
            cell("Source", "cause", &limit.source),
        )
    };
    format!(
        "<details><summary><h2>Disk classes and limits of the machine</h2></summary><section id=\"published\">\n\
         <p class=\"soft\">{}.</p>\n<table class=\"stack\"><thead><tr><th scope=\"col\">Figure</th>\
         <th scope=\"col\" class=\"num\">Measured</th><th scope=\"col\">Published limit</th><th scope=\"col\">Source</th></tr></thead>\
         <tbody>\n{}</tbody></table></section></details>\n",
        published_limits::RULE,
        limits.iter().map(row).collect::<String>()
    )
}

fn findings(assessment: &Assessment) -> String {
    let all = worst_first(assessment);
    let mut section = "<section id=\"findings\"><h2>Findings</h2>\n".to_owned();
    if all.is_empty() {
        section += "<p>No findings.</p>\n";
    }
    for shared in all {
        let severity = shared.severity.name();
        let evidence: String =
            shared.occurrences.iter().map(|found| format!("<li>{}</li>", escaped(&found.evidence()))).collect();
        let to_do = match shared.severity {
            Severity::Info => text::sentence(&shared.advice),
            _ => format!("What to do: {}", shared.advice),
        };
        section += &format!(
            "<details class=\"finding {severity}\"><summary><span class=\"kind\">{severity}</span> <b>{}</b> \
             <span class=\"soft\">({})</span></summary><ul>{evidence}</ul><p>{}</p><p class=\"soft\">Finding: \
             <code>{}</code></p></details>\n",
            escaped(&text::sentence(&shared.headline)),
            escaped(&shared.tests()),
            escaped(&to_do),
            escaped(shared.kind),
        );
    }
    section + "</section>\n"
}
