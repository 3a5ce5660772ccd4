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

/// The findings, and the current position.
#[derive(Default)]
pub(super) struct Findings {
    pub found: Vec<Finding>,
    pub place: Place,
}

impl Findings {
    pub fn error(&mut self, switches: &'static [&'static str], message: impl Into<String>, help: impl Into<String>) {
        self.push(Level::Error, switches, message.into(), help.into());
    }

    pub fn warning(&mut self, switches: &'static [&'static str], message: impl Into<String>, help: impl Into<String>) {
        self.push(Level::Warning, switches, message.into(), help.into());
    }

    fn push(&mut self, level: Level, switches: &'static [&'static str], message: String, help: String) {
        self.found.push(Finding { level, message, help, switches, place: self.place });
    }
}
