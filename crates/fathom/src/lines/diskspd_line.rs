//! Plans of a line of DiskSpd's, with switches set to the values of a point.

use diskspd::parse::{Events, Invocation};
use diskspd::profile::ResultFormat;
use diskspd::vary::with_switch;
use diskspd::{Request, parse};
use fio::parse::Output;
use units::diagnostic::Diagnostic;

use super::{Planned, without_effect};
use crate::machine::RealMachine;

/// The switch of which a block size is made.
pub const BLOCK_SIZE: &str = "b";

/// `command` is whose run it is: the word after `fathom`.
pub fn plan(words: &[String], settings: &[(String, String)], command: &str) -> Result<Planned, Vec<Diagnostic>> {
    let words = settings.iter().fold(words.to_vec(), |words, (switch, value)| with_switch(&words, switch, value));
    match parse(&words, &RealMachine)? {
        Request::Run(invocation) => run(*invocation, command),
        Request::Print { text, status, warnings } => {
            Ok(Planned::Print { printed: Output { stdout: text, stderr: String::new(), status }, warnings })
        }
        Request::SystemInformation(_) | Request::Signal { .. } => {
            Err(vec![Diagnostic::error("the line runs nothing that could be measured")])
        }
    }
}

fn run(invocation: Invocation, command: &str) -> Result<Planned, Vec<Diagnostic>> {
    if invocation.events != Events::default() {
        let error = Diagnostic::error(format!("named events (-y) are for single runs: `fathom {command}` makes many"));
        return Err(vec![error.help("leave out the switches that begin with -y")]);
    }
    let lowered = diskspd::lower::lower(&invocation.profile, &invocation.command_line, &RealMachine)?;
    if !lowered.refused.is_empty() {
        return Err(lowered.refused);
    }
    let told = without_effect(command, &report_options(&invocation));
    let warnings = invocation.warnings.into_iter().chain(lowered.warnings).chain(told);
    Ok(Planned::Run { plan: Box::new(lowered.plan), warnings: warnings.collect() })
}

/// What concerns DiskSpd's report, and whether it was given.
fn report_options(invocation: &Invocation) -> [(&'static str, bool); 4] {
    let profile = &invocation.profile;
    [
        ("-R", profile.result_format == ResultFormat::Xml || !invocation.reports.is_empty()),
        ("-P", profile.progress > 0),
        ("-v", profile.verbose),
        ("-vs", profile.verbose_stats),
    ]
}
