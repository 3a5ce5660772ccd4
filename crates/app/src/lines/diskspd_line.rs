//! Plans of a DiskSpd command line, with switches set to the values of a point.

use diskspd::parse::{Events, Invocation};
use diskspd::profile::ResultFormat;
use diskspd::vary::with_switch;
use diskspd::{Request, parse};
use fio::parse::Output;
use units::diagnostic::Diagnostic;

use super::{Planned, without_effect};
use crate::machine::RealMachine;

/// The switch that sets the block size.
pub const BLOCK_SIZE: &str = "b";

/// Returns the plan of a line. `command` is the name of the command that makes the run.
///
/// # Errors
/// The errors of the dialect.
pub fn plan(args: &[String], settings: &[(String, String)], command: &str) -> Result<Planned, Vec<Diagnostic>> {
    let args = settings.iter().fold(args.to_vec(), |args, (switch, value)| with_switch(&args, switch, value));
    match parse(&args, &RealMachine)? {
        Request::Run(invocation) => run(*invocation, command),
        Request::Print { text, status, messages } => {
            let printed = Output { stdout: text, status, ..Output::default() };
            Ok(Planned::Print { printed, warnings: messages.into_warnings() })
        }
        Request::SystemInformation(_) | Request::Signal { .. } => {
            Err(vec![Diagnostic::error("the line has no run to measure")])
        }
    }
}

fn run(invocation: Invocation, command: &str) -> Result<Planned, Vec<Diagnostic>> {
    if invocation.events != Events::default() {
        let error =
            Diagnostic::error(format!("named events (-y) are for single runs, and `fathom {command}` makes several"));
        return Err(vec![error.help("remove the switches that begin with -y")]);
    }
    let lowered = diskspd::lower::lower(&invocation.profile, &invocation.args, &RealMachine)?;
    if !lowered.refused.is_empty() {
        return Err(lowered.refused);
    }
    let ignored = without_effect(command, &report_options(&invocation));
    let warnings = invocation.messages.into_warnings().into_iter().chain(lowered.warnings).chain(ignored);
    Ok(Planned::Run { plan: Box::new(lowered.plan), warnings: warnings.collect() })
}

/// Returns the switches for DiskSpd's report, and whether they were given.
fn report_options(invocation: &Invocation) -> [(&'static str, bool); 4] {
    let profile = &invocation.profile;
    [
        ("-R", profile.result_format == ResultFormat::Xml || !invocation.reports.is_empty()),
        ("-P", profile.progress > 0),
        ("-v", profile.verbose),
        ("-vs", profile.verbose_stats),
    ]
}
