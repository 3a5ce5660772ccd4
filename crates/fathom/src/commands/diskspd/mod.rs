//! `fathom diskspd`: a DiskSpd command line, from its profile and run to the reports and the exit code.

use ::diskspd::parse::{Invocation, Messages, Request};
use ::diskspd::profile::ResultFormat;
use ::diskspd::render;
use units::diagnostic::Diagnostic;

use app::diskspd_report::{self, Files};
use app::diskspd_run::run::Ended;
use app::diskspd_run::{named_events, run};
use app::exit;
use app::exit::diskspd::{FAILED, REFUSED};
use app::findings::{self, print_diagnostics};
use app::live_views::LiveOptions;
use app::machine::RealMachine;
use app::new_runs;
use app::output::write_stdout;
use app::terminal::stderr_is_terminal;

pub fn main(args: &[String]) -> u8 {
    match ::diskspd::parse::parse(args, &RealMachine) {
        Ok(Request::Print { text, status, messages }) => {
            print_warnings(&messages);
            print(&text, status)
        }
        Ok(Request::SystemInformation(format)) => {
            let machine = engine::machine();
            let text = match format {
                ResultFormat::Text => render::system_text(&machine, app::run::unix_ms()),
                ResultFormat::Xml => render::system_xml(&machine, app::run::unix_ms()),
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
    let report = diskspd_report::text(&record, diskspd_report::kind(invocation.profile.result_format));
    let mut whole = report.is_some_and(|text| write_stdout(&text));
    whole &= files.write(&record);
    if shows_findings {
        findings::print(&record);
    }
    app::explain::print(&record);
    print_diagnostics(&errors);
    let failed = record.failed();
    if !invocation.no_history {
        new_runs::add_run_of_dialect(record, shows_findings);
    }
    Ok(if whole && !failed { exit::DONE } else { FAILED })
}
