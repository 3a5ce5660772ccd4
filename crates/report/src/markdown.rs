//! Assessments as Markdown, for pull requests, issues, wikis and mail: the answer first, the details folded.

use assessment::{Assessment, Severity, Verdict};
use units::markup::printable;

use crate::causes::cause;
use crate::figures::{cells, jobs};
use crate::findings::worst_first;
use crate::grid;
use crate::html::environment::{command, facts, outcome};
use crate::key_figures::{self, Span};
use crate::matrix::{self, Matrix};
use crate::rows::{self, limit_name};
use crate::study::summary;
use crate::text::{self, duration, local_time, masked, target_name};
use crate::thresholds::{self, mark};
use crate::wording;

pub fn markdown(assessment: &Assessment) -> String {
    let (suite, target) = (masked(&assessment.suite), masked(&target_name(&assessment.target)));
    let mut text = format!("## {} {}: {suite} on {target}\n\n", mark(assessment.verdict), assessment.verdict);
    text += &format!("**{}.**\n\n", masked(&text::sentence(&cause(assessment))));
    text += &checks(assessment);
    text += &grid(assessment);
    if summary(assessment).is_none() {
        text += &key_figures(assessment);
    }
    text += &study(assessment);
    text += &headlines(assessment);
    if rows::has_judgements(assessment) {
        text += &folded("Intervals and sources", &verdicts(assessment));
    }
    text += &folded("Figures", &figures(assessment));
    text += &folded("Findings", &findings(assessment));
    text += &folded("Applications", &applications(assessment));
    let repeat = block(&command(assessment));
    text +=
        &folded("Environment, and how to repeat it", &(environment(assessment) + &preparation(assessment) + &repeat));
    printable(&text).into_owned()
}

/// Formats a part that a reader opens; empty if it has no text.
fn folded(title: &str, text: &str) -> String {
    match text.trim_end() {
        "" => String::new(),
        text => format!("<details><summary>{title}</summary>\n\n{text}\n\n</details>\n\n"),
    }
}

/// Formats the thresholds, the worst first; empty without thresholds.
fn checks(assessment: &Assessment) -> String {
    let mut checks = thresholds::of(assessment);
    checks.sort_by_key(|check| std::cmp::Reverse(check.verdict));
    let (judged, others): (Vec<_>, Vec<_>) = checks.iter().partition(|check| !check.figure.is_empty());
    let mut text = String::new();
    if !judged.is_empty() {
        text += "| | test | figure | measured | expected | ratio |\n|---|---|---|---:|---:|---:|\n";
    }
    for check in judged {
        let cells = [&check.name, &check.figure, &check.measured, &check.bound, &check.ratio].map(|cell| masked(cell));
        text += &format!("| {} | {} |\n", mark(check.verdict), cells.join(" | "));
    }
    if !text.is_empty() {
        text += "\n";
    }
    for check in &others {
        text += &format!("- {} {}\n", mark(check.verdict), masked(&check.line()));
    }
    if others.is_empty() { text } else { text + "\n" }
}

/// Formats the grid of CrystalDiskMark's suite; empty for other suites.
fn grid(assessment: &Assessment) -> String {
    let Some(grid) = grid::of(assessment) else { return String::new() };
    let mut text = format!("| MB/s | {} |\n|---|{}\n", grid.columns.join(" | "), "---:|".repeat(grid.columns.len()));
    for (name, cells) in &grid.rows {
        let cells: Vec<&str> = cells.iter().map(|cell| cell.as_deref().unwrap_or(text::NONE)).collect();
        text += &format!("| {} | {} |\n", masked(name), cells.join(" | "));
    }
    text + &format!("\n{}.\n\n", masked(grid::NOTE))
}

/// Formats the main figures of each test, unless thresholds or the grid show them.
fn key_figures(assessment: &Assessment) -> String {
    let rows = key_figures::of(assessment);
    if rows.is_empty() || grid::of(assessment).is_some() || !thresholds::of(assessment).is_empty() {
        return String::new();
    }
    let mut text = "| test | IOPS | MiB/s | p50 | p99 | p99.9 |\n|---|---:|---:|---:|---:|---:|\n".to_owned();
    for row in &rows {
        let shown =
            |span: Option<Span>, unit: &str| span.map_or_else(|| text::NONE.to_owned(), |span| span.shown(unit));
        let iops = shown(row.iops, "IOPS");
        let bandwidth = shown(row.bytes_per_s, "B/s");
        let times = row.latency_ns.map(|span| shown(span, "ns")).join(" | ");
        let (iops, bandwidth) = (iops.trim_end_matches(" IOPS"), bandwidth.trim_end_matches(" MiB/s"));
        text += &format!("| {} | {iops} | {bandwidth} | {times} |\n", masked(&row.name));
    }
    text + "\n"
}

/// Formats the findings that weaken or explain the verdict, in one line each.
fn headlines(assessment: &Assessment) -> String {
    let serious = worst_first(assessment).into_iter().filter(|shared| shared.severity > Severity::Info);
    let lines: Vec<String> = serious
        .map(|shared| {
            let (headline, tests) = (masked(&text::sentence(&shared.headline)), masked(&shared.tests()));
            format!("- **{}**: {headline} ({tests})\n", shared.severity.name())
        })
        .collect();
    if lines.is_empty() { String::new() } else { lines.concat() + "\n" }
}

fn environment(assessment: &Assessment) -> String {
    let when = local_time(assessment.started_unix_ms, assessment.utc_offset_s);
    let took = duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms));
    let facts: Vec<String> =
        facts(assessment).iter().map(|(name, value)| format!("{}: {}", masked(name), masked(value))).collect();
    format!("{when}, took {took} · {}\n\n", facts.join(" · "))
}

fn verdicts(assessment: &Assessment) -> String {
    let mut text = "| test | figure | measured | expected | ratio | 95 % interval | verdict | cause |\n\
                    |---|---|---:|---:|---:|---:|---|---|\n"
        .to_owned();
    let judged = assessment.tests.iter().filter(|test| !test.judgements.is_empty());
    for row in judged.flat_map(|test| rows::of_test(assessment, test)) {
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

/// Formats the applications with a decision; the names of the others follow.
fn applications(assessment: &Assessment) -> String {
    let (decided, open): (Vec<_>, Vec<_>) =
        assessment.applications.iter().partition(|one| matches!(one.verdict, Verdict::Pass | Verdict::Fail));
    let mut text = String::new();
    if !decided.is_empty() {
        text += "| | application | cause | source of the requirement |\n|---|---|---|---|\n";
    }
    for one in decided {
        let (cause, source) = (wording::cause(&one.cause), one.source.as_ref().map(wording::citation));
        let [name, cause, source] = [&one.name, &cause, &source.unwrap_or_default()].map(|text| masked(text));
        text += &format!("| {} | {name} | {cause} | {source} |\n", mark(one.verdict));
    }
    let open: Vec<String> = open.iter().map(|one| masked(&one.name)).collect();
    if open.is_empty() { text } else { text + &format!("\nNot decided: {}.\n", open.join(", ")) }
}

fn figures(assessment: &Assessment) -> String {
    let mut text = "| test | | IOPS | MiB/s | mean | p50 | p99 | p99.9 | max |\n\
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
    text += "\nService times, from the issue of an I/O to its completion.\n\n";
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
    let mut text = String::new();
    for shared in all {
        let (headline, advice) = (masked(&shared.headline), masked(&shared.advice));
        text += &format!("- **{}** {headline} (`{}`)\n", shared.severity.name(), masked(shared.kind));
        let evidence: Vec<String> = shared.occurrences.iter().map(|found| masked(&found.evidence())).collect();
        text += &format!("  - {}\n  - help: {advice}\n", evidence.join("; "));
    }
    text + "\n"
}

fn preparation(assessment: &Assessment) -> String {
    if assessment.preparation.is_empty() {
        return String::new();
    }
    let mut text = String::new();
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
