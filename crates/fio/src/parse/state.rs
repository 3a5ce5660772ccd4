//! State of parsing that does not depend on sections: settings and diagnostics.

use units::diagnostic::{Diagnostic, Level};
use units::diagnostics::{Diagnostics, sort_by_position};

use super::env::Env;
use super::request::{Output, Request};
use super::settings::ProgramSettings;
use super::value::Severity;

/// Settings and diagnostics.
pub struct State<'a> {
    pub env: &'a dyn Env,
    /// `--parse-only` or `--showcmd`: no job runs, so unsupported options are warnings.
    pub dry_run: bool,
    pub program: ProgramSettings,
    pub errors: Diagnostics,
    pub warnings: Diagnostics,
    /// Warnings that fio does not have, such as about text that it ignores.
    pub own_warnings: Diagnostics,
}

impl<'a> State<'a> {
    pub fn new(env: &'a dyn Env) -> State<'a> {
        State {
            env,
            dry_run: false,
            program: ProgramSettings::default(),
            errors: Diagnostics::default(),
            warnings: Diagnostics::default(),
            own_warnings: Diagnostics::default(),
        }
    }

    /// Adds a diagnostic to the errors or the warnings.
    pub fn report(&mut self, severity: Severity, diagnostic: Diagnostic) {
        match severity {
            Severity::Error => self.errors.push(diagnostic),
            Severity::ErrorWhenRun if !self.dry_run => self.errors.push(diagnostic),
            Severity::ErrorWhenRun => self.warnings.push(Diagnostic { level: Level::Warning, ..diagnostic }),
            Severity::Warning => self.own_warnings.push(diagnostic),
        }
    }

    /// Removes duplicate diagnostics.
    pub fn dedup(&mut self) {
        self.errors.dedup();
        self.warnings.dedup();
        self.own_warnings.dedup();
    }

    /// Returns the request to print a text instead of running jobs.
    pub fn into_print(self, output: Output) -> Request {
        let (warnings, own_warnings) = (self.warnings.into_vec(), self.own_warnings.into_vec());
        Request::Print { output, warnings, own_warnings, findings: self.program.findings }
    }

    /// Returns the warnings and the errors in the order of their lines.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut all = [self.warnings, self.own_warnings, self.errors].map(Diagnostics::into_vec).concat();
        sort_by_position(&mut all);
        all
    }
}
