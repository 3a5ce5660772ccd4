//! A command line of fio on many hosts, and its reports.

use std::path::Path;
use std::sync::Arc;

use ::fio::parse::Invocation;
use ::fio::{Request, render};
use ::fleet::Job;
use plan::Dialect;
use record::schema;
use targets::OutputGuard;
use units::when::When;

use super::job::Recorder;
use super::reports::{Opened, Reports, reject};
use crate::atomic_file::AtomicFile;
use crate::command_error::CommandError;
use crate::findings::print_diagnostics;
use crate::fio_report;
use crate::live_views::LiveOptions;
use crate::machine::RealMachine;
use crate::output::{Output, stderr_line, write_stdout};
use crate::terminal::stderr_is_terminal;

/// Parses the command line. Returns `None` if the line requests only
/// a text, for example `--help`. The text is printed.
///
/// # Errors
/// The line is not valid, or has an option that is not supported on many hosts.
pub fn parse(args: &[String]) -> Result<Option<(Box<Invocation>, Job)>, CommandError> {
    let recorder = Recorder::default();
    let invocation = match ::fio::parse(args, &recorder)? {
        Request::Run(invocation) => invocation,
        Request::Print { output, warnings, .. } => {
            print_diagnostics(&warnings);
            write_stdout(&output.stdout);
            return Ok(None);
        }
    };
    print_diagnostics(&invocation.warnings);
    check(&invocation)?;
    Ok(Some((invocation, recorder.into_job(Dialect::Fio, args))))
}

/// Parses the command line, opens its files, and prints the jobs. Returns `None` if the line requests only
/// a text, for example `--help`. The text is printed.
///
/// # Errors
/// As [`parse`], or a file cannot be written.
pub fn open(args: &[String]) -> Result<Option<Opened>, CommandError> {
    let Some((invocation, job)) = parse(args)? else { return Ok(None) };
    let plan = Arc::new(::fio::lower(&invocation, &RealMachine));
    let program = invocation.program;
    let (watches, metrics) = (program.live.watch, program.live.metrics.as_deref());
    let live = LiveOptions::of_dialect(program.eta != When::Never, watches, ("--metrics", metrics))?;
    live.check("--watch")?;
    let mut guard = OutputGuard::new([plan.as_ref()]);
    let mut output =
        Output::open(program.output.as_deref(), &mut guard).map_err(|error| format!("--output={error}"))?;
    let saved = program.record.as_deref().map(|path| AtomicFile::open(Path::new(path), &mut guard)).transpose();
    let saved = saved.map_err(|error| format!("--record={error}"))?;
    if program.formats.normal {
        output.write(&render::banner(&plan, env!("CARGO_PKG_VERSION")));
    }
    let pages = crate::reports::Reports::open(&program.reports, &mut guard)?;
    let reports = Reports {
        shows_findings: program.findings.applies(|| program.formats.normal && stderr_is_terminal()),
        keeps_history: !program.no_history,
        write: Box::new(move |record| {
            output.write(&fio_report::text(record, &program, Some(0)));
            let mut is_written = output.finish();
            if let Some(file) = &saved {
                let text = schema::write(record).map_err(|error| error.to_string());
                if let Err(error) = text.and_then(|text| Ok(file.write(text.as_bytes())?)) {
                    stderr_line!("error: the record can't be written: {error}");
                    is_written = false;
                }
            }
            pages.save_record(record) && is_written
        }),
    };
    Ok(Some(Opened { reports, job, plan, live }))
}

fn check(invocation: &Invocation) -> Result<(), CommandError> {
    let program = &invocation.program;
    reject(&[(program.status_interval.is_some(), "--status-interval"), (!program.debug.is_empty(), "--debug")])
}
