//! `fathom sweep`: a line of either dialect, run once for each value of one or more options, and what they show.

mod diskspd_line;
pub mod files;
mod fio_line;
mod points;
mod progress;
mod words;

use std::process::ExitCode;
use std::sync::Arc;

use os::signal::Interrupts;
use plan::Plan;
use record::RunError;
use study::show::{Asked, Report};
use study::{Metric, Sweep};
use units::diagnostic::Diagnostic;

use crate::output::{print_and_flush, tell_line};
use crate::run;
use files::Files;
use fio_line::FioLine;
use points::{Planned, Points};
use progress::Progress;
use words::{Dialect, Stop, Words};

/// Nothing was run: the words make no sense.
const REFUSED: u8 = 2;
const FAILED: u8 = 1;

pub fn main(words: &[String]) -> ExitCode {
    match words::read(words) {
        Ok(words) => sweep(&words),
        Err(Stop::Help) => {
            print_and_flush(words::USAGE);
            ExitCode::SUCCESS
        }
        Err(Stop::Wrong(message)) => refused(&message),
    }
}

fn refused(message: &str) -> ExitCode {
    tell_line!("{message}");
    ExitCode::from(REFUSED)
}

fn sweep(words: &Words) -> ExitCode {
    let sweep = match Sweep::new(words.axes.clone(), words.repeats, words.order) {
        Ok(sweep) => sweep,
        Err(message) => return refused(&format!("fathom sweep: {message}")),
    };
    let fio_line = FioLine::new(&words.line);
    let plan_line = |settings: &[(String, String)]| -> Result<Planned, Vec<Diagnostic>> {
        match words.dialect {
            Dialect::Fio => fio_line.plan(settings),
            Dialect::DiskSpd => diskspd_line::plan(&words.line, settings),
        }
    };
    match points::plan(&sweep, &plan_line) {
        Points::Run { plans, warnings } => {
            tell(&warnings);
            run_all(words, sweep, &plans)
        }
        Points::Print { printed, warnings } => {
            tell(&warnings);
            print_and_flush(&printed.stdout);
            crate::output::tell(format_args!("{}", printed.stderr));
            ExitCode::from(printed.status)
        }
        Points::Refused(diagnostics) => {
            tell(&diagnostics);
            ExitCode::from(REFUSED)
        }
    }
}

fn tell(texts: &[String]) {
    texts.iter().for_each(|text| tell_line!("{text}"));
}

/// What the user meant by it: a study of block sizes is one of bandwidth.
fn metric(words: &Words) -> Metric {
    let is_block_size = |option: &str| match words.dialect {
        Dialect::Fio => fio_line::is_block_size(option),
        Dialect::DiskSpd => option == diskspd_line::BLOCK_SIZE,
    };
    let by_size = words.axes.iter().any(|axis| is_block_size(&axis.option));
    words.metric.unwrap_or(if by_size { Metric::Bandwidth } else { Metric::Iops })
}

fn run_all(words: &Words, mut sweep: Sweep, plans: &[Arc<Plan>]) -> ExitCode {
    let metric = metric(words);
    if !points::measures(plans, metric) {
        return refused(&format!(
            "fathom sweep: the line doesn't measure latency, which --metric {} is",
            metric.word()
        ));
    }
    // Found out now, not after an hour.
    let mut files = match Files::create(words, plans) {
        Ok(files) => files,
        Err(message) => return refused(&format!("fathom sweep: {message}")),
    };
    let interrupts = match run::take_signals() {
        Ok(interrupts) => interrupts,
        Err(error) => return refused(&format!("fathom sweep: signals can't be handled: {error}")),
    };
    let is_saved = carry_out(words, &mut sweep, plans, metric, interrupts, &files);
    let asked = Asked {
        dialect: words.dialect.name().to_owned(),
        line: words.line.clone(),
        repeats: words.repeats,
        order: words.order,
        metric,
        program: concat!("fathom ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let is_written = files.write(words, &Report::new(&asked, &sweep));
    let signal = interrupts.last().and_then(|signal| u8::try_from(128 + signal).ok());
    let failed = !is_saved || !is_written || sweep.rows().iter().any(|row| row.failures() > 0);
    signal.map_or(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }, ExitCode::from)
}

/// Makes the runs, until there are no more or a signal comes. False where a record couldn't be saved.
fn carry_out(
    words: &Words,
    sweep: &mut Sweep,
    plans: &[Arc<Plan>],
    metric: Metric,
    interrupts: Interrupts,
    files: &Files,
) -> bool {
    let mut progress = Progress::new(sweep, metric, words.repeats);
    progress.announce(at_most_ns(words, sweep, plans));
    let mut is_saved = true;
    while let Some(turn) = sweep.next_turn() {
        progress.begin(sweep, turn);
        let outcome = run::run(&plans[turn.point], interrupts, &run::Terms::default(), &mut progress);
        if interrupts.count() > 0 {
            progress.interrupted();
            break;
        }
        if !outcome.refused.is_empty() {
            let refusals: Vec<String> = outcome.refused.iter().map(RunError::plain).collect();
            progress.end(sweep.take_failed(turn, refusals.join("; ")));
            continue;
        }
        progress.end(sweep.take(turn, &outcome.record));
        for finding in judge::findings(&outcome.record) {
            sweep.remark(turn, &finding.what, &finding.to_string());
        }
        is_saved &= files.save(sweep, turn, &outcome.record);
        let is_last = sweep.made() == sweep.len();
        if !is_last && interrupts.wait(0, words.cooldown) {
            break;
        }
    }
    is_saved
}

/// All runs and the rests between them.
fn at_most_ns(words: &Words, sweep: &Sweep, plans: &[Arc<Plan>]) -> Option<u64> {
    let round = plans.iter().try_fold(0u64, |sum, plan| Some(sum.saturating_add(study::time::at_most_ns(plan)?)))?;
    let rests = words.cooldown.as_nanos().saturating_mul(sweep.len() as u128 - 1);
    let rests = u64::try_from(rests).unwrap_or(u64::MAX);
    Some(round.saturating_mul(words.repeats as u64).saturating_add(rests))
}
