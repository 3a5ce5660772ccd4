//! Plans of a line of DiskSpd's, with switches set to the values of a point.

use diskspd::parse::{Events, Invocation};
use diskspd::profile::ResultFormat;
use diskspd::vary::with_switch;
use diskspd::{Request, parse};
use fio::parse::Printed;
use units::diagnostic::Diagnostic;

use super::points::Planned;
use crate::machine::RealMachine;

/// The switch of which a block size is made.
pub const BLOCK_SIZE: &str = "b";

pub fn plan(words: &[String], settings: &[(String, String)]) -> Result<Planned, Vec<Diagnostic>> {
    let words = settings.iter().fold(words.to_vec(), |words, (switch, value)| with_switch(&words, switch, value));
    match parse(&words, &RealMachine)? {
        Request::Run(invocation) => run(*invocation),
        Request::Print { text, status, warnings } => {
            Ok(Planned::Print { printed: Printed { stdout: text, stderr: String::new(), status }, warnings })
        }
        Request::SystemInformation(_) | Request::Signal { .. } => {
            Err(vec![Diagnostic::error("the line runs nothing that could be swept")])
        }
    }
}

fn run(invocation: Invocation) -> Result<Planned, Vec<Diagnostic>> {
    if invocation.events != Events::default() {
        let error = Diagnostic::error("named events (-y) are for single runs: a sweep makes many");
        return Err(vec![error.help("leave out the switches that begin with -y")]);
    }
    let lowered = diskspd::lower::lower(&invocation.profile, &invocation.command_line, &RealMachine)?;
    if !lowered.refused.is_empty() {
        return Err(lowered.refused);
    }
    let told = without_effect(&invocation);
    let warnings = invocation.warnings.into_iter().chain(lowered.warnings).chain(told);
    Ok(Planned::Run { plan: Box::new(lowered.plan), warnings: warnings.collect() })
}

/// What concerns DiskSpd's report, which a sweep has none of.
fn without_effect(invocation: &Invocation) -> Option<Diagnostic> {
    let profile = &invocation.profile;
    let given = [
        ("-R", profile.result_format == ResultFormat::Xml || !invocation.reports.is_empty()),
        ("-P", profile.progress > 0),
        ("-v", profile.verbose),
        ("-vs", profile.verbose_stats),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    let message = format!("a sweep has a report of its own, on which {} has no effect", given.join(", "));
    (!given.is_empty()).then(|| Diagnostic::warning(message).help("`fathom sweep --help` tells its options"))
}
