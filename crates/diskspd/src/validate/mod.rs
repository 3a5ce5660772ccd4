//! Whether what a profile asks for goes together: the rules of command lines and XML profiles alike.
//!
//! All that is wrong is found, not only the first of it. What this machine hasn't got is [`crate::lower`]'s matter: a
//! profile may be printed anywhere.

mod distribution;
mod target;
mod time_span;

use units::diagnostic::{Diagnostic, Level};

use crate::profile::Profile;

/// I/Os that a thread has outstanding, or hands over at once.
pub const REQUESTS_MAX: u32 = 65536;

/// Something about a profile that its author has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub level: Level,
    pub message: String,
    pub help: String,
    /// The switches that would ask for it on a command line, the one to show first.
    pub switches: &'static [&'static str],
    pub place: Place,
}

/// Counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub time_span: usize,
    pub target: Option<usize>,
}

impl Finding {
    /// Without a place: that is in a text which we haven't got.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.level, self.message.as_str());
        if self.help.is_empty() { diagnostic } else { diagnostic.help(self.help.as_str()) }
    }
}

/// What was found so far, and where we are.
struct Findings {
    found: Vec<Finding>,
    place: Place,
}

impl Findings {
    fn error(&mut self, switches: &'static [&'static str], message: impl Into<String>, help: impl Into<String>) {
        self.push(Level::Error, switches, message.into(), help.into());
    }

    fn warning(&mut self, switches: &'static [&'static str], message: impl Into<String>, help: impl Into<String>) {
        self.push(Level::Warning, switches, message.into(), help.into());
    }

    fn push(&mut self, level: Level, switches: &'static [&'static str], message: String, help: String) {
        self.found.push(Finding { level, message, help, switches, place: self.place });
    }
}

/// Errors and warnings, in the order of the profile.
pub fn validate(profile: &Profile) -> Vec<Finding> {
    let mut findings = Findings { found: Vec::new(), place: Place::default() };
    if profile.time_spans.is_empty() {
        findings.error(&[], "the profile has no time span", "");
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        findings.place = Place { time_span: index, target: None };
        time_span::check(span, &mut findings);
        for (index, target) in span.targets.iter().enumerate() {
            findings.place.target = Some(index);
            target::check(span, target, &mut findings);
        }
    }
    findings.found
}
