//! The card for the terminal: at most 24 lines, and 80 columns unless the terminal is wider or a command longer, readable
//! without colour.

use assessment::{Assessment, Severity, Statistic, Test, Verdict};
use units::order::OrderBy;

use crate::answer;
use crate::disturbed;
use crate::explanation;
use crate::figures::cells;
use crate::findings::worst_first;
use crate::grid;
use crate::identity::identity;
use crate::matrix;
use crate::study::Ink;
use crate::text::{NONE, cut, duration, plain, target_name, wrapped};
use crate::thresholds::{self, mark};

/// Characters of a line on a terminal of 80 columns.
const WIDTH: usize = 79;
/// Characters by which a line grows until no text is cut.
const WIDTH_STEP: usize = 10;
/// Most lines. One of 24 is left for the prompt.
const LINES_MOST: usize = 23;
const FINDINGS_MOST: usize = 3;
/// Most lines of the cause.
const CAUSE_LINES: std::ops::RangeInclusive<usize> = 2..=4;
/// Most lines of what to do.
const ADVICE_LINES: usize = 2;
/// Lines that a sentence has before findings are shown.
const SENTENCE_LINES: usize = 3;
/// The head of the grid's names, and the characters of a column.
const GRID_UNIT: &str = "[MB/s]";
const GRID_COLUMN: usize = 12;
/// Service times of a row.
const TIMES: [Statistic; 3] = [Statistic::Mean, Statistic::Percentile(99.0), Statistic::Percentile(99.9)];
/// Fewest thresholds, if there are more.
const CHECKS_LEAST: usize = 4;
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

/// Returns the card for 80 columns. `colour` puts the colours of a terminal on verdicts.
pub fn card(assessment: &Assessment, colour: bool, ink: Ink) -> String {
    of_width(assessment, (colour, ink), WIDTH)
}

/// Returns the card for a terminal: wider than 80 columns if that cuts less text.
pub fn card_of_columns(assessment: &Assessment, style: (bool, Ink), columns: usize) -> String {
    let most = columns.saturating_sub(1).max(WIDTH);
    let widths = (WIDTH..most).step_by(WIDTH_STEP).chain([most]);
    let cards = widths.map(|width| of_width(assessment, style, width));
    cards.min_by_key(|card| card.matches('…').count()).unwrap_or_default()
}

fn of_width(assessment: &Assessment, (colour, ink): (bool, Ink), columns: usize) -> String {
    let footer = footer(assessment, columns);
    let grid = grid_lines(assessment);
    let rows = grid.as_ref().map_or_else(|| rows_of(assessment), |grid| grid.len() - 1);
    let identity = Some(cut(&plain(&identity(assessment)), columns)).filter(|line| !line.is_empty());
    let title_lines = 1 + identity.iter().len();
    let mut checks = checks_of(assessment, ink, columns);
    let verdict = assessment.verdict.to_string();
    let sentence = sentence_of_width(assessment, columns);
    let cause_least = wrapped(&sentence, columns, SENTENCE_LINES).len().max(*CAUSE_LINES.start());
    // Fewer findings are shown if the other parts need their lines.
    let fits = |most: &usize| {
        let others = title_lines + 2 + cause_least + rows + checks.len().min(CHECKS_LEAST) + footer.len();
        others + findings(assessment, *most, columns).len() <= LINES_MOST
    };
    let most = (1..=FINDINGS_MOST).rev().find(fits).unwrap_or(FINDINGS_MOST);
    let mut below = findings(assessment, most, columns);
    below.extend(footer);
    // The title, an empty line, and the head of the table.
    let free = LINES_MOST.saturating_sub(title_lines + 2 + below.len());
    let checks_room = free.saturating_sub(rows + cause_least).max(CHECKS_LEAST);
    let hidden = checks.len().saturating_sub(checks_room);
    if hidden > 0 {
        checks.truncate(checks_room - 1);
    }
    let hidden = if hidden > 0 { hidden + 1 } else { 0 };
    let left = free.saturating_sub(rows + checks.len() + usize::from(hidden > 0));
    let mut lines = vec![title(assessment, columns)];
    lines.extend(identity);
    let cause_lines = left.clamp(cause_least, *CAUSE_LINES.end());
    for (at, line) in wrapped(&sentence, columns, cause_lines).iter().enumerate() {
        let rest = line.strip_prefix(verdict.as_str()).filter(|_| at == 0);
        let painted = painted(colour, assessment.verdict);
        lines.push(rest.map_or_else(|| line.clone(), |rest| format!("{painted}{rest}")));
    }
    lines.extend(checks);
    if hidden > 0 {
        lines.push(format!("… {hidden} more"));
    }
    lines.push(String::new());
    // The head of the table.
    let room = LINES_MOST.saturating_sub(lines.len() + 1 + below.len()).max(ROWS_LEAST);
    lines.extend(
        grid.or_else(|| by_settings(assessment, room, columns))
            .unwrap_or_else(|| table(assessment, (room, columns), colour)),
    );
    lines.extend(below);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns the lines below the findings: the slowest I/Os, the limits of the machine, and what to do next.
fn footer(assessment: &Assessment, columns: usize) -> Vec<String> {
    let mut footer: Vec<String> = Vec::new();
    footer.extend(explanation::headline(assessment).map(|slow| cut(&plain(&slow), columns)));
    footer.extend(answer::machine(assessment).map(|limits| cut(&plain(&limits), columns)));
    let next = answer::next_command(assessment).map(|(lead, command)| (lead.to_owned(), Some(command)));
    let to_do = || answer::advice(assessment).map(|advice| (format!("to do: {}", advice.text), advice.command));
    let Some((lead, command)) = next.or_else(to_do) else { return footer };
    let (lead, command) = (plain(&lead), command.map(|command| plain(&command)));
    match command {
        None => footer.extend(wrapped(&lead, columns, ADVICE_LINES)),
        Some(command) => match format!("{lead}: {command}") {
            line if width(&line) <= columns => footer.push(line),
            // Alone on its line and as long as it is, the command can be copied.
            _ => footer.extend(wrapped(&format!("{lead}:"), columns, ADVICE_LINES).into_iter().chain([command])),
        },
    }
    footer
}

/// Returns the verdict and its sentence, with the classes that fit.
fn sentence_of_width(assessment: &Assessment, columns: usize) -> String {
    let of = |most| format!("{}: {}", assessment.verdict, plain(&answer::sentence_with_classes(assessment, most)));
    let fits = |sentence: &String| wrapped(sentence, columns, usize::MAX).len() <= SENTENCE_LINES;
    (0..=assessment.classes.len()).rev().map(of).find(fits).unwrap_or_else(|| of(0))
}

/// Returns CrystalDiskMark's grid, for its suite.
fn grid_lines(assessment: &Assessment) -> Option<Vec<String>> {
    let grid = grid::of(assessment)?;
    let names = grid.rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0).max(GRID_UNIT.len());
    let line = |name: &str, cells: Vec<&str>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>GRID_COLUMN$}")).collect();
        format!("{:names$}{cells}", plain(name))
    };
    let head = line(GRID_UNIT, grid.columns.clone());
    let row = |(name, cells): &(String, Vec<Option<String>>)| {
        line(name, cells.iter().map(|cell| cell.as_deref().unwrap_or(NONE)).collect())
    };
    Some(std::iter::once(head).chain(grid.rows.iter().map(row)).collect())
}

fn rows_of(assessment: &Assessment) -> usize {
    assessment.tests.iter().map(|test| measured(test).len()).sum()
}

fn title(assessment: &Assessment, columns: usize) -> String {
    let took = duration(assessment.ended_unix_ms.saturating_sub(assessment.started_unix_ms));
    let tests = assessment.tests.len();
    let end = format!(": {tests} test{}, {took}", if tests == 1 { "" } else { "s" });
    let name = format!("{} on {}", assessment.suite, plain(&target_name(&assessment.target)));
    format!("{}{end}", cut(&name, columns.saturating_sub(end.chars().count())))
}

/// Returns the thresholds, a line each, with aligned columns. Verdicts with another reason are in the table of tests.
fn checks_of(assessment: &Assessment, ink: Ink, columns: usize) -> Vec<String> {
    let cells = |check: &thresholds::Check| {
        let compared = check.compared?;
        let [measured, bound, ratio, rest] = compared.short(ink);
        let cells = [check.name.clone(), compared.figure(), measured, bound, ratio, rest].map(|cell| plain(&cell));
        Some((check.verdict, cells))
    };
    let checks = thresholds::of(assessment);
    let rows: Vec<(Verdict, [String; 6])> = checks.iter().filter_map(cells).collect();
    let open = checks.iter().filter(|check| check.of == thresholds::CheckOf::Application && check.compared.is_none());
    let open = open
        .map(|check| cut(&plain(&format!("{} {}: {}", mark(check.verdict, ink), check.name, check.cause)), columns));
    let width_of = |at: usize| rows.iter().map(|(_, row)| width(&row[at])).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width_of);
    let line = |(verdict, [name, figure, measured, bound, ratio, rest]): &(Verdict, [String; 6])| {
        let line = format!(
            "{} {name:1$}  {figure:2$}  {measured:>3$}  {bound:4$}  {ratio:>5$}  {rest}",
            mark(*verdict, ink),
            widths[0],
            widths[1],
            widths[2],
            widths[3],
            widths[4]
        );
        cut(line.trim_end(), columns)
    };
    rows.iter().map(line).chain(open).collect()
}

/// Returns the only test's figures of one setting by another, if the usual rows do not fit and this table does.
fn by_settings(assessment: &Assessment, room: usize, width_most: usize) -> Option<Vec<String>> {
    let [test] = assessment.tests.as_slice() else { return None };
    if measured(test).len() <= room {
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
    if table.len() > room || widths.iter().map(|width| width + GAP).sum::<usize>() > width_most + GAP {
        return None;
    }
    let mut lines = vec![format!("{}: {}", plain(&test.name), matrix.title)];
    for row in &table {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{:>width$}", plain(cell)));
        lines.push(cells.collect::<Vec<_>>().join("  "));
    }
    Some(lines)
}

fn table(assessment: &Assessment, (room, columns): (usize, usize), colour: bool) -> Vec<String> {
    let head = ["MiB/s", "IOPS", "mean", "p99", "p99.9"];
    let (shown, missing) = chosen(assessment, room);
    let mut widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(at, name)| shown.iter().map(|line| width(&line.figures[at])).max().unwrap_or(0).max(width(name)))
        .collect();
    // Without expectations each verdict is MEASURED.
    let has_verdicts = assessment.tests.iter().any(|test| test.verdict != Verdict::Measured);
    let verdicts = shown.iter().map(|line| line.verdict.to_string().len());
    let verdict_width = verdicts.max().unwrap_or(0).max("verdict".len()) * usize::from(has_verdicts);
    let room = |widths: &[usize]| {
        let taken = widths.iter().map(|width| width + GAP).sum::<usize>() + verdict_width + 2 * GAP;
        columns.saturating_sub(taken)
    };
    let needed: usize = name_widths(&shown, usize::MAX).iter().sum();
    // The highest percentile is dropped if the names need its space.
    if needed > room(&widths) {
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
        if has_verdicts { format!("{line}{figures}  {verdict}") } else { format!("{line}{figures}") }
    };
    let heads: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let mut lines = vec![row(["test", ""], &heads, "verdict")];
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

/// Returns a row for each setting and direction.
fn measured(test: &Test) -> Vec<Line> {
    let mut lines = Vec::new();
    for cell in cells(test) {
        for side in cell.sides() {
            let [iops, mib_per_s] = side.rates_shown();
            let figures = [mib_per_s, iops].into_iter().chain(side.times_shown(TIMES)).collect();
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
fn chosen(assessment: &Assessment, room: usize) -> (Vec<Line>, usize) {
    let by_test: Vec<Vec<Line>> = assessment.tests.iter().map(measured).collect();
    let all: usize = by_test.iter().map(Vec::len).sum();
    if all <= room {
        return (by_test.into_iter().flatten().collect(), 0);
    }
    // One line reports the missing rows.
    let room = room.saturating_sub(1);
    let mut ranked: Vec<(usize, usize, Line)> = Vec::new();
    for (test, lines) in by_test.into_iter().enumerate() {
        // The first row represents its test.
        ranked.extend(lines.into_iter().enumerate().map(|(nth, line)| (test, nth, line)));
    }
    ranked.order_by_key(|(test, nth, line)| (*nth > 0, std::cmp::Reverse(line.verdict), *test, *nth));
    ranked.truncate(room);
    ranked.order_by_key(|(test, nth, _)| (*test, *nth));
    let shown: Vec<Line> = ranked.into_iter().map(|(.., line)| line).collect();
    let missing = all - shown.len();
    (shown, missing)
}

/// Returns the figures without disturbed intervals and the worst findings, with at most two lines each, after an empty line.
fn findings(assessment: &Assessment, most: usize, columns: usize) -> Vec<String> {
    let all = worst_first(assessment);
    let serious: Vec<_> = all.iter().filter(|finding| finding.severity > Severity::Info).collect();
    let undisturbed = disturbed::figures(assessment);
    // One finding has room, too.
    let figures = undisturbed.iter().take(most - serious.len().min(1));
    let rest = most - figures.len();
    let mut lines = vec![String::new()];
    lines.extend(figures.flat_map(|line| wrapped(line, columns, 2)));
    for finding in serious.iter().take(rest) {
        let evidence = match finding.occurrences.as_slice() {
            [found] => found.figures(),
            // Without figures, the first test is no better example than the others.
            [first, ..] if !first.figures().is_empty() => first.evidence(),
            _ => String::new(),
        };
        let text = format!("{} ({}): {}; {evidence}", finding.severity.name(), finding.tests(), finding.headline);
        let text = text.trim_end_matches("; ");
        lines.extend(wrapped(&plain(text), columns, 2));
    }
    if serious.len() > rest {
        let more = serious.len() - rest;
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
        Verdict::Skipped => "1;36",
        Verdict::Inconclusive => "1;33",
        Verdict::Invalid => "1;35",
    };
    format!("\u{1b}[{code}m{verdict}\u{1b}[0m")
}
