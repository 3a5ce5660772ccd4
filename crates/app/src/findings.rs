//! The CPU cost per I/O and the findings of a run, on standard error and in the JSON report.

use ::fio::render::{Analysis, Described, Member};
use assessment::{Finding, LoadGenerator, Severity};
use record::{Message, Record, WorkerRecord};
use report::wording;
use units::diagnostic::Diagnostic;
use units::diagnostics::render_first;

use crate::output::stderr_line;

/// Prints a line per group of threads, and the findings above severity `Info`, to standard error.
pub fn print(record: &Record) {
    for (subject, generator) in judge::load_generators(record) {
        let subject = wording::subject(&subject).map(|subject| format!("{subject}: ")).unwrap_or_default();
        stderr_line!("{subject}{}", wording::load_generator(&generator));
    }
    for finding in judge::findings(record).iter().filter(|finding| finding.severity > Severity::Info) {
        let advice = wording::advice(finding, record.plan.origin.dialect());
        let diagnostic = Diagnostic::warning(wording::message(finding)).help(advice);
        stderr_line!("{diagnostic}");
    }
}

/// Returns the findings of a run with their wording, for fio's JSON report.
pub fn described(record: &Record) -> Vec<Described<Finding>> {
    let describe = |finding: Finding| Described {
        message: wording::message(&finding),
        advice: wording::advice(&finding, record.plan.origin.dialect()),
        value: finding,
    };
    judge::findings(record).into_iter().map(describe).collect()
}

/// Returns what fio's JSON report has beyond fio's own.
pub fn analysis(findings: &[Described<Finding>]) -> Analysis<'_> {
    Analysis { findings, load_generator }
}

fn load_generator(members: &[Member]) -> Option<Described<LoadGenerator>> {
    let generator = judge::load_generator(members.iter().copied())?;
    Some(Described { message: wording::load_generator(&generator), advice: String::new(), value: generator })
}

/// Prints the messages of a saved DiskSpd run, as they were printed beside its report.
pub fn replay_diskspd_warnings(record: &Record) {
    let dialect = record.plan.origin.dialect();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for message in &record.messages {
        if let Message::Warning(kind) = message {
            diagnostics.push(Diagnostic::warning(wording::run_message(kind, dialect)));
        }
    }
    diagnostics.extend(job_errors(record).into_iter().map(Diagnostic::error));
    print_diagnostics(&diagnostics);
    print(record);
}

/// Returns the errors of the jobs, each once. On a fleet they begin with the name of the host.
pub fn job_errors(record: &Record) -> Vec<String> {
    let dialect = record.plan.origin.dialect();
    let mut errors: Vec<String> = Vec::new();
    let mut add = |host: &str, worker: &WorkerRecord| {
        let Some(error) = &worker.error else { return };
        let message = format!("{host}{}", wording::run_error(error, dialect));
        if !errors.contains(&message) {
            errors.push(message);
        }
    };
    if record.hosts().is_empty() {
        record.workers.iter().for_each(|worker| add("", worker));
    }
    for (host, workers) in record.host_workers() {
        record.workers[workers].iter().for_each(|worker| add(&format!("{}: ", host.name), worker));
    }
    errors
}

/// Prints diagnostics to standard error.
pub fn print_diagnostics(diagnostics: &[Diagnostic]) {
    for text in render_first(diagnostics) {
        stderr_line!("{text}");
    }
}
