//! State of parsing that does not depend on sections: settings and diagnostics.

use units::diagnostic::{Diagnostic, Level};

use super::env::Env;
use super::settings::ProgramSettings;
use super::value::Severity;

/// Settings and diagnostics.
pub struct State<'a> {
    pub env: &'a dyn Env,
    /// `--parse-only` or `--showcmd`: no job runs, so unsupported options are warnings.
    pub dry_run: bool,
    pub program: ProgramSettings,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
}

impl<'a> State<'a> {
    pub fn new(env: &'a dyn Env) -> State<'a> {
        State { env, dry_run: false, program: ProgramSettings::default(), errors: Vec::new(), warnings: Vec::new() }
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
        dedup(&mut self.errors);
        dedup(&mut self.warnings);
    }

    /// Returns the warnings and the errors, truncated.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut all = truncate_diagnostics(self.warnings, "warnings");
        all.extend(truncate_diagnostics(self.errors, "errors"));
        all
    }
}

/// Removes duplicates. An error in a global option or an override occurs once per job.
pub fn dedup(diagnostics: &mut Vec<Diagnostic>) {
    let mut unique: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics.drain(..) {
        if !unique.contains(&diagnostic) {
            unique.push(diagnostic);
        }
    }
    *diagnostics = unique;
}

/// Maximum number of diagnostics per level. A binary file that is parsed as a job file causes thousands.
const DIAGNOSTICS_MAX: usize = 100;

fn truncate_diagnostics(mut diagnostics: Vec<Diagnostic>, plural: &str) -> Vec<Diagnostic> {
    let more = diagnostics.len().saturating_sub(DIAGNOSTICS_MAX);
    diagnostics.truncate(DIAGNOSTICS_MAX);
    if more > 0 {
        diagnostics.push(Diagnostic::new(Level::Note, format!("{more} more {plural}")));
    }
    diagnostics
}
