//! `fathom knee`: the load at which latency rises sharply.

mod job;
pub mod request;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use assessment::Assessment;
use plan::Plan;
use report::Ink;
use study::Study;
use study::knee::Knee;

use crate::driver::{self, NoKeeper};
use crate::output::{Output, tell_line};
use crate::progress::Progress;
use crate::reports::Reports;
use crate::results::Results;
use crate::run::RunOptions;
use crate::scratch::Scratch;
use crate::terminal::writes_utf8;
use crate::{exit, outlet, run, session, target};
use request::{Format, Request};

pub fn main(request: &Request, typed: &[String]) -> ExitCode {
    knee(request, typed).unwrap_or_else(|message| {
        tell_line!("error: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn knee(request: &Request, typed: &[String]) -> Result<ExitCode, String> {
    let found = target::find(Some(&request.target), request.overwrite.as_slice())?;
    target::refuse_others(request.overwrite.as_slice(), std::iter::once(&found))?;
    found.refuse_if_used()?;
    // Signals first: from here on files are made.
    let interrupts = run::take_signals().map_err(|error| format!("signals cannot be handled: {error}"))?;
    let scratch = Scratch::make(&found, false)?;
    let target = job::target(request, &found, &scratch)?;
    let mut search = job::search(request, &target);
    let (plan, warnings) = job::check(request, &search, &target, &found)?;
    warnings.iter().for_each(|warning| tell_line!("{warning}"));
    search.workers = plan.workers.len().max(1) as u64;
    let mut output = open(request, &plan)?;
    let reports = Reports::open(&request.reports, &[plan.as_ref()])?;
    let results = Results { reports, save: None, in_history: request.in_history };
    let session = session::start("knee", typed, found.facts, Vec::new(), &request.tags);
    let mut study = Box::new(Knee::new(session, search, target));
    driver::drive(study.as_mut(), interrupts, &RunOptions::default(), &mut Progress::new(), &mut NoKeeper);
    let assessment = study.finish(&session::end(interrupts, None));
    drop(scratch);
    print(request, &assessment, &mut output);
    let is_written = results.keep(&assessment);
    Ok(ExitCode::from(if is_written { exit::of(&assessment, interrupts) } else { exit::FAILED }))
}

fn open(request: &Request, plan: &Arc<Plan>) -> Result<Output, String> {
    let path = request.output.as_deref();
    if let Some(path) = path {
        outlet::check(Path::new(path), std::iter::once(plan.as_ref()))
            .map_err(|why| format!("--output {path}: {why}"))?;
    }
    Output::open(path).map_err(|error| format!("--output: {}", units::errno::reason(&error)))
}

/// Prints the search; for a program or a file, its sentence goes to standard error.
fn print(request: &Request, assessment: &Assessment, output: &mut Output) {
    let ink = if !output.is_stdout() || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    let text = match request.format {
        Format::Text => report::text(assessment, ink),
        Format::Json => report::json(assessment),
    };
    output.write(&text.unwrap_or_default());
    if let Some(sentence) = report::sentence(assessment)
        && (!output.is_stdout() || request.format == Format::Json)
    {
        tell_line!("{sentence}");
    }
}
