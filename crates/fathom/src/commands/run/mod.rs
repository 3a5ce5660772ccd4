//! `fathom run`: one or two workloads, each run several times.

use std::sync::Arc;

use assessment::{Assessment, Study as Request, Workload};
use plan::Plan;
use study::Study;
use study::repeats::{NAMES, Repeats};
use targets::OutputGuard;

use crate::args::run::Args;
use app::command_error::CommandError;
use app::consent::{self, Demand};
use app::driver;
use app::findings::print_diagnostics;
use app::line_targets;
use app::lines::{Messages, writes_logs};
use app::live_views::LiveViews;
use app::output::{stderr_line, write_stdout};
use app::progress::{self, Progress};
use app::results::Results;
use app::run::RunOptions;
use app::run_set::RunSet;
use app::runner::Runner;
use app::save_folder::SaveFolder;
use app::secrets::mask_line;
use app::terminal::ink;
use app::{exit, new_runs, session, signals};

const COMMAND: &str = "run";
/// The report among the records of `--save`.
const REPORT: &str = "run.json";
/// The assessment among them.
const ASSESSMENT: &str = "assessment.json";

/// Runs the workloads with `runner` and prints their comparison. `typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    let live = args.live.options()?;
    let plans = plans(args, runner.is_local())?;
    let space = match args.prepare.is_empty() {
        true => line_targets::checked(&plans, runner)?,
        false => line_targets::space(&plans, runner),
    };
    let mut guard = OutputGuard::new(plans.iter().map(Arc::as_ref));
    // The history has the single runs.
    let results = Results::open(&args.reports, None, true, &mut guard)?;
    drop(guard);
    let folder = args.save.as_ref().map(|path| SaveFolder::create(path, REPORT, &plans)).transpose();
    let folder = folder.map_err(|error| format!("--save {error}"))?;
    let interrupts = signals::install()?;
    let mut runs = RunSet::new(new_runs::is_on(args.no_history), &args.tags, plans.len() > 1, folder);
    let first = plans.first().map(Arc::clone);
    let session = session::start(COMMAND, typed, runner, Default::default(), &args.tags);
    let study = Repeats::new(session, requested(args, runs.tag.clone()), plans, args.cooldown);
    let mut study = Box::new(study?);
    consent::to_demand(&Demand { time_ns: study.at_most_ns().unwrap_or(0), space }, args.yes)?;
    if !args.live.quiet {
        progress::announce(study.runs(), |_| study.at_most_ns());
    }
    let mut progress = Progress::new(args.live.quiet, args.live.explain());
    let mut display = LiveViews::open(&mut progress, &live, runner.fleet())?;
    let options = RunOptions { explain: args.live.explain(), ..RunOptions::default() };
    driver::drive(study.as_mut(), (runner, interrupts), &options, &mut display, &mut runs);
    let target = first.map(|plan| session::target_of(&plan, runner));
    drop(display);
    let mut assessment = study.finish(&session::end(interrupts, target));
    mask_prepare_commands(&mut assessment);
    let is_written = print(args, &assessment, runs.folder) & results.save(&assessment);
    Ok(exit::of(&assessment, interrupts.last(), is_written))
}

/// Plans each workload, and prints the warnings.
fn plans(args: &Args, is_local: bool) -> Result<Vec<Arc<Plan>>, CommandError> {
    let mut warned = Messages::default();
    let mut plans = Vec::new();
    for (workload, name) in args.workloads.iter().zip(NAMES) {
        let planned = workload.plan(COMMAND, is_local).map_err(CommandError::from);
        let (plan, warnings) = planned.map_err(|error| error.of(format_args!("{name}, {}", workload.text)))?;
        warned.add(&warnings);
        plans.push(Arc::new(plan));
    }
    print_diagnostics(&warned.list);
    if plans.iter().any(|plan| writes_logs(plan)) {
        stderr_line!("warning: each run writes the same log files: only those of the last run remain");
    }
    Ok(plans)
}

/// Masks the secrets in the commands before runs. The study needed them.
fn mask_prepare_commands(assessment: &mut Assessment) {
    let Request::Repeats(request) = &mut assessment.study else { return };
    for command in request.workloads.iter_mut().filter_map(|workload| workload.prepare.as_mut()) {
        *command = mask_line(command);
    }
}

fn requested(args: &Args, set: Option<String>) -> assessment::Repeats {
    let workload = |(at, name): (usize, &str)| {
        // One command is for all workloads. Two commands are for one workload each.
        let prepare = args.prepare.get(at).or_else(|| args.prepare.first()).cloned();
        Workload { name: name.to_owned(), line: args.workloads[at].text.clone(), prepare }
    };
    assessment::Repeats {
        workloads: NAMES.into_iter().take(args.workloads.len()).enumerate().map(workload).collect(),
        repeats: args.repeats,
        order: args.order.kind().to_owned(),
        seed: args.order.seed(),
        fail_on: args.limits().map(|limit| limit.text.clone()).collect(),
        set,
        runs: Vec::new(),
        result: None,
    }
}

/// Prints the report and saves it. Returns false if a file could not be written.
fn print(args: &Args, assessment: &Assessment, folder: Option<SaveFolder>) -> bool {
    let json = || report::json(assessment).unwrap_or_default();
    let mut is_written = true;
    if let Some(mut folder) = folder {
        folder.write(REPORT, Ok(json()));
        folder.write(ASSESSMENT, report::document(assessment).map_err(|error| error.to_string()));
        is_written &= !folder.has_failed();
    }
    let text = if args.is_json() { json() } else { report::text(assessment, ink()).unwrap_or_default() };
    is_written &= write_stdout(&text);
    if let Some(sentence) = report::sentence(assessment).filter(|_| args.is_json()) {
        stderr_line!("{sentence}");
    }
    is_written
}
