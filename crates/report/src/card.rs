//! The card for the terminal: at most 80 columns and 24 lines, readable without colour.

use assessment::{Assessment, Severity, Test, Verdict};
use units::format::{grouped, time_ns};
use units::shell::quoted;

use crate::causes::cause;
use crate::figures::cells;
use crate::findings::worst_first;
use crate::identity::identity;
use crate::matrix;
use crate::rows::{self, has_judgements, takes_expectations};
use crate::text::{NONE, cut, duration, plain, target_name, wrapped};

const WIDTH: usize = 79;
/// Most lines. One of 24 is left for the prompt.
const LINES_MOST: usize = 23;
const FINDINGS_MOST: usize = 3;
/// Most lines of the cause.
const CAUSE_LINES: std::ops::RangeInclusive<usize> = 2..=4;
const APPLICATIONS_LINES_MOST: usize = 2;
/// Fewest rows, however long findings and footer are.
const ROWS_LEAST: usize = 4;
/// Characters between columns.
const GAP: usize = 2;
/// Fewest characters of each of the first two columns, which share the remaining width.
const NAME_LEAST: usize = 12;

/// A row of the table: two names, figures, and the verdict.
struct Line {
    names: [String; 2],
    figures: Vec<String>,
    verdict: Verdict,
}

/// Returns the card. `colour` puts the colours of a terminal on verdicts.
pub fn card(assessment: &Assessment, colour: bool) -> String {
    let applications = match assessment.expectations.as_slice() {
        [] => wrapped(&applications(assessment), WIDTH, APPLICATIONS_LINES_MOST),
        _ => Vec::new(),
    };
    let mut below = findings(assessment);
    if assessment.expectations.is_empty() && takes_expectations(assessment) {
        below.push(cut(&how_to_judge(assessment), WIDTH));
    }
    let of_test = if has_judgements(assessment) { judged } else { measured };
    let rows: usize = assessment.tests.iter().map(|test| of_test(assessment, test).len()).sum();
    let identity = Some(cut(&plain(&identity(assessment)), WIDTH)).filter(|line| !line.is_empty());
    // The title, an empty line, and the head of the table.
    let left = LINES_MOST.saturating_sub(3 + identity.iter().len() + applications.len() + rows + below.len());
    let mut lines = vec![title(assessment)];
    lines.extend(identity);
    let verdict = assessment.verdict.to_string();
    let cause_lines = left.clamp(*CAUSE_LINES.start(), *CAUSE_LINES.end());
    let cause = plain(&cause(assessment));
    let cause = wrapped(&format!("{verdict}: {cause}"), WIDTH, cause_lines);
    for (at, line) in cause.iter().enumerate() {
        let rest = line.strip_prefix(verdict.as_str()).filter(|_| at == 0);
        let painted = painted(colour, assessment.verdict);
        lines.push(rest.map_or_else(|| line.clone(), |rest| format!("{painted}{rest}")));
    }
    lines.extend(applications);
    lines.push(String::new());
    // The head of the table.
    let room = LINES_MOST.saturating_sub(lines.len() + 1 + below.len()).max(ROWS_LEAST);
    lines.extend(by_settings(assessment, room).unwrap_or_else(|| table(assessment, room, colour)));
    lines.extend(below);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn title(assessment: &Assessment) -> String {
    let took = duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms));
    let tests = assessment.tests.len();
    let end = format!(": {tests} test{}, {took}", if tests == 1 { "" } else { "s" });
    let name = format!("{} on {}", plain(&assessment.suite), plain(&target_name(&assessment.target)));
    format!("{}{end}", cut(&name, WIDTH.saturating_sub(end.chars().count())))
}

/// The applications whose requirements the target meets, and does not meet; empty if there are none.
fn applications(assessment: &Assessment) -> String {
    let named = |verdict: Verdict, lead: &str| {
        let all = assessment.applications.iter().filter(|application| application.verdict == verdict);
        let names: Vec<String> = all.map(|application| plain(&application.name)).collect();
        (!names.is_empty()).then(|| format!("{lead} {}", names.join(", ")))
    };
    let parts = [named(Verdict::Pass, "meets the requirements of"), named(Verdict::Fail, "does not meet those of")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns how to get a verdict, for assessments without expectations.
pub fn how_to_judge(assessment: &Assessment) -> String {
    let words = judge::limits::hint(&assessment.machine).unwrap_or_else(|| "PROVIDER:DISK".to_owned());
    format!("for a verdict: --expect {} or --for NAME", quoted(&words))
}

/// Returns the only test's figures of one setting by another, if the usual rows do not fit and this table does.
fn by_settings(assessment: &Assessment, room: usize) -> Option<Vec<String>> {
    let [test] = assessment.tests.as_slice() else { return None };
    if !test.judgements.is_empty() || measured(assessment, test).len() <= room {
        return None;
    }
    let matrix = matrix::of_test(test, &cells(test))?;
    let [rows, columns] = matrix.names.each_ref().map(|name| plain(name));
    let mut table = vec![[vec![format!("{rows} \\ {columns}")], matrix.columns.clone()].concat()];
    for (value, figures) in &matrix.rows {
        let figures = figures.iter().map(|figure| figure.clone().unwrap_or_else(|| NONE.to_owned()));
        table.push(std::iter::once(value.clone()).chain(figures).collect());
    }
    let widths: Vec<usize> =
        (0..table[0].len()).map(|at| table.iter().map(|row| width(&row[at])).max().unwrap_or(0)).collect();
    if table.len() > room || widths.iter().map(|width| width + GAP).sum::<usize>() > WIDTH + GAP {
        return None;
    }
    let mut lines = vec![format!("{}: {}", plain(&test.name), matrix.title)];
    for row in &table {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{:>width$}", plain(cell)));
        lines.push(cells.collect::<Vec<_>>().join("  "));
    }
    Some(lines)
}

fn table(assessment: &Assessment, room: usize, colour: bool) -> Vec<String> {
    // Without expectations, the columns show figures.
    let is_judged = has_judgements(assessment);
    let head: &[&str] =
        if is_judged { &["measured", "expected", "ratio"] } else { &["MiB/s", "IOPS", "mean", "p99", "p99.9"] };
    let (shown, missing) = chosen(assessment, room, if is_judged { judged } else { measured });
    let mut widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(at, name)| shown.iter().map(|line| width(&line.figures[at])).max().unwrap_or(0).max(width(name)))
        .collect();
    let verdict_width = shown.iter().map(|line| line.verdict.to_string().len()).max().unwrap_or(0).max("verdict".len());
    let room = |widths: &[usize]| {
        let taken = widths.iter().map(|width| width + GAP).sum::<usize>() + verdict_width + 2 * GAP;
        WIDTH.saturating_sub(taken)
    };
    let needed: usize = name_widths(&shown, usize::MAX).iter().sum();
    // The highest percentile is dropped if the names need its space.
    if !is_judged && needed > room(&widths) {
        widths.pop();
    }
    let names = name_widths(&shown, room(&widths));
    let row = |names_of: [&str; 2], figures: &[String], verdict: &str| {
        let mut line = String::new();
        for (name, width) in names_of.into_iter().zip(names) {
            line += &format!("{:width$}  ", cut(name, width));
        }
        let figures = figures.iter().zip(&widths).map(|(figure, width)| format!("{figure:>width$}"));
        let figures = figures.collect::<Vec<_>>().join("  ");
        format!("{line}{figures}  {verdict}")
    };
    let heads: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let second = if is_judged { "figure" } else { "" };
    let mut lines = vec![row(["test", second], &heads, "verdict")];
    for line in &shown {
        let [test, figure] = &line.names;
        lines.push(row([test, figure], &line.figures, &painted(colour, line.verdict)));
    }
    if missing > 0 {
        lines.push(format!("… {missing} more: fathom show last --format markdown"));
    }
    lines
}

/// Returns the widths of both names: what they need, or their shares of the room.
fn name_widths(shown: &[Line], room: usize) -> [usize; 2] {
    let needed = |at: usize| shown.iter().map(|line| width(&line.names[at])).max().unwrap_or(0).max(6);
    let (first, second) = (needed(0), needed(1));
    if first + second <= room {
        return [room - second, second];
    }
    let second = second.min((room / 2).max(room.saturating_sub(first))).max(second.min(NAME_LEAST)).min(room);
    [room - second, second]
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Returns a row for each judgement.
fn judged(assessment: &Assessment, test: &Test) -> Vec<Line> {
    let rows = rows::of_test(assessment, test).into_iter();
    rows.map(|row| Line {
        names: [plain(&row.test), plain(&row.figure)],
        // The name of the figure implies the unit.
        figures: [row.measured, row.expected, row.ratio].map(|figure| plain(figure.trim_end_matches(" IOPS"))).into(),
        verdict: row.verdict,
    })
    .collect()
}

/// Returns a row for each setting and direction.
fn measured(_: &Assessment, test: &Test) -> Vec<Line> {
    let mut lines = Vec::new();
    for cell in cells(test) {
        for side in cell.sides() {
            let rate = |of: Option<f64>| of.map_or_else(|| NONE.to_owned(), grouped);
            let latency = side.latency;
            let times = [Some(latency.mean_ns()), latency.percentile_ns(99.0), latency.percentile_ns(99.9)];
            let mut figures = vec![
                rate(side.rates.map(|rates| rates.bytes_per_s / f64::from(1 << 20))),
                rate(side.rates.map(|rates| rates.iops)),
            ];
            let has_latency = latency.count() > 0;
            figures.extend(times.map(|ns| ns.filter(|_| has_latency).map_or_else(|| NONE.to_owned(), time_ns)));
            let figure = plain(format!("{} {}", side.name, cell.name()).trim_end());
            lines.push(Line { names: [plain(&test.name), figure], figures, verdict: test.verdict });
        }
    }
    if lines.is_empty() {
        let figures = vec![NONE.to_owned(); 5];
        lines.push(Line { names: [plain(&test.name), String::new()], figures, verdict: test.verdict });
    }
    lines
}

/// Returns the rows that fit, and the number of missing ones. If not all fit, each test has one row, the worst tests
/// first.
fn chosen(assessment: &Assessment, room: usize, of_test: fn(&Assessment, &Test) -> Vec<Line>) -> (Vec<Line>, usize) {
    let by_test: Vec<Vec<Line>> = assessment.tests.iter().map(|test| of_test(assessment, test)).collect();
    let all: usize = by_test.iter().map(Vec::len).sum();
    if all <= room {
        return (by_test.into_iter().flatten().collect(), 0);
    }
    // One line reports the missing rows.
    let room = room.saturating_sub(1);
    let mut ranked: Vec<(usize, usize, Line)> = Vec::new();
    for (test, mut lines) in by_test.into_iter().enumerate() {
        // The first of the worst rows represents its test.
        lines.sort_by_key(|line| std::cmp::Reverse(line.verdict));
        ranked.extend(lines.into_iter().enumerate().map(|(nth, line)| (test, nth, line)));
    }
    ranked.sort_by_key(|(test, nth, line)| (*nth > 0, std::cmp::Reverse(line.verdict), *test, *nth));
    ranked.truncate(room);
    ranked.sort_by_key(|(test, nth, _)| (*test, *nth));
    let shown: Vec<Line> = ranked.into_iter().map(|(.., line)| line).collect();
    let missing = all - shown.len();
    (shown, missing)
}

/// Returns the worst findings, with at most two lines each, after an empty line.
fn findings(assessment: &Assessment) -> Vec<String> {
    let all = worst_first(assessment);
    let serious: Vec<_> = all.iter().filter(|finding| finding.severity > Severity::Info).collect();
    let mut lines = vec![String::new()];
    for finding in serious.iter().take(FINDINGS_MOST) {
        let evidence = match finding.occurrences.as_slice() {
            [found] => found.figures(),
            [first, ..] => first.evidence(),
            [] => String::new(),
        };
        let text = format!("{} ({}): {}; {evidence}", finding.severity.name(), finding.tests(), finding.headline);
        let text = text.trim_end_matches("; ");
        lines.extend(wrapped(&plain(text), WIDTH, 2));
    }
    if serious.len() > FINDINGS_MOST {
        let more = serious.len() - FINDINGS_MOST;
        lines.push(format!("… {more} more finding{}", if more == 1 { "" } else { "s" }));
    }
    lines
}

fn painted(colour: bool, verdict: Verdict) -> String {
    if !colour {
        return verdict.to_string();
    }
    let code = match verdict {
        Verdict::Measured => "1",
        Verdict::Pass => "1;32",
        Verdict::Fail => "1;31",
        Verdict::Skipped | Verdict::Inconclusive => "1;33",
        Verdict::Invalid => "1;35",
    };
    format!("\u{1b}[{code}m{verdict}\u{1b}[0m")
}
