//! A saved run in any report of either dialect.

use fio::render::{self as fio_report, Analysis, Detail, Formats, ReportOptions};
use plan::{Ddir, Origin};
use record::{Message, Record};
use report::wording;

use crate::command_error::CommandError;
use crate::findings;
use crate::output::{stderr_line, write_stderr};

/// Report of a single run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunReport {
    Fio,
    FioTerse,
    FioJson(Detail),
    DiskSpd,
    DiskSpdXml,
}

/// How a report is written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Layout of fio's terse report; `None`: the current one.
    pub terse_version: Option<u8>,
    pub to_file: bool,
}

/// Returns the normal report of the run's dialect.
pub fn default_report(record: &Record) -> RunReport {
    match record.plan.origin {
        Origin::Fio(_) => RunReport::Fio,
        Origin::DiskSpd { .. } => RunReport::DiskSpd,
    }
}

/// Returns the report as it was printed after the run. Messages of the run go to standard error again.
///
/// # Errors
/// The report cannot show the run.
pub fn show(record: &Record, form: RunReport, style: Style) -> Result<String, CommandError> {
    let options = ReportOptions {
        now_unix_ms: record.ended_unix_ms,
        utc_offset_s: record.utc_offset_s,
        terse_version: style.terse_version.unwrap_or(ReportOptions::default().terse_version),
        ..ReportOptions::default()
    };
    match form {
        RunReport::Fio => {}
        RunReport::FioTerse | RunReport::FioJson(_) => replay_warnings(record),
        RunReport::DiskSpd | RunReport::DiskSpdXml => {
            findings::replay_diskspd_warnings(record);
            warn_of_trims(record);
        }
    }
    let none = Formats { normal: false, json: None, terse: false };
    match form {
        RunReport::Fio => {
            let report = fio_report::report(record, Formats { normal: true, ..none }, &options, &Analysis::NONE);
            let text = beginning(record, style.to_file) + &report;
            findings::print(record);
            Ok(text)
        }
        RunReport::FioTerse => {
            Ok(fio_report::report(record, Formats { terse: true, ..none }, &options, &Analysis::NONE))
        }
        RunReport::FioJson(detail) => {
            let findings = findings::described(record);
            let formats = Formats { json: Some(detail), ..none };
            Ok(fio_report::report(record, formats, &options, &findings::analysis(&findings)))
        }
        RunReport::DiskSpd => Ok(diskspd::render::text(record)?),
        RunReport::DiskSpdXml => Ok(diskspd::render::xml(record)?),
    }
}

/// Returns the text above fio's normal report: the jobs, and the messages of the run.
fn beginning(record: &Record, to_file: bool) -> String {
    let mut text = fio_report::banner(&record.plan, &record.fathom);
    for message in &record.messages {
        text += &wording::run_message(message.kind(), record.plan.origin.dialect());
        text.push('\n');
    }
    for worker in &record.workers {
        let Some(error) = &worker.error else { continue };
        let message = fio_report::error_message(error);
        write_stderr(format_args!("{message}"));
        if to_file {
            text += &message;
        }
        // A run that was refused has no threads.
        if let Some(started) = worker.started {
            text += &fio_report::error_line(started.tid, error);
        }
    }
    text
}

/// DiskSpd's reports have tables of reads, writes and all I/Os.
fn warn_of_trims(record: &Record) {
    let trims: u64 = record.workers.iter().map(|worker| worker.stats.ddirs[Ddir::Trim as usize].ios).sum();
    if trims > 0 {
        stderr_line!(
            "note: DiskSpd's reports have no trims: the {trims} trims of this run are only in the figures of all I/Os"
        );
    }
}

/// Prints the messages again: reports for programs do not contain them.
fn replay_warnings(record: &Record) {
    for message in &record.messages {
        if let Message::Warning(kind) = message {
            stderr_line!("{}", wording::run_message(kind, record.plan.origin.dialect()));
        }
    }
    for worker in &record.workers {
        if let Some(error) = &worker.error {
            stderr_line!("fio: {}", wording::run_error(error, record.plan.origin.dialect()));
        }
    }
}
