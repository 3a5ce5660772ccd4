//! `fathom fio`: a fio command line, from its plan and run to the reports and the exit code.

use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use ::fio::Request;
use ::fio::parse::Invocation;
use plan::Plan;
use study::run::Refusal;
use study::single::Single;
use study::{Outcome, Session};
use targets::OutputGuard;
use units::diagnostic::Diagnostic;
use units::when::When;

use app::atomic_file::{AtomicFile, is_same_file};
use app::driver::{self, NoKeeper};
use app::exit;
use app::findings::print_diagnostics;
use app::fio_run::self_test;
use app::fio_run::watch::Watch;
use app::live_views::{LiveOptions, LiveViews};
use app::machine::RealMachine;
use app::output::{Output, stderr_line, write_stderr, write_stdout};
use app::reports::Reports;
use app::run::RunOptions;
use app::runner::{Runner, ThisMachine};
use app::terminal::stderr_is_terminal;
use app::{new_runs, signals};

pub fn main(args: &[String]) -> u8 {
    match ::fio::parse(args, &RealMachine) {
        Ok(Request::Print { output, warnings, own_warnings, findings }) => {
            print_warnings(&warnings, &own_warnings, findings);
            if let Some(path) = &output.log {
                return print_log(path);
            }
            if let Some(test) = &output.self_test {
                return self_test::run(test);
            }
            let is_written = write_stdout(&output.stdout);
            write_stderr(format_args!("{}", output.stderr));
            if is_written { output.status } else { output.status.max(exit::fio::FAILED) }
        }
        Ok(Request::Run(invocation)) => {
            print_warnings(&invocation.warnings, &invocation.own_warnings, invocation.program.findings);
            run(*invocation).unwrap_or_else(|message| {
                stderr_line!("fio: {message}");
                exit::fio::FAILED
            })
        }
        Err(diagnostics) => {
            print_diagnostics(&diagnostics);
            exit::fio::FAILED
        }
    }
}

/// Prints a compressed log and returns the exit code.
fn print_log(path: &str) -> u8 {
    let printed = std::fs::File::open(path).and_then(|log| {
        let mut text = BufWriter::new(std::io::stdout().lock());
        ::fio::write_log_text(BufReader::new(log), &mut text)?;
        text.flush()
    });
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let reason = units::errno::reason(&error);
            stderr_line!("fio: --inflate-log={}: {reason}", units::markup::one_line(path));
            exit::fio::FAILED
        }
        _ => exit::DONE,
    }
}

/// Prints the warnings of a command line. Scripts take any text on standard error for a failure: warnings that fio does
/// not have are for people.
fn print_warnings(warnings: &[Diagnostic], own_warnings: &[Diagnostic], findings: When) {
    let own_warnings = if findings.applies(stderr_is_terminal) { own_warnings } else { &[] };
    print_diagnostics(&[warnings, own_warnings].concat());
}

/// Runs the plan and returns the exit code.
fn run(invocation: Invocation) -> Result<u8, String> {
    let live = LiveOptions::of_dialect(
        false,
        invocation.program.live.watch,
        ("--metrics", invocation.program.live.metrics.as_deref()),
    )?;
    live.check("--watch")?;
    let plan = Arc::new(::fio::lower(&invocation, &RealMachine));
    let (output, record_file, reports) = open_files(&invocation, &plan)?;
    let interrupts = signals::install()?;
    let mut watch = Watch::new(&invocation.program, output, interrupts);
    watch.begin(&plan);
    let snapshot_every = watch.snapshot_every();
    let options = RunOptions {
        snapshot_every,
        traces_ios: watch.traces_ios(),
        explain: watch.explain(),
        ..RunOptions::default()
    };
    let mut study = Single::new(Session::default(), plan);
    let mut display = LiveViews::open(&mut watch, &live, ThisMachine.fleet())?;
    driver::drive(&mut study, (&ThisMachine, interrupts), &options, &mut display, &mut NoKeeper);
    drop(display);
    let (code, record) = match study.into_outcome() {
        Some(Outcome::Completed { record, .. } | Outcome::Interrupted(record)) => (watch.finish(&record), record),
        Some(Outcome::Refused(Refusal { errors, record: Some(mut record), .. })) => {
            (watch.refused(&mut record, &errors), record)
        }
        // A signal arrived before the run.
        _ => return Ok(watch.interrupted()),
    };
    let saved = record_file.map_or(Ok(()), |file| {
        let text = record::schema::write(&record).map_err(|error| error.to_string())?;
        Ok::<_, String>(file.write(text.as_bytes())?)
    });
    let code = match saved {
        Ok(()) => code,
        Err(message) => {
            stderr_line!("fio: the record can't be written: {message}");
            // The code of a failed run has priority.
            if code == exit::DONE { exit::fio::FAILED } else { code }
        }
    };
    let code = if reports.save_record(&record) || code != exit::DONE { code } else { exit::fio::FAILED };
    if !invocation.program.no_history {
        new_runs::add_run_of_dialect(*record, invocation.program.findings.applies(stderr_is_terminal));
    }
    Ok(code)
}

/// Opens the files of `--output`, `--record` and `--report`.
fn open_files(invocation: &Invocation, plan: &Plan) -> Result<(Output, Option<AtomicFile>, Reports), String> {
    let (output, record) = (invocation.program.output.as_deref(), invocation.program.record.as_deref());
    if let (Some(output), Some(record)) = (output, record)
        && is_same_file(output, record)
    {
        return Err(format!("--output and --record name the same file: {record}"));
    }
    let mut guard = OutputGuard::new([plan]);
    let output = Output::open(output, &mut guard).map_err(|error| format!("--output={error}"))?;
    let record = record.map(|path| AtomicFile::open(Path::new(path), &mut guard)).transpose();
    let record = record.map_err(|error| format!("--record={error}"))?;
    let reports = Reports::open(&invocation.program.reports, &mut guard).map_err(|error| error.to_string())?;
    Ok((output, record, reports))
}
