//! `fathom sweep`: a line of either dialect, run once for each value of one or more options, and what they show.

mod fio_line;
mod points;
mod progress;
mod words;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use os::signal::Interrupts;
use plan::Plan;
use study::show::{Asked, Format, Ink, Report};
use study::{Metric, Sweep};
use units::diagnostic::Diagnostic;

use crate::fio::print_and_flush;
use crate::run;
use fio_line::FioLine;
use points::{Planned, Points};
use progress::Progress;
use words::{Dialect, ReportFormat, Stop, Words};

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
    eprintln!("{message}");
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
            Dialect::DiskSpd => Err(vec![Diagnostic::error("fathom doesn't run lines of DiskSpd yet")]),
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
            eprint!("{}", printed.stderr);
            ExitCode::from(printed.status)
        }
        Points::Refused(diagnostics) => {
            tell(&diagnostics);
            ExitCode::from(REFUSED)
        }
    }
}

fn tell(texts: &[String]) {
    texts.iter().for_each(|text| eprintln!("{text}"));
}

/// What the user meant by it: a study of block sizes is one of bandwidth.
fn metric(words: &Words) -> Metric {
    let is_block_size = |option: &str| match words.dialect {
        Dialect::Fio => fio_line::is_block_size(option),
        Dialect::DiskSpd => option == "b",
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
    let mut files = match Files::create(words) {
        Ok(files) => files,
        Err(message) => return refused(&format!("fathom sweep: {message}")),
    };
    let interrupts = match run::take_signals() {
        Ok(interrupts) => interrupts,
        Err(error) => return refused(&format!("fathom sweep: signals can't be handled: {error}")),
    };
    carry_out(words, &mut sweep, plans, metric, interrupts);
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
    let failed = !is_written || sweep.rows().iter().any(|row| row.failures() > 0);
    signal.map_or(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }, ExitCode::from)
}

/// Makes the runs, until there are no more or a signal comes.
fn carry_out(words: &Words, sweep: &mut Sweep, plans: &[Arc<Plan>], metric: Metric, interrupts: Interrupts) {
    let mut progress = Progress::new(sweep, metric, words.repeats);
    while let Some(turn) = sweep.next_turn() {
        progress.begin(sweep, turn);
        let outcome = run::run(&plans[turn.point], interrupts, None, &mut progress);
        if interrupts.count() > 0 {
            progress.interrupted();
            break;
        }
        let refusals: Vec<&str> = outcome.refused.iter().map(|error| error.message.as_str()).collect();
        let run = match refusals.is_empty() {
            true => sweep.take(turn, &outcome.record),
            false => sweep.take_failed(turn, refusals.join("; ")),
        };
        progress.end(run);
        let is_last = sweep.made() == sweep.len();
        if !is_last && interrupts.wait(0, words.cooldown) {
            break;
        }
    }
}

/// Where the report and the picture go.
struct Files {
    output: Option<(File, PathBuf)>,
    svg: Option<(File, PathBuf)>,
}

impl Files {
    fn create(words: &Words) -> Result<Files, String> {
        let create = |path: &Option<PathBuf>| {
            let Some(path) = path else { return Ok(None) };
            File::create(path).map(|file| Some((file, path.clone()))).map_err(|error| not_written(path, &error))
        };
        Ok(Files { output: create(&words.output)?, svg: create(&words.svg)? })
    }

    /// Writes both; false where one couldn't be.
    fn write(&mut self, words: &Words, report: &Report) -> bool {
        let ink = if words.output.is_some() || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
        let format = match words.format {
            ReportFormat::Text => Format::Text(ink),
            ReportFormat::Other(format) => format,
        };
        let text = report.write(format);
        let mut good = true;
        match &mut self.output {
            Some(output) => good &= fill(output, &text),
            None => print_and_flush(&text),
        }
        if let Some(svg) = &mut self.svg {
            good &= fill(svg, &report.svg());
        }
        // Where the report is for a program or kept, people get its sentence.
        if let Some(sentence) = report.sentence()
            && (words.output.is_some() || words.format != ReportFormat::Text)
        {
            eprintln!("{sentence}");
        }
        good
    }
}

fn fill((file, path): &mut (File, PathBuf), text: &str) -> bool {
    let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
    if let Err(error) = &written {
        eprintln!("fathom sweep: {}", not_written(path, error));
    }
    written.is_ok()
}

fn not_written(path: &Path, error: &io::Error) -> String {
    format!("{} can't be written: {error}", path.display())
}

/// As the environment says of the terminal.
fn writes_utf8() -> bool {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os).find(|said| !said.is_empty());
    let said = said.map(|said| said.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    said.contains("utf-8") || said.contains("utf8")
}
