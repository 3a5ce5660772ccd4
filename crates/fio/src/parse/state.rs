//! State of parsing that does not depend on sections: settings and diagnostics.

use units::diagnostic::{Diagnostic, Level};
use units::diagnostics::Diagnostics;

use super::env::Env;
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
}

impl<'a> State<'a> {
    pub fn new(env: &'a dyn Env) -> State<'a> {
        State {
            env,
            dry_run: false,
            program: ProgramSettings::default(),
            errors: Diagnostics::default(),
            warnings: Diagnostics::default(),
        }
    }

    /// Adds a diagnostic to the errors or the warnings.
    pub fn report(&mut self, severity: Severity, diagnostic: Diagnostic) {
        match severity {
            Severity::Error => self.errors.push(diagnostic),
            Severity::ErrorWhenRun if !self.dry_run => self.errors.push(diagnostic),
            Severity::ErrorWhenRun | Severity::Warning => {
                self.warnings.push(Diagnostic { level: Level::Warning, ..diagnostic });
            }
        }
    }

    /// Removes duplicate diagnostics.
    pub fn dedup(&mut self) {
        self.errors.dedup();
        self.warnings.dedup();
    }

    /// Returns the warnings and the errors.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut all = self.warnings.into_vec();
        all.extend(self.errors.into_vec());
        all
    }
}
