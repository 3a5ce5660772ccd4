//! `fathom run`: one or two workloads, each run several times.

pub mod request;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ::history::Document;
use assessment::{Assessment, Workload};
use plan::Plan;
use record::{Record, schema};
use report::Ink;
use study::repeats::{NAMES, Repeats};
use study::{Run, Study};
use units::calendar::date_and_time;
use units::format;

use crate::driver::{self, Keeper};
use crate::lines::{Told, writes_logs};
use crate::output::{print_and_flush, tell_line};
use crate::progress::Progress;
use crate::run::{self, RunOptions};
use crate::terminal::writes_utf8;
use crate::{exit, kept, outlet, session};
use request::Request;

const COMMAND: &str = "run";
/// The report among the records of `--save`.
const REPORT: &str = "run.json";
/// The assessment among them.
const ASSESSMENT: &str = "assessment.json";

pub fn main(request: &Request, typed: &[String]) -> ExitCode {
    repeats(request, typed).unwrap_or_else(|message| {
        tell_line!("error: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn repeats(request: &Request, typed: &[String]) -> Result<ExitCode, String> {
    let plans = plans(request)?;
    if let Some(folder) = &request.save {
        outlet::check(&folder.join(REPORT), plans.iter().map(Arc::as_ref))
            .and_then(|()| std::fs::create_dir_all(folder).map_err(|error| error.to_string()))
            .map_err(|why| format!("{}: {why}", folder.display()))?;
    }
    let interrupts = run::take_signals().map_err(|error| format!("signals cannot be handled: {error}"))?;
    let set = request.in_history.then(set_name);
    let mut runs = Runs { request, has_two: plans.len() > 1, set: set.clone(), is_written: true };
    let first = plans.first().map(Arc::clone);
    let session = session::start(COMMAND, typed, Default::default(), Vec::new(), &request.tags);
    let study = Repeats::new(session, requested(request, set), plans, request.cooldown);
    let mut study = Box::new(study.map_err(|error| error.to_string())?);
    announce(study.runs(), study.at_most_ns());
    driver::drive(study.as_mut(), interrupts, &RunOptions::default(), &mut Progress::new(), &mut runs);
    let target = first.map(|plan| session::target_of(&plan));
    let assessment = study.finish(&session::end(interrupts, target));
    let is_written = print(request, &assessment) & runs.is_written;
    Ok(ExitCode::from(if is_written { exit::of(&assessment, interrupts) } else { exit::FAILED }))
}

/// Plans each workload, and prints the warnings.
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

/// Returns a tag that no other set of runs has.
fn set_name() -> String {
    let local_s = (run::unix_ms() / 1000).saturating_add_signed(i64::from(os::clock::utc_offset_s()));
    let time: String = date_and_time(local_s).chars().filter(|c| *c == 'T' || c.is_ascii_digit()).collect();
    format!("run-{}-{}", time.replace('T', "-"), std::process::id())
}

fn requested(request: &Request, set: Option<String>) -> assessment::Repeats {
    let workload = |(at, name): (usize, &str)| {
        // One command is for all workloads, two are one for each.
        let prepare = request.prepare.get(at).or_else(|| request.prepare.first()).cloned();
        Workload { name: name.to_owned(), line: request.workloads[at].text.clone(), prepare }
    };
    assessment::Repeats {
        workloads: NAMES.into_iter().take(request.workloads.len()).enumerate().map(workload).collect(),
        repeats: request.repeats,
        order: request.order.kind().to_owned(),
        seed: request.order.seed(),
        fail_on: request.limits.iter().map(|limit| limit.text.clone()).collect(),
        set,
        runs: Vec::new(),
        result: None,
    }
}

/// Prints the number of runs and their time.
fn announce(runs: usize, at_most_ns: Option<u64>) {
    let time =
        at_most_ns.map_or_else(String::new, |ns| format!(", at most {} plus preparation", format::time_ns(ns as f64)));
    tell_line!("{runs} run{}{time}", if runs == 1 { "" } else { "s" });
}

/// Keeps the records of the runs.
struct Runs<'a> {
    request: &'a Request,
    /// There are two workloads.
    has_two: bool,
    /// Tag of all runs in the history; `None` if they are not kept there.
    set: Option<String>,
    is_written: bool,
}

impl Runs<'_> {
    /// Adds a run to the history. After a failure, no further run is added.
    fn add(&mut self, run: &Run, record: &Record) -> Option<i64> {
        let set = self.set.as_ref()?;
        let mut tags = self.request.tags.clone();
        tags.push(set.clone());
        if self.has_two {
            tags.push(format!("{set}-{}", run.name));
        }
        let document = Document::Record(Box::new(record.clone()));
        match kept::store().and_then(|mut store| store.add(&document, &tags)) {
            Ok(id) => Some(id),
            Err(message) => {
                tell_line!("warning: the runs are not kept in the history: {message}");
                self.set = None;
                None
            }
        }
    }
}

impl Keeper for Runs<'_> {
    fn record(&mut self, run: &Run, record: &Record) -> Option<i64> {
        if let Some(folder) = &self.request.save {
            let path = folder.join(format!("{}-{}.json", run.name, run.repeat + 1));
            let text = schema::write(record).map_err(|broken| broken.to_string());
            self.is_written &= is_saved(&path, text);
        }
        let is_good = study::sweep::failure(record).is_none();
        if is_good { self.add(run, record) } else { None }
    }
}

/// Prints the report and saves it. False if a file could not be written.
fn print(request: &Request, assessment: &Assessment) -> bool {
    let json = || report::json(assessment).unwrap_or_default();
    let mut is_written = true;
    if let Some(folder) = &request.save {
        is_written &= is_saved(&folder.join(REPORT), Ok(json()));
        let whole = assessment::write(assessment).map_err(|broken| broken.to_string());
        is_written &= is_saved(&folder.join(ASSESSMENT), whole);
    }
    let ink = if writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    let text = if request.json { json() } else { report::text(assessment, ink).unwrap_or_default() };
    is_written &= print_and_flush(&text);
    if let Some(sentence) = report::sentence(assessment).filter(|_| request.json) {
        tell_line!("{sentence}");
    }
    is_written
}

/// False, with a message, if a file cannot be written.
fn is_saved(path: &Path, text: Result<String, String>) -> bool {
    let written = text.and_then(|text| std::fs::write(path, text).map_err(|error| units::errno::reason(&error)));
    if let Err(error) = &written {
        tell_line!("error: {} cannot be written: {error}", PathBuf::from(path).display());
    }
    written.is_ok()
}
