//! A comparison as a page, as Markdown and as JUnit XML. The conclusion is at the top.

mod html;
mod junit;
mod markdown;

use assessment::{By, ComparedFigure, Comparison, LimitedChange, Verdict};
use judge::compare::{ChangeLimit, ChangeOutcome, Run, SINGLE, cases, side_name};

use crate::chart::overlay::RunsOfSet;
use crate::study::{conclusion, invalid_runs, limit_in_words, result_of, undecided};
use crate::text::{local_time, target_name};

pub use html::html;
pub use junit::junit;
pub use markdown::markdown;

/// A comparison with its runs.
pub struct ComparedSets<'a> {
    pub comparison: &'a Comparison,
    /// The limits of `--fail-on`.
    pub limits: &'a [ChangeLimit],
    /// The sets as typed.
    pub names: &'a [String],
    pub runs: &'a [Vec<Run<'a>>],
}

/// A figure of a test and its limit.
struct Checked<'a> {
    line: &'a ComparedFigure,
    /// `None` without a limit.
    limit: Option<&'a ChangeLimit>,
    verdict: Verdict,
    /// The change or the reason why the limit cannot be decided.
    message: String,
}

/// A run of a set.
struct RunFacts {
    set: String,
    suite: String,
    target: String,
    host: String,
    started_unix_ms: u64,
    utc_offset_s: i32,
    started: String,
}

impl<'a> ComparedSets<'a> {
    /// Returns the worst verdict on the figures. Without limits nothing was expected.
    fn verdict(&self) -> Verdict {
        let of_runs = self.comparison.invalid.first().map(|_| Verdict::Invalid);
        let worst = self.checks().iter().map(|check| check.verdict).chain(of_runs).max();
        worst.unwrap_or(Verdict::Measured)
    }

    fn title(&self) -> String {
        let names = self.names.iter().enumerate().map(|(at, name)| format!("{} ({name})", side_name(at)));
        format!("Comparison of {}", names.collect::<Vec<_>>().join(", "))
    }

    /// Returns the targets and hosts of all runs, each once.
    fn places(&self) -> String {
        let mut places: Vec<String> = Vec::new();
        for RunFacts { target, host, .. } in self.facts() {
            let place = if host.is_empty() { target } else { format!("{target} on {host}") };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.join(", ")
    }

    /// Returns the conclusion, the first sentence on its own.
    fn sentences(&self) -> (String, Vec<String>) {
        let mut all = conclusion(self.comparison).into_iter();
        (all.next().unwrap_or_default(), all.collect())
    }

    /// Returns each figure with a limit, once per limit.
    fn checks(&self) -> Vec<Checked<'_>> {
        let of_limit = |limit: &'a ChangeLimit| {
            let lines = self.comparison.lines.iter().filter(move |line| line.metric == limit.metric);
            lines.map(move |line| Checked::of(self.comparison, line, Some(limit)))
        };
        self.limits.iter().flat_map(of_limit).collect()
    }

    /// Returns each figure without a limit.
    fn unchecked(&self) -> Vec<Checked<'_>> {
        let has_limit = |line: &&ComparedFigure| self.limits.iter().any(|limit| limit.metric == line.metric);
        let others = self.comparison.lines.iter().filter(|line| !has_limit(line));
        others.map(|line| Checked::of(self.comparison, line, None)).collect()
    }

    /// Returns the tests of the first set, each with its runs in all sets.
    fn tests(&self) -> Vec<(String, Vec<RunsOfSet<'_>>)> {
        let sets: Vec<_> = self.runs.iter().map(|runs| cases(runs)).collect();
        let of_test = |name: &str| {
            let of_set = |(at, cases): (usize, &Vec<judge::compare::Case<'a>>)| {
                let case = cases.iter().find(|case| case.name == name)?;
                let runs = case.records().map(<[_]>::to_vec).collect();
                Some(RunsOfSet { name: side_name(at).to_string(), runs })
            };
            sets.iter().enumerate().filter_map(of_set).collect::<Vec<_>>()
        };
        let first = sets.first().into_iter().flatten();
        first.map(|case| (case.name.clone(), of_test(&case.name))).filter(|(_, sets)| sets.len() > 1).collect()
    }

    /// Returns the results of the figures of a test.
    fn results(&self, test: &str) -> Vec<String> {
        let lines = self.comparison.lines.iter().filter(|line| line.test == test);
        lines.map(|line| format!("{}: {}", line.metric, result_of(line))).collect()
    }

    fn facts(&self) -> Vec<RunFacts> {
        let of_set = |(at, runs): (usize, &'a Vec<Run<'a>>)| {
            runs.iter().map(move |run| RunFacts::of(side_name(at).to_string(), run))
        };
        self.runs.iter().enumerate().flat_map(of_set).collect()
    }
}

impl<'a> Checked<'a> {
    fn of(comparison: &Comparison, line: &'a ComparedFigure, limit: Option<&'a ChangeLimit>) -> Checked<'a> {
        let verdict = match limit {
            _ if line.by == By::Invalid => Verdict::Invalid,
            None => Verdict::Measured,
            Some(limit) => match limit.outcome(line, comparison.confidence) {
                ChangeOutcome::Met => Verdict::Pass,
                ChangeOutcome::Exceeded => Verdict::Fail,
                ChangeOutcome::Undecided(_) => Verdict::Inconclusive,
            },
        };
        let is_this = |open: &&LimitedChange| {
            let of_limit = limit.is_some_and(|limit| limit.text == open.limit);
            of_limit && (open.test.as_str(), open.side) == (line.test.as_str(), line.side)
        };
        let open = comparison.undecided.iter().find(is_this).map(undecided);
        let of_line = comparison.invalid.iter().filter(|runs| runs.is_in(&line.test, line.side));
        let invalid: Vec<String> = of_line.map(invalid_runs).collect();
        let message = match invalid.is_empty() {
            true => open.unwrap_or_else(|| result_of(line)),
            false => invalid.join("; "),
        };
        Checked { line, limit, verdict, message }
    }

    /// Returns the test, the figure and the limit.
    fn name(&self) -> String {
        let side = if self.line.side > 1 { format!(" of {}", side_name(self.line.side)) } else { String::new() };
        let figure = self.limit.map_or_else(|| self.line.metric.to_string(), limit_in_words);
        let test = if self.line.test == SINGLE { String::new() } else { format!("{}: ", self.line.test) };
        format!("{test}{figure}{side}")
    }
}

impl RunFacts {
    fn of(set: String, run: &Run) -> RunFacts {
        let (suite, target, host, started_unix_ms, utc_offset_s) = match run {
            Run::Assessment(one) => (
                one.suite.to_string(),
                target_name(&one.target),
                one.machine.hostname.to_string(),
                one.started_unix_ms,
                one.utc_offset_s,
            ),
            Run::Record(one) => (
                one.plan.origin.command_line(),
                target_name(&judge::single::target(one)),
                one.machine.hostname.to_string(),
                one.started_unix_ms,
                one.utc_offset_s,
            ),
        };
        let started = local_time(started_unix_ms, utc_offset_s);
        RunFacts { set, suite, target, host, started_unix_ms, utc_offset_s, started }
    }
}
