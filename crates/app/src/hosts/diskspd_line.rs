//! A command line of DiskSpd on many hosts, and its reports: the threads of all hosts are the threads of one run.

use std::sync::Arc;

use ::diskspd::Request;
use ::diskspd::parse::{Events, Invocation, ReportKind};
use ::fio::render;
use ::fleet::Job;
use plan::Dialect;
use record::Record;

use super::job::Recorder;
use super::reports::{Opened, Reports, reject};
use crate::command_error::CommandError;
use crate::diskspd_report::{self, Files};
use crate::findings::print_diagnostics;
use crate::live_views::LiveOptions;
use crate::machine::RealMachine;
use crate::output::write_stdout;
use crate::terminal::stderr_is_terminal;

/// Parses the command line. Returns `None` if the line requests only
/// a text, for example `--help`. The text is printed.
///
/// # Errors
/// The line is not valid, or has a switch that is not supported on many hosts.
pub fn parse(args: &[String]) -> Result<Option<(Invocation, Job)>, CommandError> {
    let recorder = Recorder::default();
    let invocation = match ::diskspd::parse(args, &recorder)? {
        Request::Run(invocation) => *invocation,
        Request::Print { text, messages, .. } => {
            print_diagnostics(&messages.into_warnings());
            write_stdout(&text);
            return Ok(None);
        }
        Request::SystemInformation(_) | Request::Signal { .. } => {
            return Err("the command line defines no I/O".to_owned().into());
        }
    };
    print_diagnostics(&invocation.messages.warnings);
    reject(&[(invocation.events != Events::default(), "named events (-y)"), (invocation.profile.progress > 0, "-P")])?;
    Ok(Some((invocation, recorder.into_job(Dialect::DiskSpd, args))))
}

/// Parses the command line and opens its files. Returns `None` if the line requests only
/// a text, for example `--help`. The text is printed.
///
/// # Errors
/// As [`parse`], or a file cannot be written.
pub fn open(args: &[String]) -> Result<Option<Opened>, CommandError> {
    let Some((invocation, job)) = parse(args)? else { return Ok(None) };
    let live = LiveOptions::of_dialect(true, invocation.watch, ("-Rmetrics", invocation.metrics.as_deref()))?;
    live.check("-Rwatch")?;
    let lowered = ::diskspd::lower::lower(&invocation.profile, &invocation.args, &RealMachine)?;
    let files = Files::open(&invocation.reports, &lowered.plan).map_err(|message| format!("-R{message}"))?;
    let kind = diskspd_report::kind(invocation.profile.result_format);
    let write = move |record: &Record| {
        let hosts = if kind == ReportKind::Text { render::hosts(record) } else { String::new() };
        let text = diskspd_report::text(record, kind);
        text.is_some_and(|text| write_stdout(&(text + &hosts))) & files.write(record)
    };
    let reports = Reports {
        write: Box::new(write),
        shows_findings: invocation.messages.findings.applies(stderr_is_terminal),
        keeps_history: !invocation.no_history,
    };
    Ok(Some(Opened { reports, job, plan: Arc::new(lowered.plan), live }))
}
