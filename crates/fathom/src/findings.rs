//! What an I/O cost and what speaks against the figures of a run, told beside its report.

use assessment::Severity;
use record::{Message, Record};
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
        tell_line!("{diagnostic}");
    }
}

/// What was said beside the report of a run, once more.
pub fn repeat_diskspd_warnings(record: &Record) {
    let mut told: Vec<Diagnostic> = Vec::new();
    for message in &record.messages {
        if let Message::Warning(text) = message {
            told.push(Diagnostic::warning(text));
        }
    }
    let mut messages: Vec<String> = Vec::new();
    for message in record.workers.iter().filter_map(|worker| worker.error.as_ref()).map(|error| error.message.clone()) {
        if !messages.contains(&message) {
            told.push(Diagnostic::error(message.as_str()));
            messages.push(message);
        }
    }
    show_plain(&told);
    tell(record);
}

pub fn show_plain(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        tell_line!("{diagnostic}");
    }
}
