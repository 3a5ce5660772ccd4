//! Repeats: the spread of each workload's figures, and the difference of two.

use assessment::{
    Assessment, Comparison, Drift, Failure, Finding, RepeatedFigure, Repeats, RepeatsFinding, RepeatsResult,
    RepeatsRun, Severity, Undecided, Verdict, Workload,
};
use schemars::JsonSchema;
use serde::Serialize;
use units::format::{change, percent};
use units::markup::one_line;
use units::shell::quoted;
use units::untrusted::UntrustedText;

use super::comparison::{self, Compared};
use super::conclusion;
use super::parts::{Summary, document};
use super::table::{Column, Row, Table};
use crate::text;
use crate::worded::{AdvisedFinding, Worded, failure, finding};
use crate::wording::{self, Dialect};

const SCHEMA: &str = "fathom.run/1";
/// The order in which all runs of a workload come before those of the next.
const BLOCKS: &str = "blocks";

/// One workload of the study.
struct Side<'a> {
    workload: &'a Workload,
    runs: Vec<&'a RepeatsRun>,
    figures: &'a [RepeatedFigure],
}

pub fn summary(assessment: &Assessment, request: &Repeats, result: &RepeatsResult) -> Summary {
    let sides = sides(request, result);
    let mut tables: Vec<Table> = sides.iter().map(Side::table).collect();
    let mut notes: Vec<String> = sides.iter().flat_map(|side| side.notes(request)).collect();
    if let Some(comparison) = &result.comparison {
        let title = "A and B".to_owned();
        tables.push(Table { title, ..comparison::table(comparison) });
        notes.extend(comparison::notes(comparison));
        notes.extend(
            deciding_command(assessment, comparison).map(|line| format!("help: to decide the limits: `{line}`")),
        );
        if comparison.tested > 0 && request.order == BLOCKS {
            notes.push(
                "All runs of A were before those of B: a change over time looks like a difference. --interleave alternates."
                    .to_owned(),
            );
        }
    }
    if assessment.tests.iter().all(|test| test.rounds.is_empty()) {
        notes.push("nothing was measured".to_owned());
    }
    let dialect = assessment.tests.first().map_or(Dialect::Fio, wording::dialect);
    let findings = result.findings.iter().map(|finding| of_finding(finding, &sides, dialect)).collect();
    notes.extend(kept(request));
    let missing = result.not_measured.as_ref();
    let undecided = missing.map(|limit| format!("--fail-on {limit}: not measured in both workloads"));
    let sentence = sentence(result);
    Summary { head: head(assessment, request), tables, notes, findings, bars: None, undecided, sentence }
}

fn head(assessment: &Assessment, request: &Repeats) -> String {
    let lines = request
        .workloads
        .iter()
        .map(|workload| one_line(&format!("{}: {}", workload.name, workload.line)).into_owned());
    let stopped = assessment.stopped.then(|| "stopped early".to_owned());
    lines.chain(stopped).collect::<Vec<_>>().join("\n")
}

fn sides<'a>(request: &'a Repeats, result: &'a RepeatsResult) -> Vec<Side<'a>> {
    let side = |(at, workload): (usize, &'a Workload)| Side {
        workload,
        runs: request.runs.iter().filter(|run| run.workload == at).collect(),
        figures: result.figures.get(at).map_or(&[], Vec::as_slice),
    };
    request.workloads.iter().enumerate().map(side).collect()
}

impl Side<'_> {
    fn good(&self) -> Vec<&RepeatsRun> {
        self.runs.iter().copied().filter(|run| run.error.is_none()).collect()
    }

    fn table(&self) -> Table {
        let good = self.good().len();
        let runs = if good == 1 { "1 run".to_owned() } else { format!("{good} runs") };
        let row = |figure: &RepeatedFigure| {
            let shown = |value: f64| text::figure(value, &figure.unit);
            let interval = figure.interval.map(|(low, high)| text::from_to(low, high, &figure.unit));
            let cells = vec![
                shown(figure.mean),
                interval.unwrap_or_else(|| if good > 1 { "undecided".to_owned() } else { String::new() }),
                shown(figure.median),
                shown(figure.least),
                shown(figure.most),
                figure.spread.map(percent).unwrap_or_default(),
            ];
            Row { labels: vec![figure.metric.to_string()], cells: Ok(cells) }
        };
        let heads = ["mean", "95 % interval", "median", "least", "most", "spread"].map(|head| Column::number("", head));
        Table {
            title: format!("{}: {runs}", self.workload.name),
            columns: std::iter::once(Column::text("figure")).chain(heads).collect(),
            rows: self.figures.iter().map(row).collect(),
        }
    }

    /// Failed runs, outliers and drift.
    fn notes(&self, request: &Repeats) -> Vec<String> {
        let name = one_line(&self.workload.name);
        let mut notes: Vec<String> = self
            .workload
            .prepare
            .iter()
            .map(|command| format!("before each run of {name}: {}", one_line(command)))
            .collect();
        let failed = self.runs.iter().filter_map(|run| Some((run.repeat, run.error.as_ref()?)));
        notes.extend(
            failed.map(|(repeat, failure)| format!("run {repeat} of {name} failed: {}", wording::failure(failure))),
        );
        for (at, run) in self.good().iter().enumerate() {
            let of_run = self.figures.iter().filter(|figure| figure.outliers.contains(&at));
            let values = of_run.filter_map(|figure| Some(named(figure, figure.values.get(at).copied()??)));
            let values: Vec<String> = values.collect();
            if !values.is_empty() {
                let advice = match run.repeat {
                    1 => {
                        "the first run may start with empty caches or new files; use --prepare to start all runs in the same state"
                    }
                    _ => "other load may have used the machine or the disk: repeat when it is quiet",
                };
                let values = values.join(", ");
                notes.push(format!("warning: run {} of {name} is an outlier: {values}\nhelp: {advice}", run.repeat));
            }
        }
        let drifts: Vec<String> = self.figures.iter().filter_map(|figure| drift(figure, figure.drift?)).collect();
        if !drifts.is_empty() {
            let advice = match request.order == BLOCKS && request.workloads.len() > 1 {
                true => "the disk is not in a steady state; with --interleave the drift affects both workloads equally",
                false => "the disk is not in a steady state: earlier I/Os affect later ones",
            };
            notes.push(format!("warning: the repeats of {name} drift: {}\nhelp: {advice}", drifts.join(", ")));
        }
        notes
    }

    fn document<'a>(&'a self, request: &Repeats) -> WorkloadDocument<'a> {
        let run = |run: &&'a RepeatsRun| RunDocument {
            turn: request.runs.iter().position(|known| known == *run).map(|at| at + 1),
            repeat: run.repeat,
            started_unix_ms: run.started_unix_ms,
            kept: run.kept,
            failed: run.error.as_ref().map(failure),
        };
        let Workload { name, line, prepare } = self.workload;
        WorkloadDocument { name, line, prepare, runs: self.runs.iter().map(run).collect(), figures: self.figures }
    }
}

fn named(figure: &RepeatedFigure, value: f64) -> String {
    format!("{} {}", figure.metric, figure.metric.show(value))
}

fn drift(figure: &RepeatedFigure, drift: Drift) -> Option<String> {
    Some(format!("{} {}", figure.metric, change(drift.change)))
}

fn of_finding(finding: &RepeatsFinding, sides: &[Side], dialect: Dialect) -> String {
    let counted = sides.iter().zip(&finding.runs).filter(|(_, runs)| **runs > 0);
    let each = counted.map(|(side, runs)| runs_of(*runs, side));
    let word = match finding.finding.severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Invalid => "INVALID",
    };
    let message = wording::finding(&finding.finding, dialect);
    format!("{word}: {}: {message}", each.collect::<Vec<_>>().join(", "))
}

/// Returns how many runs of a workload have a finding.
pub fn place(request: &Repeats, result: &RepeatsResult, workload: usize, finding: &Finding) -> Option<String> {
    let found = result.findings.iter().find(|known| known.finding == *finding)?;
    let sides = sides(request, result);
    let side = sides.get(workload)?;
    Some(runs_of(found.runs.get(workload).copied()?, side))
}

fn runs_of(runs: usize, side: &Side) -> String {
    format!("{runs} of {} runs of {}", side.runs.len(), one_line(&side.workload.name))
}

/// How to find the runs in the history.
fn kept(request: &Repeats) -> Vec<String> {
    let Some(set) = &request.set else { return Vec::new() };
    let ids = |workload: usize| {
        let runs = request.runs.iter().filter(|run| run.workload == workload);
        runs.filter_map(|run| run.kept).map(|id| id.to_string()).collect::<Vec<_>>().join(",")
    };
    let all: Vec<String> = (0..request.workloads.len()).map(ids).collect();
    let compare = match all.as_slice() {
        [a, b] if !a.is_empty() && !b.is_empty() => Some(format!("saved: `fathom compare {a} {b}`")),
        _ => None,
    };
    let tag = all.iter().any(|ids| !ids.is_empty()).then(|| format!("saved: `fathom history --tag {}`", quoted(set)));
    compare.into_iter().chain(tag).collect()
}

/// Returns the command with the number of repeats that decides all limits that can be decided. `None` if there are none.
fn deciding_command(assessment: &Assessment, comparison: &Comparison) -> Option<String> {
    let needed = comparison.undecided.iter().filter_map(|open| match open.undecided? {
        Undecided::NotDetectable { repeats, .. } => repeats,
        Undecided::VariationUnknown | Undecided::NotRepeats | Undecided::Disturbed { .. } => None,
    });
    let needed = needed.max()?.to_string();
    let mut words = assessment.command.clone();
    match words.iter().position(|word| word == "--repeat" || word.starts_with("--repeat=")) {
        Some(at) if words[at] == "--repeat" => *words.get_mut(at + 1)? = needed,
        Some(at) => words[at] = format!("--repeat={needed}"),
        None => return None,
    }
    Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// The differences of two workloads, or the rates of one.
fn sentence(result: &RepeatsResult) -> Option<String> {
    let sentences = match (&result.comparison, result.figures.as_slice()) {
        (Some(comparison), _) => conclusion::of_comparison(comparison),
        (None, [figures]) => conclusion::of_repeats(figures),
        (None, _) => Vec::new(),
    };
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// The JSON of `fathom run`.
#[derive(Serialize, JsonSchema)]
pub struct RepeatsDocument<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Version of fathom.
    fathom: &'a UntrustedText,
    /// The order of the runs: `interleave`, `abba`, `random` or `blocks`.
    order: &'a str,
    /// Seed of a random order.
    seed: Option<u32>,
    /// Runs of each workload.
    repeats: usize,
    /// Tag of the runs in the history.
    set: &'a Option<String>,
    /// A finding makes figures worthless.
    is_invalid: bool,
    /// A signal stopped the runs.
    stopped: bool,
    workloads: Vec<WorkloadDocument<'a>>,
    /// The second workload compared with the first. `null` for one workload.
    comparison: Option<Compared<'a>>,
    /// Broken limits of `--fail-on`, in words. The text can change with any version.
    failed: Vec<String>,
    findings: Vec<FindingDocument<'a>>,
}

/// A workload, its runs and its figures.
#[derive(Serialize, JsonSchema)]
struct WorkloadDocument<'a> {
    /// `A` or `B`.
    name: &'a str,
    /// Its command line.
    line: &'a str,
    /// The shell command before each run.
    prepare: &'a Option<String>,
    runs: Vec<RunDocument<'a>>,
    figures: &'a [RepeatedFigure],
}

/// A run of a workload.
#[derive(Serialize, JsonSchema)]
struct RunDocument<'a> {
    /// Number of the run among those of all workloads, from 1.
    turn: Option<usize>,
    /// Number of the run among those of its workload, from 1.
    repeat: usize,
    started_unix_ms: Option<u64>,
    /// Number of the run in the history. `null` if it was not saved.
    kept: Option<i64>,
    /// Why the run has no figures.
    failed: Option<Worded<'a, Failure>>,
}

/// A finding, and the number of runs that have it.
#[derive(Serialize, JsonSchema)]
struct FindingDocument<'a> {
    #[serde(flatten)]
    finding: AdvisedFinding<'a>,
    /// Number of runs with the finding, for each workload.
    runs: &'a [usize],
}

impl<'a> FindingDocument<'a> {
    fn new(found: &'a RepeatsFinding, dialect: Dialect) -> FindingDocument<'a> {
        FindingDocument { finding: finding(&found.finding, dialect), runs: &found.runs }
    }
}

pub fn json(assessment: &Assessment, request: &Repeats, result: &RepeatsResult) -> String {
    let sides = sides(request, result);
    let dialect = assessment.tests.first().map_or(Dialect::Fio, wording::dialect);
    let failed = result.comparison.iter().flat_map(|comparison| &comparison.failed);
    document(&RepeatsDocument {
        schema: SCHEMA,
        fathom: &assessment.fathom,
        order: if request.order == "given" { "interleave" } else { &request.order },
        seed: request.seed,
        repeats: request.repeats,
        set: &request.set,
        is_invalid: assessment.verdict == Verdict::Invalid,
        stopped: assessment.stopped,
        workloads: sides.iter().map(|side| side.document(request)).collect(),
        comparison: result.comparison.as_ref().map(Compared::from),
        failed: failed.map(conclusion::broken).collect(),
        findings: result.findings.iter().map(|found| FindingDocument::new(found, dialect)).collect(),
    })
}
