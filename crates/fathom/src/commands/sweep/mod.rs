//! `fathom sweep`: a command line of either dialect, run once for each value of one or more options.

mod files;
mod points;
pub mod request;

use std::process::ExitCode;
use std::sync::Arc;

use assessment::Metric;
use plan::Plan;
use study::Study;
use study::sweep::{self, Sweep};
use units::diagnostic::Diagnostic;
use units::format;

use crate::driver;
use crate::lines::fio_line::{self, FioLine};
use crate::lines::{Dialect, Planned, diskspd_line};
use crate::output::{print_and_flush, tell, tell_line};
use crate::progress::Progress;
use crate::reports::Reports;
use crate::results::Results;
use crate::run::{self, RunOptions};
use crate::{exit, session};
use files::Files;
use points::Points;
use request::Request;

const COMMAND: &str = "sweep";

pub fn main(request: &Request, typed: &[String]) -> ExitCode {
    sweep(request, typed).unwrap_or_else(|message| {
        tell_line!("error: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn sweep(request: &Request, typed: &[String]) -> Result<ExitCode, String> {
    let metric = metric(request);
    let search = requested(request, metric);
    let points = sweep::points(&search.axes).map_err(|error| error.to_string())?;
    let fio_line = FioLine::new(&request.line, COMMAND);
    let plan_line = |settings: &[(String, String)]| -> Result<Planned, Vec<Diagnostic>> {
        match request.dialect {
            Dialect::Fio => fio_line.plan(settings),
            Dialect::DiskSpd => diskspd_line::plan(&request.line, settings, COMMAND),
        }
    };
    match points::plan(&points, points.len().saturating_mul(request.repeats), &plan_line) {
        Points::Run { plans, warnings } => {
            warnings.iter().for_each(|text| tell_line!("{text}"));
            if !points::measures(&plans, metric) {
                return Err(format!("the line does not measure latency, which --metric {metric} needs"));
            }
            run_all(request, typed, search, plans)
        }
        Points::Print { printed, warnings } => {
            warnings.iter().for_each(|text| tell_line!("{text}"));
            print_and_flush(&printed.stdout);
            tell(format_args!("{}", printed.stderr));
            Ok(ExitCode::from(printed.status))
        }
        Points::Refused(diagnostics) => {
            diagnostics.iter().for_each(|text| tell_line!("{text}"));
            Ok(ExitCode::from(exit::REFUSED))
        }
    }
}

/// Returns the metric: by default bandwidth if block sizes are varied, else IOPS.
fn metric(request: &Request) -> Metric {
    let is_block_size = |option: &str| match request.dialect {
        Dialect::Fio => fio_line::is_block_size(option),
        Dialect::DiskSpd => option == diskspd_line::BLOCK_SIZE,
    };
    let by_size = request.axes.iter().any(|axis| is_block_size(&axis.option));
    request.metric.unwrap_or(if by_size { Metric::BANDWIDTH } else { Metric::IOPS })
}

fn requested(request: &Request, metric: Metric) -> assessment::Sweep {
    assessment::Sweep {
        dialect: request.dialect.name().to_owned(),
        line: request.line.clone(),
        axes: request.axes.iter().map(|axis| (axis.option.clone(), axis.values.clone())).collect(),
        repeats: request.repeats,
        order: request.order.kind().to_owned(),
        seed: request.order.seed(),
        metric,
        refused: Vec::new(),
        result: None,
    }
}

fn run_all(
    request: &Request,
    typed: &[String],
    search: assessment::Sweep,
    plans: Vec<Arc<Plan>>,
) -> Result<ExitCode, String> {
    // Errors in paths are found before the first run.
    let mut files = Files::create(request, &plans)?;
    let of_plans: Vec<&Plan> = plans.iter().map(Arc::as_ref).collect();
    let reports = Reports::open(&request.reports, &of_plans)?;
    let results = Results { reports, save: None, in_history: request.in_history };
    let interrupts = run::take_signals().map_err(|error| format!("signals cannot be handled: {error}"))?;
    let first = plans.first().map(Arc::clone);
    let session = session::start(COMMAND, typed, Default::default(), Vec::new(), &request.tags);
    let study = Sweep::new(session, search, plans, request.cooldown).map_err(|error| error.to_string())?;
    let mut study = Box::new(study);
    announce(study.runs(), study.at_most_ns());
    driver::drive(study.as_mut(), interrupts, &RunOptions::default(), &mut Progress::new(), &mut files);
    let target = first.map(|plan| session::target_of(&plan));
    let assessment = study.finish(&session::end(interrupts, target));
    let is_written = files.write(request, &assessment) & results.keep(&assessment);
    Ok(ExitCode::from(if is_written { exit::of(&assessment, interrupts) } else { exit::FAILED }))
}

/// Prints the number of runs and their time.
fn announce(runs: usize, at_most_ns: Option<u64>) {
    let time =
        at_most_ns.map_or_else(String::new, |ns| format!(", at most {} plus preparation", format::time_ns(ns as f64)));
    tell_line!("{runs} run{}{time}", if runs == 1 { "" } else { "s" });
}
