//! Assessments as Markdown, for pull requests, issues, wikis and mail: the answer first, the details folded.

use assessment::{Assessment, Preparation, Severity, Verdict};
use units::markup::printable;

use crate::answer;
use crate::disturbed;
use crate::explanation;
use crate::figures::{TIMES, cells, jobs};
use crate::findings::{Shared, worst_first};
use crate::grid;
use crate::health;
use crate::hosts;
use crate::html::environment::{command, facts, outcome};
use crate::key_figures::{self, Span};
use crate::matrix::{self, Matrix};
use crate::published_limits::{self, PublishedLimit};
use crate::rows::{self, limit_name};
use crate::study::{Ink, summary};
use crate::text::{self, duration, local_time, masked, target_name};
use crate::thresholds::{self, Check, CheckOf, mark};
use crate::wording;

/// Thresholds beyond this number are counted, the best ones.
const CHECKS_SHOWN: usize = 12;
/// Findings beyond this number are only in the folded part.
const HEADLINES_SHOWN: usize = 3;

pub fn markdown(assessment: &Assessment) -> String {
    let (suite, target) = (masked(assessment.suite.raw()), masked(&target_name(&assessment.target)));
    let mark = mark(assessment.verdict, Ink::Unicode);
    let mut text = format!("## {mark} {}: {suite} on {target}\n\n", assessment.verdict);
    text += &format!("**{}.**{}\n\n", masked(&text::sentence(&answer::sentence(assessment))), next(assessment));
    let checks = thresholds::beside_the_sentence(assessment);
    text += &self::checks(&checks);
    text += &grid(assessment);
    // The figures of judged tests are in the thresholds.
    let is_judged = checks.iter().any(|check| check.of != CheckOf::Application);
    let key_figures = if is_judged || summary(assessment).is_some() { String::new() } else { key_figures(assessment) };
    let is_complete = !key_figures.is_empty() && has_one_row_each(assessment);
    text += &key_figures;
    text += &study(assessment);
    text += &headlines(assessment);
    let figures = if is_complete { String::new() } else { figures(assessment) };
    let details = [
        findings(assessment),
        applications(assessment),
        limits_of_vendors(assessment),
        slow_ios(assessment),
        environment(assessment),
        figures,
        hosts(assessment),
        verdicts(assessment),
        health::table(assessment).map(|table| table.markdown()).unwrap_or_default(),
    ];
    text += &folded("Details, environment, and how to repeat it", &details.concat());
    printable(&text).into_owned()
}

/// Formats a part that a reader opens.
pub fn folded(title: &str, text: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{}\n\n</details>\n", text.trim_end())
}

/// Formats the limits of the machine, and what to type next, as lines of the paragraph.
fn next(assessment: &Assessment) -> String {
    let limits = answer::machine(assessment).map(|limits| format!("{}.", masked(&text::sentence(&limits))));
    let command = answer::next_command(assessment)
        .map(|(lead, command)| format!("{}: {}", text::sentence(lead), code(&text::plain(&command))));
    let undisturbed =
        disturbed::figures(assessment).into_iter().map(|line| format!("{}.", masked(&text::sentence(&line))));
    undisturbed.chain(limits).chain(command).map(|part| format!("<br>{part}")).collect()
}

/// Formats the thresholds; empty without thresholds.
fn checks(checks: &[Check]) -> String {
    let (judged, others): (Vec<_>, Vec<_>) = checks.iter().partition(|check| check.compared.is_some());
    let mut text = String::new();
    for check in &others {
        let mark = mark(check.verdict, Ink::Unicode);
        text += &format!("- {mark} {}\n", masked(&format!("{}: {}", check.name, check.cause)));
    }
    if !others.is_empty() {
        text += "\n";
    }
    if judged.is_empty() {
        return text;
    }
    let is_of_applications = judged.iter().all(|check| check.of == CheckOf::Application);
    let name = if is_of_applications { "application" } else { "test" };
    text += &format!("| | {name} | figure | measured | expected | ratio |\n|---|---|---|---:|---:|---:|\n");
    for check in judged.iter().take(CHECKS_SHOWN) {
        let Some(compared) = &check.compared else { continue };
        let ratio = [Some(compared.ratio_and_tolerance()), compared.why_open()];
        let ratio = ratio.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let cells = [&check.name, &compared.figure(), &compared.measured(), &compared.bound(), &ratio];
        text +=
            &format!("| {} | {} |\n", mark(check.verdict, Ink::Unicode), cells.map(|cell| masked(cell)).join(" | "));
    }
    if judged.len() > CHECKS_SHOWN {
        text += &format!("\n… {} more\n", judged.len() - CHECKS_SHOWN);
    }
    text + "\n"
}

/// Formats the hosts of each test that ran on several; empty without hosts.
fn hosts(assessment: &Assessment) -> String {
    let table = |test| hosts::table(test).map(|table| table.markdown() + "\n");
    assessment.tests.iter().filter_map(table).collect()
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

/// Formats the main figures of each test, unless the grid shows them.
fn key_figures(assessment: &Assessment) -> String {
    let rows = key_figures::of(assessment);
    if rows.is_empty() || grid::of(assessment).is_some() {
        return String::new();
    }
    let mut text = "| test | | IOPS | MiB/s | p50 | p99 | p99.9 |\n|---|---|---:|---:|---:|---:|---:|\n".to_owned();
    for row in &rows {
        let shown =
            |span: Option<Span>, unit: &str| span.map_or_else(|| text::NONE.to_owned(), |span| span.shown(unit));
        let iops = shown(row.iops, "IOPS");
        let bandwidth = shown(row.bytes_per_s, "B/s");
        let times = row.latency_ns.map(|span| shown(span, "ns")).join(" | ");
        let (iops, bandwidth) = (iops.trim_end_matches(" IOPS"), bandwidth.trim_end_matches(" MiB/s"));
        let test = assessment.tests.get(row.test).map_or_else(String::new, |test| masked(&test.name));
        text += &format!("| {test} | {} | {iops} | {bandwidth} | {times} |\n", row.direction);
    }
    text + "\n"
}

/// Whether each test has the figures of one setting: then the table of main figures has them all.
fn has_one_row_each(assessment: &Assessment) -> bool {
    assessment.tests.iter().all(|test| cells(test).len() <= 1 && jobs(test).is_empty())
}

/// Formats the findings that weaken or explain the verdict, in one line each.
fn headlines(assessment: &Assessment) -> String {
    let serious = worst_first(assessment).into_iter().filter(|shared| shared.severity > Severity::Info);
    let mut lines: Vec<String> = serious
        .map(|shared| {
            let (headline, tests) = (masked(&text::sentence(&shared.headline)), masked(&shared.tests()));
            format!("- **{}**: {headline} ({tests})\n", shared.severity.name())
        })
        .collect();
    if lines.len() > HEADLINES_SHOWN {
        let more = lines.split_off(HEADLINES_SHOWN).len();
        lines.push(format!("- … {more} more\n"));
    }
    if lines.is_empty() { String::new() } else { lines.concat() + "\n" }
}

/// Formats the preparation, the environment and the command line.
fn environment(assessment: &Assessment) -> String {
    let when = local_time(assessment.started_unix_ms, assessment.utc_offset_s);
    let took = duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms));
    let facts: Vec<String> =
        facts(assessment).iter().map(|(name, value)| format!("{}: {}", masked(name), masked(value))).collect();
    let command = code(&text::plain(&command(assessment)));
    let mut text = preparation(assessment);
    text += &format!("- **environment** {when}, took {took} · {}\n", facts.join(" · "));
    text + &format!("- **how to repeat it** {command}\n\n")
}

fn verdicts(assessment: &Assessment) -> String {
    if !rows::is_table_wanted(assessment) {
        return String::new();
    }
    let mut text = "| test | figure | measured | expected | ratio | 95 % interval | verdict | cause |\n\
                    |---|---|---:|---:|---:|---:|---|---|\n"
        .to_owned();
    for row in assessment.tests.iter().flat_map(rows::of_test) {
        let cells = [&row.test, &row.figure, &row.measured, &row.expected, &row.ratio, &row.interval];
        let cells: Vec<String> = cells.iter().map(|cell| masked(cell)).collect();
        text += &format!("| {} | {} | {} |\n", cells.join(" | "), row.verdict, masked(&row.cause));
    }
    for expected in &assessment.expectations {
        text += &format!("\nExpected: {}\n", masked(&expected.words));
        for limit in &expected.limits {
            let (figure, enough) =
                (text::figure(limit.value, limit.metric.unit()), units::format::percent(limit.tolerance));
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
    for note in &summary.notes {
        let lines: Vec<String> = note.lines().map(masked).collect();
        text += &format!("- {}\n", lines.join("<br>"));
    }
    if let Some(bars) = &summary.bars {
        text += &format!("\n{}", block(bars));
    }
    text + "\n"
}

/// Formats the applications with a decision in one line; the names of the others follow.
fn applications(assessment: &Assessment) -> String {
    let (decided, open): (Vec<_>, Vec<_>) =
        assessment.applications.iter().partition(|one| matches!(one.verdict, Verdict::Pass | Verdict::Fail));
    let decided = decided.iter().map(|one| {
        let (cause, source) = (wording::cause(&one.cause), one.source.as_ref().map(wording::citation));
        let [name, cause, source] = [&one.name, &cause, &source.unwrap_or_default()].map(|text| masked(text));
        format!("{} {name}: {cause} ({source})", mark(one.verdict, Ink::Unicode))
    });
    let open: Vec<String> = open.iter().map(|one| masked(&one.name)).collect();
    let open = (!open.is_empty()).then(|| format!("not decided: {}", open.join(", ")));
    listed("applications", decided.chain(open).collect())
}

/// Formats the published limits that the figures are like, and those of the machine, in one line.
fn limits_of_vendors(assessment: &Assessment) -> String {
    let part = |limit: &PublishedLimit| {
        let [of, measured, known, source] =
            [&limit.of, &limit.measured, &limit.limit, &limit.source].map(|text| masked(text));
        let figure = if measured.is_empty() { String::new() } else { format!(" {measured}, like") };
        format!("{of}{figure} {known} ({source})")
    };
    listed("published limits", published_limits::of(assessment).iter().map(part).collect())
}

/// Formats where the slowest I/Os of traced tests spent their time.
fn slow_ios(assessment: &Assessment) -> String {
    let of_test = |test: &assessment::Test| {
        let sentences = explanation::of_test(test).join(" ");
        (!sentences.is_empty()).then(|| format!("{}: {}", masked(&test.name), masked(&sentences)))
    };
    listed("slowest I/Os", assessment.tests.iter().filter_map(of_test).collect())
}

/// Formats an item of a list with several parts; empty without parts.
fn listed(name: &str, parts: Vec<String>) -> String {
    if parts.is_empty() { String::new() } else { format!("- **{name}** {}\n", parts.join("; ")) }
}

fn figures(assessment: &Assessment) -> String {
    let mut text = "| test | | IOPS | MiB/s | mean | p50 | p99 | p99.9 | max |\n\
                    |---|---|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for test in &assessment.tests {
        for cell in cells(test).into_iter().chain(jobs(test)) {
            for side in cell.sides() {
                text += &format!(
                    "| {} | {} | {} | {} |\n",
                    masked(&test.name),
                    masked(format!("{} {}", cell.name(), side.name).trim_start()),
                    side.rates_shown().join(" | "),
                    side.times_shown(TIMES).join(" | ")
                );
            }
        }
    }
    text += "\nService times, from the issue of an I/O to its completion.\n\n";
    for test in &assessment.tests {
        text += &matrix::of_test(test, &cells(test)).map_or_else(String::new, |matrix| table(&test.name, &matrix));
    }
    for test in &assessment.tests {
        for steady in &test.steady {
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

/// Formats the findings, a line each.
fn findings(assessment: &Assessment) -> String {
    let line = |shared: &Shared| {
        let evidence: Vec<String> = shared.occurrences.iter().map(|found| masked(&found.evidence())).collect();
        let (headline, advice) = (masked(&shared.headline), masked(&shared.advice));
        let advice = if advice.is_empty() { advice } else { format!(". Help: {advice}") };
        let (severity, kind) = (shared.severity.name(), masked(shared.kind));
        format!("- **{severity}** {headline} (`{kind}`): {}{advice}\n", evidence.join("; "))
    };
    worst_first(assessment).iter().map(line).collect()
}

fn preparation(assessment: &Assessment) -> String {
    let line = |step: &Preparation| {
        let name = masked(&wording::preparation_name(step));
        let detail = masked(&wording::preparation_detail(&step.detail, Some(step)));
        let reason = masked(&wording::preparation_reason(step));
        format!("- **preparation** {name} ({}): {detail}; {reason}\n", outcome(step.outcome))
    };
    assessment.preparation.iter().map(line).collect()
}

/// Formats a code block, with fences longer than any in the text.
fn block(text: &str) -> String {
    let fence = "`".repeat(longest_fence(text).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

/// Formats code within a line. A space keeps the text's own marks apart from the fences.
fn code(text: &str) -> String {
    let longest = longest_fence(text);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{text}{fence}") } else { format!("{fence} {text} {fence}") }
}

fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
