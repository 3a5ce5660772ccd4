//! Assessments as Markdown, for issues, wikis and mail.

use assessment::Assessment;
use units::markup::printable;

use crate::causes::cause;
use crate::figures::{cells, jobs};
use crate::findings::worst_first;
use crate::html::environment::{command, facts, outcome};
use crate::matrix::{self, Matrix};
use crate::rows::{self, limit_name};
use crate::study::summary;
use crate::text::{self, duration, local_time, masked};
use crate::wording;

pub fn markdown(assessment: &Assessment) -> String {
    let mut text = format!("# {} on {}\n\n", masked(&assessment.suite), masked(&assessment.target.path));
    text += &format!("**{}**: {}\n\n", assessment.verdict, masked(&cause(assessment)));
    text += &format!(
        "{}; took {}; fathom {}\n\n",
        local_time(assessment.started_unix_ms, assessment.utc_offset_s),
        duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms)),
        masked(&assessment.fathom)
    );
    if rows::is_table_wanted(assessment) {
        text += &verdicts(assessment);
    }
    text += &study(assessment);
    text += &applications(assessment);
    text += &figures(assessment);
    text += &findings(assessment);
    text += &preparation(assessment);
    text += "## Environment\n\n| | |\n|---|---|\n";
    for (name, value) in facts(assessment) {
        text += &format!("| {} | {} |\n", masked(&name), masked(&value));
    }
    text += "\n## How to repeat it\n\n";
    printable(&(text + &block(&command(assessment)))).into_owned()
}

fn verdicts(assessment: &Assessment) -> String {
    let mut text = "## Verdicts\n\n| test | figure | measured | expected | ratio | 95 % interval | verdict | cause |\n\
                    |---|---|---:|---:|---:|---:|---|---|\n"
        .to_owned();
    for row in assessment.tests.iter().flat_map(|test| rows::of_test(assessment, test)) {
        let cells = [&row.test, &row.figure, &row.measured, &row.expected, &row.ratio, &row.interval];
        let cells: Vec<String> = cells.iter().map(|cell| masked(cell)).collect();
        text += &format!("| {} | {} | {} |\n", cells.join(" | "), row.verdict, masked(&row.cause));
    }
    for expected in &assessment.expectations {
        text += &format!("\nExpected: {}\n", masked(&expected.words));
        for limit in &expected.limits {
            let (figure, enough) =
                (text::figure(limit.value, limit.metric.unit()), units::format::ratio(limit.tolerance));
            let metric = masked(&limit_name(limit));
            let source = limit.source.as_ref().map(|source| format!("; {}", masked(&wording::citation(source))));
            text += &format!("- {metric}: {figure}; {enough} of it is enough{}\n", source.unwrap_or_default());
        }
    }
    text + "\n"
}

/// Formats the tables, notes and bars of a search, a sweep or repeats.
fn study(assessment: &Assessment) -> String {
    let Some(summary) = summary(assessment) else { return String::new() };
    let mut text = format!("{}\n\n", block(&summary.head).trim_end());
    summary.tables.iter().for_each(|table| text += &table.markdown());
    summary.notes.iter().for_each(|note| text += &format!("- {}\n", masked(note)));
    if let Some(bars) = &summary.bars {
        text += &format!("\n{}", block(bars));
    }
    text + "\n"
}

fn applications(assessment: &Assessment) -> String {
    if assessment.applications.is_empty() {
        return String::new();
    }
    let mut text = "## Applications\n\n| application | what it is | verdict | cause | source of the requirement |\n\
                    |---|---|---|---|---|\n"
        .to_owned();
    for one in &assessment.applications {
        let (cause, source) = (wording::cause(&one.cause), one.source.as_ref().map(wording::citation));
        let [name, title, cause, source] =
            [&one.name, &one.title, &cause, &source.unwrap_or_default()].map(|text| masked(text));
        text += &format!("| {name} | {title} | {} | {cause} | {source} |\n", one.verdict);
    }
    text + "\n"
}

fn figures(assessment: &Assessment) -> String {
    let mut text = "## Figures\n\n| test | | IOPS | MiB/s | mean | p50 | p99 | p99.9 | max |\n\
                    |---|---|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for test in &assessment.tests {
        for cell in cells(test).into_iter().chain(jobs(test)) {
            for side in cell.sides() {
                let rate = |of: fn(&crate::figures::Rates) -> f64| {
                    side.rates.as_ref().map_or_else(|| "–".to_owned(), |rates| units::format::grouped(of(rates)))
                };
                let latency = side.latency;
                let [p50, p99, p99_9] = [50.0, 99.0, 99.9].map(|percent| latency.percentile_ns(percent));
                let ns = [Some(latency.mean_ns()), p50, p99, p99_9, Some(latency.max_ns())];
                let ns = ns.map(|ns| ns.filter(|_| latency.count() > 0));
                let ns = ns.map(|ns| ns.map_or_else(|| text::NONE.to_owned(), |ns| text::figure(ns, "ns")));
                text += &format!(
                    "| {} | {} | {} | {} | {} |\n",
                    masked(&test.name),
                    masked(format!("{} {}", cell.name(), side.name).trim_start()),
                    rate(|rates| rates.iops),
                    rate(|rates| rates.bytes_per_s / f64::from(1 << 20)),
                    ns.join(" | ")
                );
            }
        }
    }
    text += "\nTimes are service times, from the issue of an I/O to its completion.\n\n";
    for test in &assessment.tests {
        text += &matrix::of_test(test, &cells(test)).map_or_else(String::new, |matrix| table(&test.name, &matrix));
    }
    for test in &assessment.tests {
        if let Some(steady) = &test.steady {
            text += &format!("- {}: {}\n", masked(&test.name), masked(&wording::steady(steady)));
        }
    }
    text + "\n"
}

/// Formats a table of one setting by another.
fn table(test: &str, matrix: &Matrix) -> String {
    let [rows, columns] = matrix.names.each_ref().map(|name| masked(name));
    let mut text = format!("{}: {} by {rows} and {columns}\n\n| {rows} |", masked(test), matrix.title);
    matrix.columns.iter().for_each(|column| text += &format!(" {columns} {} |", masked(column)));
    text += &format!("\n|---:|{}\n", "---:|".repeat(matrix.columns.len()));
    for (value, figures) in &matrix.rows {
        text += &format!("| {} |", masked(value));
        figures.iter().for_each(|figure| text += &format!(" {} |", figure.as_deref().unwrap_or(text::NONE)));
        text += "\n";
    }
    text + "\n"
}

fn findings(assessment: &Assessment) -> String {
    let all = worst_first(assessment);
    let mut text = "## Findings\n\n".to_owned();
    if all.is_empty() {
        text += "No findings.\n";
    }
    for shared in all {
        let (headline, advice) = (masked(&shared.headline), masked(&shared.advice));
        text += &format!("- **{}** {headline} (`{}`)\n", shared.severity.name(), masked(shared.kind));
        shared.occurrences.iter().for_each(|found| text += &format!("  - {}\n", masked(&found.evidence())));
        text += &format!("  - help: {advice}\n");
    }
    text + "\n"
}

fn preparation(assessment: &Assessment) -> String {
    if assessment.preparation.is_empty() {
        return String::new();
    }
    let mut text = "## Preparation\n\n".to_owned();
    for step in &assessment.preparation {
        let name = masked(&wording::preparation_name(step));
        let detail = masked(&wording::preparation_detail(&step.detail, Some(step)));
        let reason = masked(&wording::preparation_reason(step));
        text += &format!("- {name} ({}): {detail}; {reason}\n", outcome(step.outcome));
    }
    text + "\n"
}

/// Formats a code block, with fences longer than any in the text.
fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}
