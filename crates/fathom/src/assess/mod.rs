//! `fathom assess`: a suite of tests on a target, and what they come to.

mod asked;
mod course;
mod preparing;
pub mod progress;
mod ready;
pub mod scratch;
mod state;
pub mod target;
mod words;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use judge::Verdict;
use judge::assessment::{Assessment, TargetKind, write};
use study::suite::{Planned, Suite, Terms, takes_bytes, takes_ns, time_told};
use units::bytes::with_unit;

use crate::output::{print_and_flush, tell, tell_line};
use crate::reports::Reports;
use crate::saved::Place;
use crate::suite::find;
use crate::{history, run};
use asked::Asked;
use course::Course;
use ready::Ready;
use scratch::Scratch;
use state::State;
use target::Found;
use words::{Format, Stop, Words};

const REFUSED: u8 = 2;
const INTERRUPTED: u8 = 130;
/// Runs that take more than this are asked about.
const LONG_NS: u64 = 600 * 1_000_000_000;
const LARGE_BYTES: u64 = 100 << 30;

pub fn main(words: &[String]) -> ExitCode {
    match words::read(words) {
        Ok(read) => assess(&read, words).unwrap_or_else(|message| {
            tell_line!("fathom assess: {message}");
            ExitCode::from(REFUSED)
        }),
        Err(Stop::Help) => {
            print_and_flush(words::USAGE);
            ExitCode::SUCCESS
        }
        Err(Stop::Wrong(message)) => {
            tell_line!("fathom assess: {message}\nhelp: `fathom assess --help` shows how it is used");
            ExitCode::from(REFUSED)
        }
    }
}

fn assess(words: &Words, typed: &[String]) -> Result<ExitCode, String> {
    let suite = find::find(&words.suite)?;
    let asked = Asked::read(&words.asking)?;
    let found = target::find(words.target.as_deref(), words.overwrite.as_deref())?;
    found.refuse_if_used()?;
    if words.purge && found.facts.kind != TargetKind::Device {
        return Err("--purge discards what a device holds, and this is none".to_owned());
    }
    let tests = ready::wanted(&suite, words)?;
    // Signals first: from here on files are made.
    let interrupts = run::take_signals().map_err(|error| format!("signals can't be handled: {error}"))?;
    let scratch = Scratch::make(&found, words.keep_files)?;
    let is_device = found.facts.kind == TargetKind::Device;
    let has_direct_io = scratch.has_direct_io();
    let mut terms = Terms {
        form: words.form,
        short: words.short,
        place: scratch.place.clone(),
        size_bytes: suite.default_size(words.short, is_device),
        is_resized: words.short || words.size_bytes.is_some(),
        least_block_bytes: if has_direct_io { found.least_block_bytes() } else { 0 },
        fill: words.fill,
        runtime_s: words.runtime_s,
        last: if has_direct_io { Vec::new() } else { vec![("direct".to_owned(), "0".to_owned())] },
    };
    let resized = ready::size(&suite, &tests, &mut terms, &found, words)?;
    let mut warnings = Vec::new();
    let ready = ready::plan_all(&suite, &tests, &terms, &mut warnings)?;
    warnings.iter().for_each(|warning| tell_line!("{warning}"));
    if !found.may_write && ready.iter().all(Ready::writes) {
        return Err(format!(
            "{0} may hold data, and all of these tests write: nothing was run\nhelp: if it may be lost, say --overwrite {0}",
            found.facts.path
        ));
    }
    let plans: Vec<_> = ready.iter().flat_map(|ready| &ready.runs).map(|run| run.plan.as_ref()).collect();
    let place = words.save.as_ref().map(|path| Place::open_for("--save", path, &plans)).transpose()?;
    let reports = Reports::open(&words.reports, &plans)?;
    announce(&suite, &ready, &found, resized);
    if !words.yes && !confirmed(&ready)? {
        return Err("nothing was run".to_owned());
    }
    let state = State::of(&found.path, &suite.name);
    let mut course = Course::new(words, typed, &suite, &found, &terms, state, interrupts);
    course.has_direct_io = has_direct_io;
    if words.resume {
        course.resume()?;
    }
    let mut assessment = course.run(&tests, ready)?;
    asked.judge(&mut assessment);
    if let Some(left) = scratch.left() {
        tell_line!("the tests' files are in {}", left.display());
    }
    drop(scratch);
    report(words, &assessment, place, &reports)
}

fn report(words: &Words, assessment: &Assessment, place: Option<Place>, reports: &Reports) -> Result<ExitCode, String> {
    let json = || write(assessment).map_err(|broken| format!("the assessment can't be written: {broken}"));
    let (mut kept, mut failed) = reports.save(assessment);
    if let Some(place) = place {
        match place.save_text(&json()?) {
            Ok(()) => kept.extend(words.save.iter().map(|path| format!("saved: {path}"))),
            Err(message) => failed.push(message),
        }
    }
    if words.history {
        match history::kept::keep(assessment) {
            Ok(id) => kept.push(format!("kept: fathom show {id}")),
            Err(why) => tell_line!("fathom assess: the history can't keep this: {why}"),
        }
    }
    let is_printed = match words.format {
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
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::from(match assessment.verdict {
        Verdict::Pass => 0,
        Verdict::Fail => 1,
        Verdict::Inconclusive => 3,
        Verdict::Invalid => 4,
    }))
}

/// As <https://no-color.org> has it.
pub fn is_coloured() -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !is_refused && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// What will be done where, before it is done.
fn announce(suite: &Suite, ready: &[Ready], found: &Found, resized: Option<String>) {
    let planned: Vec<Planned> = ready.iter().map(Ready::planned).collect();
    let bytes: u64 = takes_bytes(&planned).values().sum();
    let time = time_told(&planned);
    let on = match (found.existed, found.may_write) {
        (false, _) => format!("takes {}, freed at the end", with_unit(bytes)),
        (true, true) => "overwrites what it holds".to_owned(),
        (true, false) => "only reads".to_owned(),
    };
    let tests = if ready.len() == 1 { "1 test".to_owned() } else { format!("{} tests", ready.len()) };
    tell_line!("{} on {}: {tests}, {time}, and the preparation; {on}", suite.name, found.facts.path);
    if let Some(text) = resized {
        tell_line!("{text}");
    }
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
