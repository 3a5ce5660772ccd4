//! Errors and warnings of the checks of complete jobs.

use units::diagnostic::{Diagnostic, Span};
use units::diagnostics::Diagnostics;

use crate::options::Opt;
use crate::parse::Job;

#[derive(Default)]
pub(super) struct Found {
    pub errors: Diagnostics,
    pub warnings: Diagnostics,
}

impl Found {
    pub(super) fn error(&mut self, message: &str, job: &Job, option: &Opt, label: &str, help: &str) {
        let diagnostic = Diagnostic::error(format!("job {}: {message}", job.name));
        self.errors.push(diagnostic.at(span(job, option), label).help(help));
    }
}

/// Returns the span of the option, or that of the job if the option is not set.
pub(super) fn span<'a>(job: &'a Job, option: &Opt) -> &'a Span {
    job.values.span(option).unwrap_or(&job.span)
}
