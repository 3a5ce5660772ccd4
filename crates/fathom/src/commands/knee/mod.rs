//! `fathom knee`: the load at which latency rises sharply.

mod job;

use std::path::Path;

use assessment::Assessment;
use report::Ink;
use study::Study;
use study::knee::{self, Knee};
use targets::OutputGuard;

use crate::args::knee::{Args, Format};
use app::atomic_file::AtomicFile;
use app::command_error::CommandError;
use app::consent;
use app::driver::{self, NoKeeper};
use app::findings::print_diagnostics;
use app::live_views::LiveViews;
use app::output::{stderr_line, write_stdout};
use app::progress::{self, Progress};
use app::results::Results;
use app::run::RunOptions;
use app::runner::Runner;
use app::terminal::writes_utf8;
use app::{exit, session, signals, target};

/// Searches for the knee with `runner` and prints it. `typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    if let Some(warning) = args.low_percentile() {
        stderr_line!("warning: {warning}");
    }
    let live = args.live.options()?;
    let found = runner.find(&args.target, args.overwrite.as_slice())?;
    target::refuse_others(args.overwrite.as_slice(), std::iter::once(&found))?;
    consent::to_new_files(std::iter::once(&found), args.yes)?;
    found.refuse_if_used()?;
    // Signals first: from here on files are made.
    let interrupts = signals::install()?;
    let options = RunOptions { explain: args.live.explain(), ..RunOptions::default() };
    let mut files = runner.make_files(&found, false, &options.lease)?;
    let target = job::target(args, &found, files.as_ref())?;
    let mut search = job::search(args, &target);
    let (plan, warnings) = job::check(args, &search, &target, &found)?;
    consent::to_demand(&job::demand(args, &search, &target, &found), args.yes)?;
    files.will_run(&plan)?;
    print_diagnostics(&warnings);
    search.workers = (plan.workers.len().max(1) * runner.hosts().len().max(1)) as u64;
    let mut guard = OutputGuard::new([plan.as_ref()]);
    let output = args.output.as_deref().map(|path| AtomicFile::open(Path::new(path), &mut guard)).transpose();
    let output = output.map_err(|error| format!("--output {error}"))?;
    let results = Results::open(&args.reports, None, args.no_history, &mut guard)?;
    if !args.live.quiet {
        progress::announce(knee::runs(&search), |runs| Some(knee::time_ns(&search, args.ramp_ns, runs)));
    }
    let session = session::start("knee", typed, runner, (found.facts, Vec::new()), &args.tags);
    let mut study = Box::new(Knee::new(session, search, target));
    let mut progress = Progress::new(args.live.quiet);
    let mut display = LiveViews::open(&mut progress, &live, runner.fleet())?;
    driver::drive(study.as_mut(), (runner, interrupts), &options, &mut display, &mut NoKeeper);
    drop(display);
    let assessment = study.finish(&session::end(interrupts, None));
    drop(files);
    let is_written = print(args, &assessment, output.as_ref()) & results.save(&assessment);
    Ok(exit::of(&assessment, interrupts.last(), is_written))
}

/// Prints the search. If the report is JSON or goes to a file, its sentence goes to standard error. Returns false if the
/// report could not be written.
fn print(args: &Args, assessment: &Assessment, output: Option<&AtomicFile>) -> bool {
    let ink = if output.is_some() || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    let text = match args.format {
        Format::Text => report::text(assessment, ink),
        Format::Json => report::json(assessment),
    };
    let text = text.unwrap_or_default();
    let is_in_file = output.is_some_and(|file| file.write_or_report(text.as_bytes()));
    let is_written = is_in_file || write_stdout(&text) && output.is_none();
    if let Some(sentence) = report::sentence(assessment)
        && (output.is_some() || args.format == Format::Json)
    {
        stderr_line!("{sentence}");
    }
    is_written
}
