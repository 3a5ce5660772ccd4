//! `fathom knee`: the load at which latency breaks, searched for by runs of fio's jobs.

mod job;
mod page;
pub mod request;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use assessment::{Knee, Severity, Target};
use os::signal::Interrupts;
use plan::Plan;
use record::Record;
use study::knee::show::{Asked, json, sentence, text};
use study::knee::{Load, Study};
use study::prepare::{Extent, Next, Pass, Step};
use study::show::Ink;
use study::time::at_most_ns;
use units::format::{grouped, time_ns};

use crate::exit;
use crate::output::{Output, tell_line};
use crate::plans;
use crate::progress::Progress;
use crate::reports::Reports;
use crate::scratch::Scratch;
use crate::target::{self, Found};
use crate::terminal::writes_utf8;
use crate::{kept, outlet, run};
use job::Steps;
use page::Kept;
use request::{Format, Request};

/// A slow disk's file is only as large as it gets in so many seconds.
const FILL_AT_MOST_S: u64 = 60;

pub fn main(request: &Request, typed: &[String]) -> ExitCode {
    knee(request, typed).unwrap_or_else(|message| {
        tell_line!("fathom knee: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn knee(request: &Request, typed: &[String]) -> Result<ExitCode, String> {
    let found = target::find(Some(&request.target), request.overwrite.as_slice())?;
    target::refuse_others(request.overwrite.as_slice(), std::iter::once(&found))?;
    found.refuse_if_used()?;
    // Signals first: from here on files are made.
    let interrupts = run::take_signals().map_err(|error| format!("signals can't be handled: {error}"))?;
    let scratch = Scratch::make(&found, false)?;
    let mut steps = Steps::new(request, &found, &scratch)?;
    let (plan, warnings) = steps.check(request, &found)?;
    warnings.iter().for_each(|warning| tell_line!("{warning}"));
    let output = open(request, &plan)?;
    let reports = Reports::open(&request.reports, &[plan.as_ref()])?;
    let kept = (request.in_history || !request.reports.is_empty()).then(|| Kept::new(typed));
    let mut runs = Runs { interrupts, progress: Progress::new(), notes: Vec::new(), kept };
    if !scratch.has_direct_io() {
        runs.notes.push("this file system has no direct I/O: what was measured is the page cache".to_owned());
    }
    runs.notes.extend(too_short(request));
    if !found.existed {
        runs.fill(&mut steps, &found)?;
    }
    let asked = job::asked(request, &steps, plan.workers.len());
    let mut study = Study::new(&asked);
    runs.lead(&mut study, &steps);
    drop(scratch);
    Ok(report(request, &study, runs, asked, Outlets { output, reports, target: found.facts }))
}

fn open(request: &Request, plan: &Arc<Plan>) -> Result<Output, String> {
    let path = request.output.as_deref();
    if let Some(path) = path {
        outlet::check(Path::new(path), std::iter::once(plan.as_ref()))
            .map_err(|why| format!("--output {path}: {why}"))?;
    }
    Output::open(path).map_err(|error| format!("--output: {}", units::errno::reason(&error)))
}

struct Runs {
    interrupts: Interrupts,
    progress: Progress,
    /// What speaks against the figures.
    notes: Vec<String>,
    /// For reports with charts, and the history.
    kept: Option<Kept>,
}

/// Where it is told.
struct Outlets {
    output: Output,
    reports: Reports,
    target: Target,
}

impl Runs {
    /// Blocks that were never written are read without the disk.
    fn fill(&mut self, steps: &mut Steps, found: &Found) -> Result<(), String> {
        let option = |name: &str| steps.options.iter().find(|(known, _)| known == name).cloned();
        let options = [("rw", "write"), ("bs", "1m"), ("ioengine", "libaio"), ("iodepth", "16"), ("end_fsync", "1")];
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter();
        let options = options.chain(option("direct")).collect();
        let extent = Extent { path: steps.path.clone(), bytes: steps.bytes };
        let mut fill = Pass::fill(vec![extent], options, Some(FILL_AT_MOST_S), "its blocks are read");
        let Next::Run(job) = fill.next() else { return Ok(()) };
        let (plan, _) = plans::plan(&job).map_err(|told| plans::told(&told))?;
        let since = std::time::Instant::now();
        let record = self.carry_out(&Arc::new(plan), "fill")?;
        if let Some(error) = record.workers.iter().find_map(|worker| worker.error.as_ref()) {
            return Err(format!("{}: its file can't be filled: {}", found.facts.path, error.message.clone()));
        }
        fill.take(&record);
        if let Some(kept) = &mut self.kept {
            kept.filled = Some(page::filled(fill.bytes(), since.elapsed().as_millis() as u64));
        }
        if self.interrupts.count() == 0 && fill.bytes() < steps.bytes.unwrap_or(0) {
            steps.shrink(fill.bytes());
        }
        Ok(())
    }

    fn carry_out(&mut self, plan: &Arc<Plan>, name: &str) -> Result<Record, String> {
        self.progress.begin(name, at_most_ns(plan), 0);
        let outcome = run::run(plan, self.interrupts, &run::Terms::default(), &mut self.progress);
        if !outcome.refused.is_empty() {
            let refusals: Vec<String> = outcome.refused.iter().map(|error| error.message.clone()).collect();
            let why = refusals.join("; ");
            self.progress.end(&format!("refused: {why}"));
            return Err(why);
        }
        self.progress.end(&came_to(&outcome.record));
        Ok(outcome.record)
    }

    /// Run after run until the study has seen enough or a signal comes; a run that a signal cut is none.
    fn lead(&mut self, study: &mut Study, steps: &Steps) {
        while let Some(load) = study.next().filter(|_| self.interrupts.count() == 0) {
            let ran = steps.plan(&load).and_then(|(plan, _)| self.carry_out(&plan, &name(&load)));
            match ran {
                Ok(_) if self.interrupts.count() > 0 => {}
                Ok(record) => {
                    study.take(&load, &record);
                    self.note(&load, &record);
                    if let Some(kept) = &mut self.kept {
                        kept.runs.push((load, record));
                    }
                }
                Err(why) => study.take_failed(why),
            }
        }
    }

    /// What makes the figures others than those of the target. Rates that are missed are what is looked for.
    fn note(&mut self, load: &Load, record: &Record) {
        let is_open = matches!(load, Load::Open { .. });
        for finding in judge::findings(record) {
            let text = finding.to_string();
            let is_wanted = match finding.severity {
                Severity::Invalid => true,
                Severity::Warning => !is_open,
                // Such as that a step was short, which is as it was asked for.
                Severity::Info => false,
            };
            if is_wanted && !self.notes.contains(&text) && self.notes.len() < 8 {
                self.notes.push(text);
                self.kept.iter_mut().for_each(|kept| kept.findings.push(finding.clone()));
            }
        }
    }
}

fn name(load: &Load) -> String {
    match load {
        Load::Closed { depth: None } => "closed loop".to_owned(),
        Load::Closed { depth: Some(depth) } => format!("iodepth {depth}"),
        Load::Open { offered, .. } => format!("{}/s", grouped(*offered as f64)),
    }
}

/// Where the bound is large beside the time of a step, too high a rate piles up less than the bound in that time.
fn too_short(request: &Request) -> Option<String> {
    const STEP_PER_BOUND: u64 = 100;
    let bound_ns = request.bound_ns.filter(|_| !request.is_closed)?;
    let wanted_ns = bound_ns.saturating_mul(STEP_PER_BOUND);
    let shown = |ns: u64| study::knee::show::time(ns as f64);
    (wanted_ns > request.runtime_ns).then(|| {
        format!(
            "in {} a step a rate slightly above what is sustained may hold, too: for {} under {} measure for {} (--runtime)",
            shown(request.runtime_ns),
            request.percentile,
            shown(bound_ns),
            shown(wanted_ns)
        )
    })
}

/// A run in a few words.
fn came_to(record: &Record) -> String {
    let all = record.totals().all;
    let latency = if all.response.count() > 0 { &all.response } else { &all.lat };
    let time = |percent: f64| time_ns(latency.percentile_ns(percent) as f64);
    format!("{} IOPS, p50 {}, p99 {}", grouped(all.ios_per_s()), time(50.0), time(99.0))
}

fn report(request: &Request, study: &Study, runs: Runs, knee: Knee, outlets: Outlets) -> ExitCode {
    let Outlets { mut output, reports, target } = outlets;
    let is_stopped = runs.interrupts.count() > 0;
    let knee = Knee { notes: runs.notes, ..knee };
    let asked = Asked::new(&knee, &target.path, env!("CARGO_PKG_VERSION"), is_stopped);
    let ink = if !output.is_stdout() || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    output.write(&match request.format {
        Format::Text => text(study, &asked, ink),
        Format::Json => json(study, &asked),
    });
    if !output.is_stdout() || request.format == Format::Json {
        tell_line!("{}", sentence(study, &asked));
    }
    if let Some(kept) = runs.kept {
        let assessment = kept.assessment(request, study, knee, &asked, &target);
        let (told, failed) = reports.save(&assessment);
        told.iter().chain(&failed).for_each(|line| tell_line!("{line}"));
        if request.in_history {
            kept::keep_study("knee", assessment);
        }
        if !failed.is_empty() {
            return ExitCode::from(exit::FAILED);
        }
    }
    let is_met = match study {
        Study::Rate(search) => search.met().is_some(),
        Study::Depth(depths) => request.bound_ns.is_none() || depths.within().is_some(),
    };
    let is_own = matches!(study, Study::Rate(search) if search.generator().is_some());
    match (is_stopped, study.failed(), is_own) {
        (true, ..) => ExitCode::from(exit::INTERRUPTED),
        (_, Some(_), _) => ExitCode::from(exit::FAILED),
        (_, _, true) => ExitCode::from(exit::INCONCLUSIVE),
        _ if !is_met => ExitCode::from(exit::FAILED),
        _ => ExitCode::SUCCESS,
    }
}
