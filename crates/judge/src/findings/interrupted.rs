//! Runs of which a part of the measured time passed while fathom itself did not run.

use assessment::{Finding, FindingKind, Severity};
use record::Record;

use crate::time_series::phase_subject;

/// Finds phases with interruptions.
pub fn find(record: &Record) -> Vec<Finding> {
    let interrupted = record.phases.iter().enumerate().filter(|(_, phase)| !phase.interruptions.is_empty());
    let finding = |(at, phase): (usize, &record::PhaseRecord)| Finding {
        kind: FindingKind::Interrupted(phase.interruptions.clone()),
        subject: phase_subject(record, at),
        severity: Severity::Warning,
    };
    interrupted.map(finding).collect()
}
