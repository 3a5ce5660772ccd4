//! `fathom sweep`: a line of either dialect, run once for each value of one or more options, and what they show.

mod files;
mod page;
mod points;
pub mod request;

use std::process::ExitCode;
use std::sync::Arc;

use assessment::Metric;
use os::signal::Interrupts;
use plan::Plan;
use record::Record;
use study::show::{Asked, Report};
use study::{Sweep, Turn};
use units::diagnostic::Diagnostic;

use crate::exit;
use crate::kept;
use crate::lines::fio_line::{self, FioLine};
use crate::lines::{Dialect, Planned, diskspd_line};
use crate::output::{print_and_flush, tell_line};
use crate::reports::Reports;
use crate::run::{self, Watcher};
use crate::series::progress::Progress;
use crate::series::{self, Series};
use files::Files;
use page::Kept;
use points::Points;
use request::Request;

/// What is run by this command says so.
const COMMAND: &str = "sweep";

fn refused(message: &str) -> ExitCode {
    tell_line!("{message}");
    ExitCode::from(exit::REFUSED)
}

pub fn main(request: &Request, typed: &[String]) -> ExitCode {
    let sweep = match Sweep::new(request.axes.clone(), request.repeats, request.order) {
        Ok(sweep) => sweep,
        Err(message) => return refused(&format!("fathom sweep: {message}")),
    };
    let fio_line = FioLine::new(&request.line, COMMAND);
    let plan_line = |settings: &[(String, String)]| -> Result<Planned, Vec<Diagnostic>> {
        match request.dialect {
            Dialect::Fio => fio_line.plan(settings),
            Dialect::DiskSpd => diskspd_line::plan(&request.line, settings, COMMAND),
        }
    };
    match points::plan(&sweep, &plan_line) {
        Points::Run { plans, warnings } => {
            tell(&warnings);
            run_all(request, typed, sweep, &plans)
        }
        Points::Print { printed, warnings } => {
            tell(&warnings);
            print_and_flush(&printed.stdout);
            crate::output::tell(format_args!("{}", printed.stderr));
            ExitCode::from(printed.status)
        }
        Points::Refused(diagnostics) => {
            tell(&diagnostics);
            ExitCode::from(exit::REFUSED)
        }
    }
}

fn tell(texts: &[String]) {
    texts.iter().for_each(|text| tell_line!("{text}"));
}

/// What the user meant by it: a study of block sizes is one of bandwidth.
fn metric(request: &Request) -> Metric {
    let is_block_size = |option: &str| match request.dialect {
        Dialect::Fio => fio_line::is_block_size(option),
        Dialect::DiskSpd => option == diskspd_line::BLOCK_SIZE,
    };
    let by_size = request.axes.iter().any(|axis| is_block_size(&axis.option));
    request.metric.unwrap_or(if by_size { Metric::BANDWIDTH } else { Metric::IOPS })
}

fn run_all(request: &Request, typed: &[String], mut sweep: Sweep, plans: &[Arc<Plan>]) -> ExitCode {
    let metric = metric(request);
    if !points::measures(plans, metric) {
        return refused(&format!("fathom sweep: the line doesn't measure latency, which --metric {} is", metric));
    }
    // Found out now, not after an hour.
    let mut files = match Files::create(request, plans) {
        Ok(files) => files,
        Err(message) => return refused(&format!("fathom sweep: {message}")),
    };
    let of_plans: Vec<&Plan> = plans.iter().map(Arc::as_ref).collect();
    let reports = match Reports::open(&request.reports, &of_plans) {
        Ok(reports) => reports,
        Err(message) => return refused(&format!("fathom sweep: {message}")),
    };
    let mut kept = (request.in_history || !request.reports.is_empty()).then(|| Kept::new(typed));
    let interrupts = match run::take_signals() {
        Ok(interrupts) => interrupts,
        Err(error) => return refused(&format!("fathom sweep: signals can't be handled: {error}")),
    };
    let is_saved = carry_out(request, &mut sweep, plans, metric, interrupts, &files, &mut kept);
    let asked = Asked {
        dialect: request.dialect.name().to_owned(),
        line: request.line.clone(),
        repeats: request.repeats,
        order: request.order,
        metric,
        program: concat!("fathom ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let report = Report::new(&asked, &sweep);
    let mut is_written = files.write(request, &report);
    if let Some(kept) = kept {
        let sentence = report.sentence().map(str::to_owned);
        let assessment = kept.assessment(request, &sweep, metric, sentence, interrupts.count() > 0);
        let (told, failed) = reports.save(&assessment);
        told.iter().chain(&failed).for_each(|line| tell_line!("{line}"));
        is_written &= failed.is_empty();
        if request.in_history {
            kept::keep_study(COMMAND, assessment);
        }
    }
    let signal = interrupts.last().and_then(|signal| u8::try_from(128 + signal).ok());
    let failed = !is_saved || !is_written || sweep.rows().iter().any(|row| row.failures() > 0);
    signal.map_or(if failed { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS }, ExitCode::from)
}

/// Makes the runs, until there are no more or a signal comes. False where a record couldn't be saved.
fn carry_out(
    request: &Request,
    sweep: &mut Sweep,
    plans: &[Arc<Plan>],
    metric: Metric,
    interrupts: Interrupts,
    files: &Files,
    kept: &mut Option<Kept>,
) -> bool {
    let progress = Progress::new(sweep.len(), metric, request.repeats);
    progress.announce(series::at_most_ns(plans, request.repeats, request.cooldown));
    let mut runs = Runs { sweep, progress, files, kept, is_saved: true };
    series::carry_out(plans, request.cooldown, interrupts, &mut runs);
    runs.is_saved
}

/// What becomes of the runs.
struct Runs<'a> {
    sweep: &'a mut Sweep,
    progress: Progress,
    files: &'a Files,
    /// For reports with charts, and the history.
    kept: &'a mut Option<Kept>,
    is_saved: bool,
}

impl Series for Runs<'_> {
    fn next_turn(&mut self) -> Option<Turn> {
        self.sweep.next_turn()
    }

    fn begin(&mut self, turn: Turn) -> bool {
        self.progress.begin(&self.sweep.points()[turn.point].name(), turn.repeat);
        true
    }

    fn watcher(&mut self) -> &mut dyn Watcher {
        &mut self.progress
    }

    fn interrupted(&mut self) {
        self.progress.interrupted();
    }

    fn refused(&mut self, turn: Turn, reason: String) {
        if let Some(kept) = self.kept {
            kept.take_refused(reason.clone());
        }
        self.progress.end(self.sweep.take_failed(turn, reason));
    }

    fn ended(&mut self, turn: Turn, record: Record) {
        self.progress.end(self.sweep.take(turn, &record));
        let findings = judge::findings(&record);
        for finding in &findings {
            self.sweep.remark(turn, &finding.what, &finding.to_string());
        }
        self.is_saved &= self.files.save(self.sweep, turn, &record);
        if let Some(kept) = self.kept {
            kept.take(&self.sweep.points()[turn.point].settings, record, findings);
        }
    }
}
