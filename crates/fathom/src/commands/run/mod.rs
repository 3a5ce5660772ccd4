//! `fathom run`: a workload several times over, or two of them in turns, and what the repeats say of each other.

mod prepare;
pub mod request;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ::history::compare::{self, Comparison};
use ::history::{Document, repeats};
use assessment::Metric;
use os::signal::Interrupts;
use plan::Plan;
use record::{Record, schema};
use study::{Figures, Order, Turn};
use units::calendar::date_and_time;

use crate::args;
use crate::comparison::broken;
use crate::exit;
use crate::kept;
use crate::lines::{Told, writes_logs};
use crate::outlet;
use crate::output::{print_and_flush, tell_line};
use crate::repeats::report::{Finding, Report, Run, Side};
use crate::repeats::{NAMES, note_findings};
use crate::run::{self, Watcher};
use crate::series::progress::Progress;
use crate::series::{self, Series};
use request::Request;

/// Nothing was run: the words make no sense.
const COMMAND: &str = "run";
/// The report among the records of `--save`.
const WHOLE: &str = "run.json";

pub fn main(request: &Request) -> ExitCode {
    carry_out(request).unwrap_or_else(|message| {
        tell_line!("fathom run: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

/// What is wrong before the first run is an error.
fn carry_out(request: &Request) -> Result<ExitCode, String> {
    let plans = plans(request)?;
    let turns = study::turns::turns(plans.len(), request.repeats, request.order)?;
    if let Some(folder) = &request.save {
        outlet::check(&folder.join(WHOLE), plans.iter().map(Arc::as_ref))
            .and_then(|()| std::fs::create_dir_all(folder).map_err(|error| error.to_string()))
            .map_err(|why| format!("{}: {why}", folder.display()))?;
    }
    let interrupts = run::take_signals().map_err(|error| format!("signals can't be handled: {error}"))?;
    let progress = Progress::new(turns.len(), Metric::IOPS, request.repeats);
    progress.announce(series::at_most_ns(&plans, request.repeats, request.cooldown));
    let set = request.in_history.then(set_name);
    let sides = plans.iter().map(|_| Measured::default()).collect();
    let turns = turns.into_iter();
    let mut runs =
        Runs { request, turns, made: 0, interrupts, progress, set, sides, findings: Vec::new(), whole: true };
    series::carry_out(&plans, request.cooldown, interrupts, &mut runs);
    let Runs { mut whole, set, sides, findings, .. } = runs;
    let signal = interrupts.last();
    if sides.iter().all(|side| side.runs.is_empty()) {
        tell_line!("fathom run: nothing was measured");
    } else {
        whole &= tell(request, &sides, &findings, set.as_deref(), signal.is_some());
    }
    Ok(match signal.and_then(|signal| u8::try_from(128 + signal).ok()) {
        Some(code) => ExitCode::from(code),
        None if whole => ExitCode::SUCCESS,
        None => ExitCode::from(exit::FAILED),
    })
}

/// The plan of each workload; what speaks against them is told.
fn plans(request: &Request) -> Result<Vec<Arc<Plan>>, String> {
    let mut warned = Told::default();
    let mut plans = Vec::new();
    for (workload, name) in request.workloads.iter().zip(NAMES) {
        let planned = workload.plan(COMMAND).map_err(|diagnostics| {
            let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            format!("{name}, {}:\n{}", workload.text, texts.join("\n"))
        });
        let (plan, warnings) = planned?;
        warned.add(&warnings);
        plans.push(Arc::new(plan));
    }
    warned.texts.iter().for_each(|text| tell_line!("{text}"));
    if plans.iter().any(|plan| writes_logs(plan)) {
        tell_line!("warning: each run writes the same log files: those of the last one stay");
    }
    Ok(plans)
}

/// A name that no other set of runs has.
fn set_name() -> String {
    let local_s = (run::unix_ms() / 1000).saturating_add_signed(i64::from(os::clock::utc_offset_s()));
    let time: String = date_and_time(local_s).chars().filter(|c| *c == 'T' || c.is_ascii_digit()).collect();
    format!("run-{}-{}", time.replace('T', "-"), std::process::id())
}

/// What came of one workload.
#[derive(Default)]
struct Measured {
    runs: Vec<Run>,
    /// Of the runs that came to something, in their order.
    documents: Vec<Document>,
}

/// What becomes of the runs.
struct Runs<'a> {
    request: &'a Request,
    turns: std::vec::IntoIter<Turn>,
    made: usize,
    interrupts: Interrupts,
    progress: Progress,
    /// The tag that all of them have in the history; none where they aren't kept.
    set: Option<String>,
    sides: Vec<Measured>,
    findings: Vec<Finding>,
    /// Nothing went wrong.
    whole: bool,
}

impl Runs<'_> {
    fn take(&mut self, turn: Turn, started_unix_ms: Option<u64>, failure: Option<String>) -> &mut Run {
        self.made += 1;
        self.whole &= failure.is_none();
        let run = Run { turn: self.made, repeat: turn.repeat + 1, started_unix_ms, kept: None, error: failure };
        let runs = &mut self.sides[turn.point].runs;
        runs.push(run);
        let last = runs.len() - 1;
        &mut runs[last]
    }

    /// The run's number in the history. Where one can't be kept, the others aren't tried.
    fn keep(&mut self, turn: Turn, document: &Document) -> Option<i64> {
        let set = self.set.as_ref()?;
        let mut tags = self.request.tags.clone();
        tags.push(set.clone());
        if self.sides.len() > 1 {
            tags.push(format!("{set}-{}", NAMES[turn.point]));
        }
        match kept::store().and_then(|mut store| store.add(document, &tags)) {
            Ok(id) => Some(id),
            Err(message) => {
                tell_line!("fathom run: the runs are not kept in the history: {message}");
                self.set = None;
                None
            }
        }
    }

    fn save(&mut self, turn: Turn, record: &Record) {
        let Some(folder) = &self.request.save else { return };
        let path = folder.join(format!("{}-{}.json", NAMES[turn.point], turn.repeat + 1));
        let text = schema::write(record).map_err(|broken| broken.to_string());
        self.whole &= is_saved(&path, text);
    }
}

impl Series for Runs<'_> {
    fn next_turn(&mut self) -> Option<Turn> {
        self.turns.next()
    }

    fn begin(&mut self, turn: Turn) -> bool {
        let name = NAMES[turn.point];
        if let Some(command) = prepare_of(self.request, turn.point)
            && let Err(stop) = prepare::carry_out(command, name, turn.repeat, self.interrupts)
        {
            if let prepare::Stop::Failed(why) = stop {
                tell_line!("fathom run: --prepare of {name}, run {}: {why}: {command}", turn.repeat + 1);
                self.whole = false;
            }
            return false;
        }
        self.progress.begin(name, turn.repeat);
        true
    }

    fn watcher(&mut self) -> &mut dyn Watcher {
        &mut self.progress
    }

    fn interrupted(&mut self) {
        self.progress.interrupted();
    }

    fn refused(&mut self, turn: Turn, reason: String) {
        self.progress.end(&Err(reason.clone()));
        self.take(turn, None, Some(reason));
    }

    fn ended(&mut self, turn: Turn, record: Record) {
        self.save(turn, &record);
        let started = Some(record.started_unix_ms);
        if let Some(reason) = study::sweep::failure(&record) {
            self.progress.end(&Err(reason.clone()));
            self.take(turn, started, Some(reason));
            return;
        }
        self.progress.end(&Ok(Figures::of(&record)));
        note_findings(&mut self.findings, turn.point, self.sides.len(), &record);
        let document = Document::Record(Box::new(record));
        let kept = self.keep(turn, &document);
        self.take(turn, started, None).kept = kept;
        self.sides[turn.point].documents.push(document);
    }
}

/// One command is for all, two are one for each.
fn prepare_of(request: &Request, point: usize) -> Option<&str> {
    request.prepare.get(point).or_else(|| request.prepare.first()).map(String::as_str)
}

/// Prints the report, and saves it where that is wanted. False where it can't be, or where `--fail-on` came true.
fn tell(request: &Request, measured: &[Measured], findings: &[Finding], set: Option<&str>, stopped: bool) -> bool {
    let sides = measured.iter().enumerate().map(|(at, measured)| Side {
        name: NAMES[at],
        line: &request.workloads[at].text,
        prepare: prepare_of(request, at),
        runs: &measured.runs,
        figures: repeats::repeated(&measured.documents, &request.bounds),
    });
    let comparison = compared(request, measured);
    let failed = comparison.as_ref().map_or(Ok(Vec::new()), |comparison| broken(comparison, &request.bounds));
    let mut whole = true;
    let failed = failed.unwrap_or_else(|message| {
        tell_line!("fathom run: {message}");
        whole = false;
        Vec::new()
    });
    let report = Report {
        order: args::run::name_of(request.order),
        seed: match request.order {
            Order::Random { seed } => Some(seed),
            _ => None,
        },
        repeats: request.repeats,
        set,
        stopped,
        comparison,
        failed,
        findings: findings.iter().collect(),
        ..Report::new(sides.collect())
    };
    let json = report.json();
    if let Some(folder) = &request.save {
        whole &= is_saved(&folder.join(WHOLE), json.clone());
    }
    let text = if request.json { json } else { Ok(report.text()) };
    whole &= text.is_ok_and(|text| print_and_flush(&text));
    report.failed.iter().for_each(|line| tell_line!("fathom run: --fail-on {line}"));
    whole && report.failed.is_empty()
}

/// None where a side has nothing.
fn compared(request: &Request, measured: &[Measured]) -> Option<Comparison> {
    let [a, b] = measured else { return None };
    let comparison = compare::compare(&a.documents, &b.documents, &request.bounds);
    (!comparison.lines.is_empty()).then_some(comparison)
}

/// False, and a word about it, where a file can't be written.
fn is_saved(path: &Path, text: Result<String, String>) -> bool {
    let written = text.and_then(|text| std::fs::write(path, text).map_err(|error| units::errno::reason(&error)));
    if let Err(error) = &written {
        tell_line!("fathom run: {} can't be written: {error}", PathBuf::from(path).display());
    }
    written.is_ok()
}
