//! A single run in any report of either dialect.

use ::fio::render::{self as fio_report, Formats, ReportOptions};
use plan::Ddir;
use record::{Message, Record};

use super::request::{Request, RunReport};
use crate::findings;
use crate::output::{tell, tell_line};

/// The report as it was printed after the run; what was printed on standard error beside it goes there again.
pub fn show(record: &Record, form: RunReport, request: &Request) -> Result<String, String> {
    let told = |result: Result<String, Vec<units::diagnostic::Diagnostic>>| {
        result.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    let options = ReportOptions {
        now_unix_ms: record.ended_unix_ms,
        utc_offset_s: record.utc_offset_s,
        terse_version: request.terse_version.unwrap_or(ReportOptions::default().terse_version),
        ..ReportOptions::default()
    };
    match form {
        RunReport::Fio => {}
        RunReport::FioTerse | RunReport::FioJson(_) => repeat_warnings(record),
        RunReport::DiskSpd | RunReport::DiskSpdXml => {
            findings::repeat_diskspd_warnings(record);
            tell_of_trims(record);
        }
    }
    let none = Formats { normal: false, json: None, terse: false };
    match form {
        RunReport::Fio => {
            let report = fio_report::report(record, Formats { normal: true, ..none }, &options);
            let text = beginning(record, request.output.is_some()) + &report;
            findings::tell(record);
            Ok(text)
        }
        RunReport::FioTerse => Ok(fio_report::report(record, Formats { terse: true, ..none }, &options)),
        RunReport::FioJson(detail) => Ok(fio_report::report(record, Formats { json: Some(detail), ..none }, &options)),
        RunReport::DiskSpd => told(::diskspd::render::text(record)),
        RunReport::DiskSpdXml => told(::diskspd::render::xml(record)),
    }
}

/// What stands above fio's report for people: the jobs, and what was told while they ran.
fn beginning(record: &Record, to_file: bool) -> String {
    let mut text = fio_report::banner(&record.plan, &record.fathom);
    for message in &record.messages {
        let line = message.text();
        text += line;
        text.push('\n');
    }
    for worker in &record.workers {
        let Some(error) = &worker.error else { continue };
        let message = fio_report::error_message(error);
        tell(format_args!("{message}"));
        if to_file {
            text += &message;
        }
        // A run that was refused has no threads to tell of.
        if let Some(started) = worker.started {
            text += &fio_report::error_line(started.tid, error);
        }
    }
    text
}

/// DiskSpd's reports have tables of reads, of writes, and of all I/O.
fn tell_of_trims(record: &Record) {
    let trims: u64 = record.workers.iter().map(|worker| worker.stats.ddirs[Ddir::Trim as usize].ios).sum();
    if trims > 0 {
        tell_line!(
            "fathom: DiskSpd knows no trims: the {trims} of this run are in the figures of all I/O, and in no others"
        );
    }
}

/// Reports for machines have no room for them.
fn repeat_warnings(record: &Record) {
    for message in &record.messages {
        if let Message::Warning(line) = message {
            tell_line!("{line}");
        }
    }
    for worker in &record.workers {
        if let Some(error) = &worker.error {
            tell(format_args!("{}", fio_report::error_message(error)));
        }
    }
}
