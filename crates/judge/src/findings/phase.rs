//! The phase that a finding is about.

use assessment::{Finding, Subject};
use plan::Worker;
use record::Record;

/// Returns the phase of a finding; `None` if it is about all phases.
pub(crate) fn phase(record: &Record, finding: &Finding) -> Option<u32> {
    phase_of(record, &finding.subject)
}

fn phase_of(record: &Record, subject: &Subject) -> Option<u32> {
    match subject {
        Subject::Jobs { phase, .. } => Some(*phase),
        Subject::Host { part, .. } => phase_of(record, part),
        Subject::TimeSpan(number) => number.checked_sub(1),
        Subject::Targets(used) => {
            let uses = |worker: &&Worker| worker.paths().any(|path| used.iter().any(|used| used == path));
            record.plan.workers.iter().filter(uses).map(|worker| worker.phase).min()
        }
        Subject::Run | Subject::Threads | Subject::Settings(_) => None,
    }
}
