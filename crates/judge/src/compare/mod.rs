//! Differences between sets of runs, with the statistical certainty of each figure.
//!
//! A difference is shown if it exceeds the variation from run to run. Repeats of the sets or of the history show that
//! variation. Single runs without them show only the variation between the intervals of a run.

mod change_limit;
mod discovery;
mod history;
mod invalid;
mod ratio;
mod repeats;
mod run;
mod side;

use assessment::{
    By, ComparedFigure, Comparison, ComparisonNote, INTERVAL_FACTOR_MAX, LimitedChange, Metric, Undecided,
};
use plan::Ddir;

use crate::inference::{difference, mean};
use crate::verdict::Conclusion;
pub use change_limit::{ChangeLimit, ChangeOutcome, UnreadableLimit};
pub use discovery::{Discoveries, discoveries};
use history::History;
pub use invalid::{invalid_record, is_comparable};
use ratio::LogRatio;
pub use repeats::repeated;
pub use run::{Run, SINGLE, SavedRun};
pub use side::{Case, cases, jobs};

/// Most sets of a comparison.
pub const SIDES_MAX: usize = 8;

/// A limit of `--fail-on` for a figure that the sets do not share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotMeasured {
    /// The limit as typed.
    pub limit: String,
}

/// Returns the name of a set: `A`, `B`.
pub fn side_name(side: usize) -> char {
    char::from(b'A' + side.min(SIDES_MAX) as u8)
}

/// Compares each set of runs with the first. Figures of the limits are among the lines. A test with an INVALID run has no
/// difference. `history` are other runs, which can
/// be repeats of the same jobs.
pub fn compare(sides: &[Vec<Run>], history: &[SavedRun], limits: &[ChangeLimit]) -> Comparison {
    let history = History::of(history);
    let sides: Vec<Vec<Case>> = sides.iter().map(|runs| cases(runs)).collect();
    let invalid = invalid::invalid_runs(&sides);
    let Some((base, others)) = sides.split_first() else { return Comparison::default() };
    let mut lines: Vec<(ComparedFigure, Option<LogRatio>)> = Vec::new();
    for case in base {
        let others = others.iter().enumerate().map(|(at, side)| (at + 1, of_name(side, &case.name)));
        let others: Vec<(usize, &Case)> = others.filter_map(|(side, other)| Some((side, other?))).collect();
        let is_compared =
            |ddir: &Ddir| case.has_enough(*ddir) || others.iter().any(|(_, other)| other.has_enough(*ddir));
        for metric in Case::metrics(Ddir::ALL.into_iter().filter(is_compared), limits) {
            let line = |(side, other): &(usize, &Case)| match invalid.iter().any(|runs| runs.is_in(&case.name, *side)) {
                true => Some((means(case, (*side, other), metric)?, None)),
                false => line(case, (*side, other), metric, &history),
            };
            lines.extend(others.iter().filter_map(line));
        }
    }
    let p: Vec<f64> = lines.iter().filter_map(|(line, _)| line.p).collect();
    let found = discoveries(&p);
    let decided = |(mut line, ratio): (ComparedFigure, Option<LogRatio>)| {
        if let Some(ratio) = ratio {
            line.interval = ratio.interval(found.confidence);
            line.detectable = line.interval.map(|_| ratio.detectable(found.confidence));
            line.variation = Some(ratio.variation());
            line.shown = line.p.is_some_and(|p| p <= found.p_max);
        }
        line
    };
    Comparison {
        lines: lines.into_iter().map(decided).collect(),
        notes: [notes(base, others), few_ios(base, others, limits)].concat(),
        tested: p.len(),
        confidence: found.confidence,
        invalid,
        ..Comparison::default()
    }
}

fn of_name<'c, 'a>(side: &'c [Case<'a>], name: &str) -> Option<&'c Case<'a>> {
    side.iter().find(|case| case.name == name)
}

/// Tests that are not in all sets, tests whose jobs differ, and runs of a set that are not repeats, or were disturbed.
fn notes(base: &[Case], others: &[Vec<Case>]) -> Vec<ComparisonNote> {
    let sides = std::iter::once(base).chain(others.iter().map(Vec::as_slice)).enumerate();
    let not_repeats = |(side, cases): (usize, &[Case])| {
        let of_cases = cases.iter().filter(|case| !case.are_repeats());
        of_cases.map(|case| ComparisonNote::NotRepeats { test: case.name.clone(), side }).collect::<Vec<_>>()
    };
    let disturbed = |(side, cases): (usize, &[Case])| {
        let of_cases = cases.iter().filter(|case| case.is_disturbed());
        of_cases.map(|case| ComparisonNote::Disturbed { test: case.name.clone(), side }).collect::<Vec<_>>()
    };
    let mut notes: Vec<ComparisonNote> = sides.clone().flat_map(not_repeats).chain(sides.flat_map(disturbed)).collect();
    for (at, side) in others.iter().enumerate() {
        for case in base {
            let (test, side_at) = (case.name.clone(), at + 1);
            match of_name(side, &case.name) {
                None => notes.push(ComparisonNote::Missing { test, side: side_at }),
                Some(other) if other.job != case.job => notes.push(ComparisonNote::JobsDiffer { test, side: side_at }),
                Some(_) => {}
            }
        }
        for case in side.iter().filter(|case| of_name(base, &case.name).is_none()) {
            let note = ComparisonNote::Missing { test: case.name.clone(), side: 0 };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

/// Directions that no run of a test has enough I/Os of. A limit on a figure of one is compared nevertheless.
fn few_ios(base: &[Case], others: &[Vec<Case>], limits: &[ChangeLimit]) -> Vec<ComparisonNote> {
    let of_case = |case: &Case| {
        let others = || others.iter().filter_map(|side| of_name(side, &case.name));
        let cases = || std::iter::once(case).chain(others());
        let is_few = |ddir: &Ddir| cases().any(|one| one.has(*ddir)) && !cases().any(|one| one.has_enough(*ddir));
        let has_limit = |ddir: &Ddir| limits.iter().any(|limit| limit.metric.ddir == Some(*ddir));
        let few = Ddir::ALL.into_iter().filter(|ddir| is_few(ddir) && !has_limit(ddir) && others().next().is_some());
        few.map(|direction| ComparisonNote::FewIos { test: case.name.clone(), direction }).collect::<Vec<_>>()
    };
    base.iter().flat_map(of_case).collect()
}

/// Returns the means of a figure. `None` if a set lacks the figure.
fn means(first: &Case, (side, second): (usize, &Case), metric: Metric) -> Option<ComparedFigure> {
    let (one, other) = (first.values(metric), second.values(metric));
    let ratio = mean(&other) / mean(&one);
    let line = ComparedFigure {
        test: first.name.clone(),
        metric,
        unit: metric.unit().to_owned(),
        side,
        first: mean(&one),
        second: mean(&other),
        runs: (one.len(), other.len()),
        ratio,
        interval: None,
        p: None,
        detectable: None,
        variation: None,
        by: By::Invalid,
        history: Vec::new(),
        shown: false,
    };
    (!one.is_empty() && !other.is_empty() && ratio.is_finite()).then_some(line)
}

/// Compares a figure of a test. `None` if a set lacks the figure.
fn line(
    first: &Case,
    (side, second): (usize, &Case),
    metric: Metric,
    history: &History,
) -> Option<(ComparedFigure, Option<LogRatio>)> {
    let line = means(first, (side, second), metric)?;
    if !first.are_repeats() || !second.are_repeats() {
        return Some((ComparedFigure { by: By::NotRepeats, ..line }, None));
    }
    let (one, other) = (first.values(metric), second.values(metric));
    let known = match ratio::needs_others(one.len(), other.len()) {
        true => history.repeats_of([first, second], metric),
        false => history::Repeats::default(),
    };
    let line = ComparedFigure { history: known.runs, ..line };
    if let Some(found) = LogRatio::of(metric, &one, &other, known.variance) {
        let by = if line.history.is_empty() { By::Repeats } else { By::History };
        return Some((ComparedFigure { p: Some(found.p()), by, ..line }, Some(found)));
    }
    let within = within(first, second, metric, line.ratio);
    let by = if within.is_some() { By::Intervals } else { By::Nothing };
    let interval = within.filter(|(low, high)| *high <= low * INTERVAL_FACTOR_MAX);
    Some((ComparedFigure { interval, by, ..line }, None))
}

/// Returns the interval of the ratio by the intervals of single runs. It has no run-to-run variation.
fn within(first: &Case, second: &Case, metric: Metric, ratio: f64) -> Option<(f64, f64)> {
    let found = difference(&first.series(metric), &second.series(metric))?;
    // The series has whole intervals only: its mean is near the figure, but it is not the figure.
    let moved = Some(ratio / (1.0 + found.share)).filter(|moved| moved.is_finite() && *moved > 0.0).unwrap_or(1.0);
    Some(((1.0 + found.interval.low) * moved, (1.0 + found.interval.high) * moved))
}

/// Compares the lines with limits, and stores those that are exceeded, and those that cannot be decided.
///
/// # Errors
///
/// No line has the figure of a limit: a misspelt limit would never fail.
pub fn apply(comparison: &mut Comparison, limits: &[ChangeLimit]) -> Result<(), NotMeasured> {
    for limit in limits {
        let lines: Vec<&ComparedFigure> = comparison.lines.iter().filter(|line| line.metric == limit.metric).collect();
        if lines.is_empty() {
            return Err(NotMeasured { limit: limit.text.clone() });
        }
        for line in lines.into_iter().filter(|line| line.by != By::Invalid) {
            let of = |undecided| LimitedChange {
                limit: limit.text.clone(),
                test: line.test.clone(),
                side: line.side,
                difference: line.difference(),
                undecided,
            };
            match limit.outcome(line, comparison.confidence) {
                ChangeOutcome::Met => {}
                ChangeOutcome::Exceeded if let Some(side) = disturbed_side(line, &comparison.notes) => {
                    comparison.undecided.push(of(Some(Undecided::Disturbed { side })));
                }
                ChangeOutcome::Exceeded => comparison.failed.push(of(None)),
                ChangeOutcome::Undecided(why) => comparison.undecided.push(of(Some(why))),
            }
        }
    }
    Ok(())
}

/// Returns the slower set of a figure if it was disturbed and the other was not: the disturbance alone may be the difference.
fn disturbed_side(line: &ComparedFigure, notes: &[ComparisonNote]) -> Option<usize> {
    let is_disturbed = |side: usize| notes.contains(&ComparisonNote::Disturbed { test: line.test.clone(), side });
    let is_second_slower = (line.ratio < 1.0) == line.metric.is_rate();
    let (slower, other) = if is_second_slower { (line.side, 0) } else { (0, line.side) };
    (is_disturbed(slower) && !is_disturbed(other)).then_some(slower)
}

/// Returns whether a comparison has INVALID runs, exceeds a limit of `--fail-on`, or cannot decide one.
pub fn conclusion(comparison: &Comparison) -> Conclusion {
    let Comparison { invalid, failed, undecided, .. } = comparison;
    match (invalid.is_empty(), failed.is_empty(), undecided.is_empty()) {
        (false, ..) => Conclusion::Invalid,
        (true, false, _) => Conclusion::Failed,
        (true, true, false) => Conclusion::Inconclusive,
        (true, true, true) => Conclusion::Done,
    }
}
