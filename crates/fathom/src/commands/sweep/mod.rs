//! `fathom sweep`: a command line of either dialect, run once for each value of one or more options.

mod files;

use std::sync::Arc;

use ::fio::lower::mask_value;
use assessment::Metric;
use plan::Plan;
use study::Study;
use study::sweep::{self, Sweep};
use targets::OutputGuard;
use units::diagnostic::Diagnostic;

use crate::args::sweep::Args;
use app::command_error::CommandError;
use app::consent::{self, Demand};
use app::driver;
use app::findings::print_diagnostics;
use app::line_targets;
use app::lines::fio_line::{self, FioLine};
use app::lines::points::{self, Points};
use app::lines::{Dialect, Planned, diskspd_line};
use app::live_views::{LiveOptions, LiveViews};
use app::output::{write_stderr, write_stdout};
use app::progress::{self, Progress};
use app::results::Results;
use app::run::RunOptions;
use app::runner::Runner;
use app::secrets::mask_arguments;
use app::{exit, session, signals};
use files::Files;

const COMMAND: &str = "sweep";

/// Runs each point with `runner` and prints the report. `typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    let live = args.live.options()?;
    let metric = metric(args);
    let search = requested(args, metric);
    let points = sweep::points(&search.axes)?;
    let fio_line = FioLine::new(&args.line.args, COMMAND, runner.is_local());
    let plan_line = |settings: &[(String, String)]| -> Result<Planned, Vec<Diagnostic>> {
        match args.line.dialect {
            Dialect::Fio => fio_line.plan(settings),
            Dialect::DiskSpd => diskspd_line::plan(&args.line.args, settings, COMMAND),
        }
    };
    match points::plan(&points, points.len().saturating_mul(args.repeats), &plan_line)? {
        Points::Run { plans, warnings } => {
            print_diagnostics(&warnings);
            if !points::measures(&plans, metric) {
                return Err(format!("the line does not measure latency, which --metric {metric} needs").into());
            }
            run_all(args, typed, (masked(search), plans), &live, runner)
        }
        Points::Print { printed, warnings } => {
            print_diagnostics(&warnings);
            let is_written = write_stdout(&printed.stdout);
            write_stderr(format_args!("{}", printed.stderr));
            Ok(if is_written { printed.status } else { printed.status.max(exit::FAILED) })
        }
    }
}

/// Returns the metric: by default bandwidth if block sizes are varied, else IOPS.
fn metric(args: &Args) -> Metric {
    let is_block_size = |option: &str| match args.line.dialect {
        Dialect::Fio => fio_line::is_block_size(option),
        Dialect::DiskSpd => option == diskspd_line::BLOCK_SIZE,
    };
    let by_size = args.axes.iter().any(|axis| is_block_size(&axis.option));
    args.metric.unwrap_or(if by_size { Metric::BANDWIDTH } else { Metric::IOPS })
}

fn requested(args: &Args, metric: Metric) -> assessment::Sweep {
    assessment::Sweep {
        dialect: args.line.dialect.name().to_owned(),
        line: mask_arguments(&args.line.args),
        axes: args.axes.iter().map(|axis| (axis.option.clone(), axis.values.clone())).collect(),
        repeats: args.repeats,
        order: args.order().kind().to_owned(),
        seed: args.order().seed(),
        metric,
        refused: Vec::new(),
        result: None,
    }
}

/// Masks passwords and keys in the values of the axes.
fn masked(mut search: assessment::Sweep) -> assessment::Sweep {
    for (option, values) in &mut search.axes {
        values.iter_mut().for_each(|value| *value = mask_value(option, value));
    }
    search
}

fn run_all(
    args: &Args,
    typed: &[String],
    (search, plans): (assessment::Sweep, Vec<Arc<Plan>>),
    live: &LiveOptions,
    runner: &dyn Runner,
) -> Result<u8, CommandError> {
    let space = line_targets::checked(&plans, runner)?;
    // Errors in paths are found before the first run.
    let mut guard = OutputGuard::new(plans.iter().map(Arc::as_ref));
    let mut files = Files::create(args, &plans, &mut guard)?;
    let results = Results::open(&args.reports, None, args.no_history, &mut guard)?;
    drop(guard);
    let interrupts = signals::install()?;
    let first = plans.first().map(Arc::clone);
    let session = session::start(COMMAND, typed, runner, Default::default(), &args.tags);
    let study = Sweep::new(session, search, plans, args.cooldown)?;
    let mut study = Box::new(study);
    consent::to_demand(&Demand { time_ns: study.at_most_ns().unwrap_or(0), space }, args.yes)?;
    if !args.live.quiet {
        progress::announce(study.runs(), |_| study.at_most_ns());
    }
    let mut progress = Progress::new(args.live.quiet, args.live.explain());
    let mut display = LiveViews::open(&mut progress, live, runner.fleet())?;
    let options = RunOptions { explain: args.live.explain(), ..RunOptions::default() };
    driver::drive(study.as_mut(), (runner, interrupts), &options, &mut display, &mut files);
    let target = first.map(|plan| session::target_of(&plan, runner));
    drop(display);
    let assessment = study.finish(&session::end(interrupts, target));
    let is_written = files.write(args, &assessment) & results.save(&assessment);
    Ok(exit::of(&assessment, interrupts.last(), is_written))
}
