//! Validation of profiles, with the same rules for command lines and XML.
//!
//! All errors are reported, not only the first. [`crate::lower`] checks what this machine supports, as a profile can be
//! printed on any machine.

mod distribution;
mod target;
mod time_span;

use units::diagnostic::{Diagnostic, Level};

use crate::profile::Profile;

/// Maximum outstanding I/Os of a thread, and maximum batch size.
pub const REQUESTS_MAX: u32 = 65536;

/// An error or warning about a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub level: Level,
    pub message: String,
    pub help: String,
    /// Command-line options that cause it. The first is shown if none of them was used.
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
    /// Returns the diagnostic without a position, if the source text is not available.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.level, self.message.as_str());
        if self.help.is_empty() { diagnostic } else { diagnostic.help(self.help.as_str()) }
    }
}

/// The findings, and the current position.
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

/// Returns errors and warnings in the order of the profile.
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
