//! Whether what a profile asks for goes together: the rules of command lines and XML profiles alike.
//!
//! All that is wrong is found, not only the first of it.

mod distribution;
mod machine;
mod target;
mod time_span;

use units::diagnostic::{Diagnostic, Level};

use crate::profile::Profile;

/// I/Os that a thread has outstanding, or hands over at once.
pub const REQUESTS_MAX: u32 = 65536;

/// What the profile is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To be printed: it may leave targets open and name processors of other machines.
    Print,
    /// To be run here, on processors numbered from 0.
    Run { processors: u32 },
}

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
    pub time_span: Option<usize>,
    pub target: Option<usize>,
}

impl Finding {
    /// For a profile that is no command line: says which time span and target is meant.
    pub fn in_profile(&self, profile: &Profile) -> Diagnostic {
        let mut place = String::new();
        if let Some(index) = self.place.time_span {
            place = format!("time span {}", index + 1);
            let targets = profile.time_spans.get(index).map_or(&[][..], |span| &span.targets);
            if let Some((index, target)) = self.place.target.and_then(|index| Some((index, targets.get(index)?))) {
                place += &format!(", target {} ({})", index + 1, target.path);
            }
            place += ": ";
        }
        let diagnostic = Diagnostic::new(self.level, format!("{place}{}", self.message));
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
pub fn validate(profile: &Profile, purpose: Purpose) -> Vec<Finding> {
    let mut findings = Findings { found: Vec::new(), place: Place::default() };
    if profile.time_spans.is_empty() {
        findings.error(&[], "the profile has no time span", "");
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        findings.place = Place { time_span: Some(index), target: None };
        time_span::check(span, &mut findings);
        if let Purpose::Run { processors } = purpose {
            machine::check_time_span(span, processors, &mut findings);
        }
        for (index, target) in span.targets.iter().enumerate() {
            findings.place.target = Some(index);
            target::check(span, target, &mut findings);
            if matches!(purpose, Purpose::Run { .. }) {
                machine::check_target(span, target, &mut findings);
            }
        }
    }
    findings.found
}
