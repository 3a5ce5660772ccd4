//! `fathom knee`: the load at which latency rises sharply.

mod job;

use assessment::Assessment;
use report::Ink;

use crate::args::knee::{Args, Format};
use app::atomic_file::AtomicFile;
use app::command_error::CommandError;
use app::findings::print_diagnostics;
use app::like;
use app::output::{stderr_line, write_stdout};
use app::runner::Runner;
use app::search::{Ended, Ready, Search, SearchArgs};
use app::terminal::ink;

/// Searches for the knee with `runner` and prints it. `typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    if let Some(warning) = args.low_percentile() {
        stderr_line!("warning: {warning}");
    }
    let search = SearchArgs {
        command: "knee",
        typed,
        target: &args.target,
        overwrite: args.overwrite.as_slice(),
        yes: args.yes,
        is_quiet: args.live.quiet,
        live: args.live.options()?,
        explain: args.live.explain(),
        reports: &args.reports,
        save: None,
        no_history: args.no_history,
        tags: &args.tags,
    };
    let ended = match args.like() {
        Some(like) => like::run(&like, search, runner, args.output.as_deref())?,
        None => run(args, search, runner)?,
    };
    let is_printed = print(args, &ended.assessment, ended.output.as_ref());
    Ok(ended.save(is_printed))
}

/// Runs the search over rates or depths.
fn run(args: &Args, search: SearchArgs, runner: &dyn Runner) -> Result<Ended, CommandError> {
    let search = Search::open(search, runner, |_| Ok(()))?;
    let target = job::target(args, &search)?;
    let mut request = job::search(args, &target);
    let (plan, warnings) = job::check(args, &request, &target, &search.found)?;
    let demand = job::demand(args, &request, &target, &search.found);
    print_diagnostics(&warnings);
    request.workers = (plan.workers.len().max(1) * runner.hosts().len().max(1)) as u64;
    search.run(request, Ready { plan, target, captured: None, ramp_ns: args.ramp_ns, demand }, args.output.as_deref())
}

/// Prints the search. If the report is JSON or goes to a file, its sentence goes to standard error. Returns false if the
/// report could not be written.
fn print(args: &Args, assessment: &Assessment, output: Option<&AtomicFile>) -> bool {
    let ink = if output.is_some() { Ink::Unicode } else { ink() };
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
