//! Errors and warnings about a profile.

use units::diagnostic::{Diagnostic, Level};

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

/// Maximum number of findings. An error after that number of warnings is added.
const FOUND_MAX: usize = 1000;

/// The findings, and the current position.
#[derive(Default)]
pub(super) struct Findings {
    pub found: Vec<Finding>,
    pub place: Place,
    has_error: bool,
}

impl Findings {
    pub fn error(&mut self, switches: &'static [&'static str], message: impl Into<String>, help: impl Into<String>) {
        self.push(Level::Error, switches, message.into(), help.into());
    }

    pub fn warning(&mut self, switches: &'static [&'static str], message: impl Into<String>, help: impl Into<String>) {
        self.push(Level::Warning, switches, message.into(), help.into());
    }

    /// Returns true if the other findings are not needed.
    pub fn is_complete(&self) -> bool {
        self.found.len() >= FOUND_MAX && self.has_error
    }

    fn push(&mut self, level: Level, switches: &'static [&'static str], message: String, help: String) {
        let is_first_error = level == Level::Error && !self.has_error;
        if self.found.len() >= FOUND_MAX && !is_first_error {
            return;
        }
        self.has_error |= is_first_error;
        self.found.push(Finding { level, message, help, switches, place: self.place });
    }
}
