//! `fathom diskspd`: from the command line over the profile and its run to the reports and the exit code.

mod run;
mod signals;
mod watch;

use std::process::ExitCode;

use ::diskspd::parse::{Invocation, ReportFile, ReportKind, Request};
use ::diskspd::profile::ResultFormat;
use ::diskspd::render;
use record::Record;
use units::diagnostic::Diagnostic;

use crate::findings::show_plain as show;
use crate::kept;
use crate::machine::RealMachine;
use crate::output::print_and_flush;
use crate::saved;

/// DiskSpd's exit codes: what was asked for can't be, or it went wrong.
const REFUSED: u8 = 3;
const FAILED: u8 = 1;

pub fn main(words: &[String]) -> ExitCode {
    match ::diskspd::parse::parse(words, &RealMachine) {
        Ok(Request::Print { text, status, warnings }) => {
            show(&warnings);
            print(&text, status)
        }
        Ok(Request::SystemInformation(format)) => {
            let machine = engine::machine();
            let text = match format {
                ResultFormat::Text => render::system_text(&machine, crate::run::unix_ms()),
                ResultFormat::Xml => render::system_xml(&machine, crate::run::unix_ms()),
            };
            print(&text, 0)
        }
        Ok(Request::Signal { event, warnings }) => {
            show(&warnings);
            signals::signal(&event)
        }
        Ok(Request::Run(invocation)) => run(&invocation).unwrap_or_else(|code| code),
        Err(diagnostics) => {
            show(&diagnostics);
            ExitCode::from(REFUSED)
        }
    }
}

fn print(text: &str, status: u8) -> ExitCode {
    ExitCode::from(if print_and_flush(text) || status > 0 { status } else { FAILED })
}

fn run(invocation: &Invocation) -> Result<ExitCode, ExitCode> {
    show(&invocation.warnings);
    let mut files = Files::default();
    let record = run::run(&invocation.profile, &invocation.command_line, &invocation.events, |plan| {
        files = Files::open(&invocation.reports, plan).map_err(|message| {
            show(&[Diagnostic::error(format!("-R{message}"))]);
            ExitCode::from(REFUSED)
        })?;
        Ok(())
    })?;
    let kind = match invocation.profile.result_format {
        ResultFormat::Text => ReportKind::Text,
        ResultFormat::Xml => ReportKind::Xml,
    };
    let mut whole = report(&record, kind).is_some_and(|text| print_and_flush(&text));
    whole &= files.write(&record);
    let failed = record.failed();
    if !invocation.no_history {
        kept::keep_in_passing(record);
    }
    Ok(if whole && !failed { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn told(written: Result<(), String>) -> bool {
    if let Err(message) = &written {
        show(&[Diagnostic::error(format!("a report can't be written: {message}"))]);
    }
    written.is_ok()
}

/// The record as a text; what keeps it from being one is told.
fn report(record: &Record, kind: ReportKind) -> Option<String> {
    let made = match kind {
        ReportKind::Text => render::text(record),
        ReportKind::Xml => render::xml(record),
        ReportKind::Record => return None,
    };
    made.map_err(|diagnostics| show(&diagnostics)).ok()
}

/// The files that reports go to beside standard output.
#[derive(Default)]
struct Files {
    places: Vec<(ReportKind, saved::Place)>,
}

impl Files {
    fn open(files: &[ReportFile], plan: &plan::Plan) -> Result<Self, String> {
        for (nth, file) in files.iter().enumerate() {
            if let Some(other) = files[..nth].iter().find(|other| saved::are_one(&other.path, &file.path)) {
                return Err(format!(": {} and {} are the same file", other.path, file.path));
            }
        }
        let place = |file: &ReportFile| {
            let name = match file.kind {
                ReportKind::Text => "text",
                ReportKind::Xml => "xml",
                ReportKind::Record => "record",
            };
            let place = saved::Place::open(&file.path, plan).map_err(|message| format!("{name}={message}"))?;
            Ok((file.kind, place))
        };
        Ok(Files { places: files.iter().map(place).collect::<Result<_, String>>()? })
    }

    /// False where one of them could not be written, which is told.
    fn write(&self, record: &Record) -> bool {
        let mut whole = true;
        for (kind, place) in &self.places {
            let written = match kind {
                ReportKind::Record => place.save(record),
                kind => report(record, *kind).map_or(Ok(()), |text| place.save_text(&text)),
            };
            whole &= told(written);
        }
        whole
    }
}
