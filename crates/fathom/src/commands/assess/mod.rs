//! `fathom assess`: a suite of tests on a target, and what they come to.

pub mod asked;
mod course;
mod preparing;
mod ready;
pub mod request;
mod state;
mod volumes;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use assessment::{Assessment, TargetKind, Verdict, write};
use study::suite::{Planned, Sites, Suite, Terms, takes_bytes, takes_ns, time_told};
use units::format;

use crate::exit;
use crate::output::{print_and_flush, tell, tell_line};
use crate::reports::Reports;
use crate::saved::Place;
use crate::suites;
use crate::terminal::is_coloured;
use crate::{kept, run};
use asked::Asked;
use course::Course;
use ready::Ready;
use request::{Format, Request};
use state::State;
use volumes::Volume;

/// Runs that take more than this are asked about.
const LONG_NS: u64 = 600 * 1_000_000_000;
const LARGE_BYTES: u64 = 100 << 30;

pub fn main(request: &Request, typed: &[String]) -> ExitCode {
    assess(request, typed).unwrap_or_else(|message| {
        tell_line!("fathom assess: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn assess(request: &Request, typed: &[String]) -> Result<ExitCode, String> {
    let suite = suites::find(&request.suite)?;
    let asked = Asked::read(&request.asking, &suite)?;
    let tests = ready::wanted(&suite, request)?;
    let named = volumes::find(&suite, &tests, request)?;
    if request.purge && named.iter().any(|named| named.found.facts.kind != TargetKind::Device) {
        return Err("--purge discards what a device holds, and this is none".to_owned());
    }
    // Signals first: from here on files are made.
    let interrupts = run::take_signals().map_err(|error| format!("signals can't be handled: {error}"))?;
    let volumes = named.into_iter().map(|named| Volume::open(named, request.keep_files));
    let volumes = volumes.collect::<Result<Vec<Volume>, String>>()?;
    let sites = Sites::new(volumes.iter().map(|volume| volume.site(&suite, request.short)).collect());
    let sites = sites.ok_or("none of these tests is for any of these targets")?;
    let mut terms = Terms {
        form: request.form,
        short: request.short,
        is_resized: request.short || request.size_bytes.is_some(),
        sites,
        fill: request.fill,
        runtime_s: request.runtime_s,
    };
    let resized = ready::size(&suite, &tests, &mut terms, &volumes, request)?;
    let mut warnings = Vec::new();
    let ready = ready::plan_all(&suite, &tests, &terms, &mut warnings)?;
    warnings.iter().for_each(|warning| tell_line!("{warning}"));
    let fixed = ready::without_runtime(&suite, &ready, &terms);
    if !fixed.is_empty() {
        tell_line!("--runtime changes nothing for {}: its words say how long it goes on", fixed.join(", "));
    }
    let mut forbidden = ready.iter().map(|ready| volumes::forbidden(ready, &volumes, &terms));
    if let Some(first) = forbidden.clone().next().flatten()
        && forbidden.all(|found| found.is_some())
    {
        return Err(format!(
            "{0} may hold data, and all of these tests write: nothing was run\nhelp: if it may be lost, say --overwrite {0}",
            first.facts.path
        ));
    }
    let plans: Vec<_> = ready.iter().flat_map(|ready| &ready.runs).map(|run| run.plan.as_ref()).collect();
    let place = request.save.as_ref().map(|path| Place::open_for("--save", path, &plans)).transpose()?;
    let reports = Reports::open(&request.reports, &plans)?;
    announce(&suite, &ready, &volumes, &terms);
    resized.iter().for_each(|line| tell_line!("{line}"));
    if !request.yes && !confirmed(&ready)? {
        return Err("nothing was run".to_owned());
    }
    let state = State::of(volumes::key(&volumes), &suite.name);
    let mut course = Course::new(request, typed, &suite, &volumes, &terms, state, interrupts);
    if request.resume {
        course.resume()?;
    }
    let mut assessment = course.run(&tests, ready)?;
    asked.judge(&mut assessment);
    for left in volumes.iter().filter_map(|volume| volume.scratch.left()) {
        tell_line!("the tests' files are in {}", left.display());
    }
    drop(volumes);
    report(request, &assessment, place, &reports)
}

fn report(
    request: &Request,
    assessment: &Assessment,
    place: Option<Place>,
    reports: &Reports,
) -> Result<ExitCode, String> {
    let json = || write(assessment).map_err(|broken| format!("the assessment can't be written: {broken}"));
    let (mut kept, mut failed) = reports.save(assessment);
    if let Some(place) = place {
        match place.save_text(&json()?) {
            Ok(()) => kept.extend(request.save.iter().map(|path| format!("saved: {path}"))),
            Err(message) => failed.push(message),
        }
    }
    if request.history {
        match kept::keep(assessment.clone()) {
            Ok(id) => kept.push(format!("kept: fathom show {id}")),
            Err(why) => tell_line!("fathom assess: the history can't keep this: {why}"),
        }
    }
    let is_printed = match request.format {
        Format::Card => print_and_flush(&report::card(assessment, report::Card { colour: is_coloured(), kept: &kept })),
        Format::Json => print_and_flush(&json()?),
    };
    if !is_printed {
        failed.push("standard output can't be written".to_owned());
    }
    if !failed.is_empty() {
        return Err(failed.join("; "));
    }
    if assessment.stopped {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    }
    Ok(ExitCode::from(match assessment.verdict {
        Verdict::Pass | Verdict::Measured => 0,
        Verdict::Fail => exit::FAILED,
        Verdict::Inconclusive => exit::INCONCLUSIVE,
        Verdict::Invalid => exit::INVALID,
    }))
}

/// What will be done where, before it is done.
fn announce(suite: &Suite, ready: &[Ready], volumes: &[Volume], terms: &Terms) {
    let planned: Vec<Planned> = ready.iter().map(Ready::planned).collect();
    let taken = takes_bytes(&planned);
    let on = volumes.iter().zip(terms.sites.iter()).map(|(volume, site)| {
        let bytes = taken.iter().filter(|(path, _)| site.place.holds(path)).map(|(_, bytes)| bytes).sum();
        let is_written = planned.iter().flat_map(|planned| &planned.plans).any(|plan| site.is_written_by(plan));
        let what = match (volume.found.existed, volume.found.may_write, is_written) {
            (false, ..) => format!("takes {}, freed at the end", format::size(bytes)),
            (true, true, _) => "overwrites what it holds".to_owned(),
            (true, false, true) => "only what reads is run there".to_owned(),
            (true, false, false) => "only reads".to_owned(),
        };
        if volumes.len() == 1 { what } else { format!("{}: {what}", volume.shown()) }
    });
    let on: Vec<String> = on.collect();
    let (where_to, tests) = (volumes::all_shown(volumes), ready.len());
    let (many, time) = (if tests == 1 { "" } else { "s" }, time_told(&planned));
    tell_line!("{} on {where_to}: {tests} test{many}, {time}, and the preparation; {}", suite.name, on.join("; "));
}

/// Long or large runs are asked about where somebody can answer.
fn confirmed(ready: &[Ready]) -> Result<bool, String> {
    let planned: Vec<Planned> = ready.iter().map(Ready::planned).collect();
    let is_long = takes_ns(&planned).0 > LONG_NS || takes_bytes(&planned).values().sum::<u64>() > LARGE_BYTES;
    if !is_long || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(true);
    }
    tell(format_args!("Go on? [y/N] "));
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| error.to_string())?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}
