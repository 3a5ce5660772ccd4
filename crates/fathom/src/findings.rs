//! What an I/O cost and what speaks against the figures of a run, told beside its report.

use judge::Severity;
use record::Record;
use units::diagnostic::Diagnostic;

use crate::output::tell_line;

/// Tells, on standard error: a line for each group of threads, and the findings.
pub fn tell(record: &Record) {
    for (name, generator) in judge::generators(record) {
        tell_line!("{name}: {}", generator.sentence());
    }
    // What is only good to know is in reports for programs.
    for finding in judge::findings(record).iter().filter(|finding| finding.severity > Severity::Info) {
        let diagnostic = Diagnostic::warning(format!("{}: {}", finding.what, finding.evidence)).help(&finding.advice);
        tell_line!("{}", record::plain(&diagnostic.to_string()));
    }
}
