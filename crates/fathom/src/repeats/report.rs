//! What the repeats came to: tables for people, a document for programs.

use std::fmt::Write;

use ::history::compare::{By, Comparison};
use ::history::repeats::Repeated;
use serde::Serialize;
use units::format::percent;

use crate::{comparison, kept, table};

const SCHEMA: &str = "fathom.run/1";

#[derive(Serialize)]
pub struct Report<'a> {
    pub schema: &'static str,
    pub fathom: &'static str,
    pub order: &'static str,
    pub seed: Option<u32>,
    pub repeats: usize,
    /// The tag of all these runs in the history.
    pub set: Option<&'a str>,
    /// A signal ended it before the last run.
    pub stopped: bool,
    pub workloads: Vec<Side<'a>>,
    pub comparison: Option<Comparison>,
    /// What of --fail-on came true.
    pub failed: Vec<String>,
    pub findings: Vec<&'a Finding>,
}

/// A workload and what came of it.
#[derive(Serialize)]
pub struct Side<'a> {
    pub name: &'static str,
    pub line: &'a str,
    pub prepare: Option<&'a str>,
    pub runs: &'a [Run],
    pub figures: Vec<Repeated>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The place among all runs, from 1.
    pub turn: usize,
    pub repeat: usize,
    pub started_unix_ms: Option<u64>,
    /// Its number in the history.
    pub kept: Option<i64>,
    pub error: Option<String>,
}

/// What speaks against the figures of runs.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub what: String,
    /// As it was said of the first of them.
    pub text: String,
    /// How many runs of each workload.
    pub runs: Vec<usize>,
}

impl<'a> Report<'a> {
    pub fn new(workloads: Vec<Side<'a>>) -> Report<'a> {
        Report {
            schema: SCHEMA,
            fathom: env!("CARGO_PKG_VERSION"),
            order: "",
            seed: None,
            repeats: 0,
            set: None,
            stopped: false,
            workloads,
            comparison: None,
            failed: Vec::new(),
            findings: Vec::new(),
        }
    }

    pub fn json(&self) -> Result<String, String> {
        kept::json_text(self)
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for side in &self.workloads {
            text += &side.text();
            text += &side.remarks(self.mixes());
            text.push('\n');
        }
        if let Some(comparison) = &self.comparison {
            text += &comparison::table(comparison);
            if comparison.lines.iter().any(|line| line.by == By::Repeats) && !self.mixes() {
                text += "All runs of A were before those of B: what changed meanwhile looks like a difference. \
                         --interleave takes turns.\n";
            }
            text.push('\n');
        }
        for finding in &self.findings {
            let _ = writeln!(text, "warning: {}: {}", self.runs_of(finding), finding.text.replace('\n', "\n  "));
        }
        text += &self.kept();
        text
    }

    /// The runs of two workloads take turns.
    fn mixes(&self) -> bool {
        self.order != "blocks"
    }

    fn runs_of(&self, finding: &Finding) -> String {
        let counted = self.workloads.iter().zip(&finding.runs).filter(|(_, runs)| **runs > 0);
        let each = counted.map(|(side, runs)| format!("{runs} of {} runs of {}", side.runs.len(), side.name));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Where the runs are found again.
    fn kept(&self) -> String {
        let Some(set) = self.set else { return String::new() };
        let numbers = |side: &Side| {
            side.runs.iter().filter_map(|run| run.kept).map(|id| id.to_string()).collect::<Vec<_>>().join(",")
        };
        match &self.workloads[..] {
            [a, b] if !numbers(a).is_empty() && !numbers(b).is_empty() => {
                format!("kept: `fathom compare {} {}`, `fathom history --tag {set}`\n", numbers(a), numbers(b))
            }
            sides if sides.iter().any(|side| !numbers(side).is_empty()) => {
                format!("kept: `fathom history --tag {set}`\n")
            }
            _ => String::new(),
        }
    }
}

impl Side<'_> {
    fn text(&self) -> String {
        let good = self.runs.iter().filter(|run| run.error.is_none()).count();
        let runs = if good == 1 { "1 run".to_owned() } else { format!("{good} runs") };
        let mut text = format!("{}: {runs} of {}\n", self.name, self.line);
        if let Some(command) = self.prepare {
            let _ = writeln!(text, "before each: {command}");
        }
        let mut rows = vec![["figure", "median", "least", "most", "spread"].map(str::to_owned)];
        rows.extend(self.figures.iter().map(|figure| {
            let show = |value: f64| figure.kind.show(value);
            let spread = figure.spread.map(percent).unwrap_or_default();
            [figure.metric.clone(), show(figure.median), show(figure.least), show(figure.most), spread]
        }));
        if !self.figures.is_empty() {
            text += &table::aligned(&rows);
        }
        for run in self.runs {
            if let Some(error) = &run.error {
                let _ = writeln!(text, "run {} failed: {error}", run.repeat);
            }
        }
        text
    }

    /// Repeats that stand alone, and repeats that drift.
    fn remarks(&self, mixes: bool) -> String {
        let mut text = String::new();
        let good: Vec<&Run> = self.runs.iter().filter(|run| run.error.is_none()).collect();
        for (at, run) in good.iter().enumerate() {
            let of_run = self.figures.iter().filter(|figure| figure.outliers.contains(&at));
            let alone: Vec<String> = of_run
                .filter_map(|figure| Some(format!("{} {}", figure.metric, figure.kind.show(figure.values[at]?))))
                .collect();
            if !alone.is_empty() {
                let advice = match run.repeat {
                    1 => "the first run may find caches empty or files new: --prepare can make all runs alike",
                    _ => "something else may have used the machine or the disk: repeat it when it is quiet",
                };
                let _ =
                    writeln!(text, "warning: run {} stands apart from the others: {}", run.repeat, alone.join(", "));
                let _ = writeln!(text, "  help: {advice}");
            }
        }
        let drifts = self.figures.iter().filter_map(|figure| {
            let change = figure.drift?.change;
            Some(format!("{} {}{}", figure.metric, if change > 0.0 { "+" } else { "" }, percent(change)))
        });
        let drifts: Vec<String> = drifts.collect();
        if !drifts.is_empty() {
            let _ = writeln!(text, "warning: the repeats drift from first to last: {}", drifts.join(", "));
            let advice = if mixes {
                "the disk isn't in a steady state: what it did before decides what it does now"
            } else {
                "the disk isn't in a steady state; with two workloads, --interleave lets both have their share of that"
            };
            let _ = writeln!(text, "  help: {advice}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use ::history::repeats::Drift;
    use assessment::Metric;

    use super::*;

    fn side(runs: &[Run], outliers: Vec<usize>, drift: Option<Drift>) -> Side<'_> {
        let kind = Metric::parse("read.iops").expect("a metric");
        let values = [500.0, 1000.0, 1010.0, 990.0].map(Some).to_vec();
        let (median, least, most, spread) = (1000.0, 500.0, 1010.0, Some(0.51));
        let (test, metric, unit) = ("run".to_owned(), kind.to_string(), kind.unit().to_owned());
        let figure = Repeated { test, metric, unit, values, median, least, most, spread, outliers, drift, kind };
        Side { name: "A", line: "fio job.fio", prepare: None, runs, figures: vec![figure] }
    }

    fn runs(repeats: &[usize]) -> Vec<Run> {
        let run =
            |repeat: &usize| Run { turn: *repeat, repeat: *repeat, started_unix_ms: None, kept: None, error: None };
        repeats.iter().map(run).collect()
    }

    #[test]
    fn a_run_that_stands_apart_is_named_by_its_own_number() {
        // The first run failed: the figures begin with the second.
        let mut made = runs(&[1, 2, 3, 4, 5]);
        made[0].error = Some("disk is full".to_owned());
        let text = side(&made, vec![0], None).remarks(true);
        assert!(text.contains("run 2 stands apart from the others: read.iops 500 IOPS"), "{text}");
        assert!(text.contains("something else may have used"), "{text}");
        let text = side(&runs(&[1, 2, 3, 4]), vec![0], None).remarks(true);
        assert!(text.contains("run 1 stands apart") && text.contains("the first run may find caches empty"), "{text}");
        assert_eq!(side(&runs(&[1, 2, 3, 4]), Vec::new(), None).remarks(false), "");
    }

    #[test]
    fn a_drift_is_told_with_its_change_and_what_helps() {
        let drift = Some(Drift { change: -0.12, p: 0.02 });
        let text = side(&runs(&[1, 2, 3, 4]), Vec::new(), drift).remarks(false);
        assert!(text.contains("drift from first to last: read.iops -12 %") && text.contains("--interleave"), "{text}");
    }
}
