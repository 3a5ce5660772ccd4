//! `fathom diskspd`: a DiskSpd command line, from its profile and run to the reports and the exit code.

mod named_events;
mod run;
mod watch;

use std::path::Path;

use ::diskspd::parse::{Invocation, Messages, ReportFile, ReportKind, Request};
use ::diskspd::profile::ResultFormat;
use ::diskspd::render;
use engine::OutputGuard;
use record::Record;
use units::diagnostic::Diagnostic;

use crate::atomic_file::{AtomicFile, is_same_file};
use crate::exit;
use crate::exit::diskspd::{FAILED, REFUSED};
use crate::findings::{self, print_diagnostics};
use crate::live_views::LiveOptions;
use crate::machine::RealMachine;
use crate::output::write_stdout;
use crate::store;
use crate::terminal::stderr_is_terminal;
use run::Ended;

pub fn main(args: &[String]) -> u8 {
    match ::diskspd::parse::parse(args, &RealMachine) {
        Ok(Request::Print { text, status, messages }) => {
            print_warnings(&messages);
            print(&text, status)
        }
        Ok(Request::SystemInformation(format)) => {
            let machine = engine::machine();
            let text = match format {
                ResultFormat::Text => render::system_text(&machine, crate::run::unix_ms()),
                ResultFormat::Xml => render::system_xml(&machine, crate::run::unix_ms()),
            };
            print(&text, exit::DONE)
        }
        Ok(Request::Signal { event, messages }) => {
            print_warnings(&messages);
            named_events::signal(&event)
        }
        Ok(Request::Run(invocation)) => run(&invocation).unwrap_or_else(|code| code),
        Err(diagnostics) => {
            print_diagnostics(&diagnostics);
            REFUSED
        }
    }
}

/// Prints the warnings of a command line. Scripts take any text on standard error for a failure: warnings that DiskSpd
/// does not have are for people.
fn print_warnings(messages: &Messages) {
    let own = if messages.findings.applies(stderr_is_terminal) { &messages.own_warnings[..] } else { &[] };
    print_diagnostics(&[own, &messages.warnings[..]].concat());
}

fn print(text: &str, status: u8) -> u8 {
    if write_stdout(text) || status > 0 { status } else { FAILED }
}

fn run(invocation: &Invocation) -> Result<u8, u8> {
    print_warnings(&invocation.messages);
    // The dots of -P are progress, too.
    let metrics = ("-Rmetrics", invocation.metrics.as_deref());
    let live = LiveOptions::of_dialect(invocation.profile.progress == 0, invocation.watch, metrics);
    let live = live.and_then(|live| live.check("-Rwatch").map(|()| live)).map_err(|message| {
        print_diagnostics(&[Diagnostic::error(message)]);
        REFUSED
    })?;
    let mut files = Files::default();
    let shows_findings = invocation.messages.findings.applies(stderr_is_terminal);
    let Ended { record, errors } = run::run(invocation, &live, shows_findings, |plan| {
        files = Files::open(&invocation.reports, plan).map_err(|message| {
            print_diagnostics(&[Diagnostic::error(format!("-R{message}"))]);
            REFUSED
        })?;
        Ok(())
    })?;
    let kind = match invocation.profile.result_format {
        ResultFormat::Text => ReportKind::Text,
        ResultFormat::Xml => ReportKind::Xml,
    };
    let mut whole = report(&record, kind).is_some_and(|text| write_stdout(&text));
    whole &= files.write(&record);
    if shows_findings {
        findings::print(&record);
    }
    print_diagnostics(&errors);
    let failed = record.failed();
    if !invocation.no_history {
        store::add_run_of_dialect(record, shows_findings);
    }
    Ok(if whole && !failed { exit::DONE } else { FAILED })
}

/// Prints an error. Returns false after one.
fn is_written(written: Result<(), String>) -> bool {
    if let Err(message) = &written {
        print_diagnostics(&[Diagnostic::error(format!("a report can't be written: {message}"))]);
    }
    written.is_ok()
}

/// Returns the record as a text. Prints why a report cannot show it.
fn report(record: &Record, kind: ReportKind) -> Option<String> {
    let made = match kind {
        ReportKind::Text => render::text(record),
        ReportKind::Xml => render::xml(record),
        ReportKind::Record => return None,
    };
    made.map_err(|diagnostics| print_diagnostics(&diagnostics)).ok()
}

/// The files of `-R`.
#[derive(Default)]
struct Files {
    list: Vec<(ReportKind, AtomicFile)>,
}

impl Files {
    fn open(files: &[ReportFile], plan: &plan::Plan) -> Result<Self, String> {
        for (nth, file) in files.iter().enumerate() {
            if let Some(other) = files[..nth].iter().find(|other| is_same_file(&other.path, &file.path)) {
                return Err(format!(": {} and {} are the same file", other.path, file.path));
            }
        }
        let mut guard = OutputGuard::new([plan]);
        let open = |file: &ReportFile| {
            let name = match file.kind {
                ReportKind::Text => "text",
                ReportKind::Xml => "xml",
                ReportKind::Record => "record",
            };
            let opened = AtomicFile::open(Path::new(&file.path), &mut guard);
            Ok((file.kind, opened.map_err(|error| format!("{name}={error}"))?))
        };
        Ok(Files { list: files.iter().map(open).collect::<Result<_, String>>()? })
    }

    /// Writes all files. Prints an error and returns false if one cannot be written.
    fn write(&self, record: &Record) -> bool {
        let mut all_written = true;
        for (kind, file) in &self.list {
            let text = match kind {
                ReportKind::Record => record::schema::write(record).map(Some).map_err(|error| error.to_string()),
                kind => Ok(report(record, *kind)),
            };
            let written = text.and_then(|text| text.map_or(Ok(()), |text| Ok(file.write(text.as_bytes())?)));
            all_written &= is_written(written);
        }
        all_written
    }
}
