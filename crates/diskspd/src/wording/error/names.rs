//! Parts of several messages.

use record::{OsError, Subject};

/// Returns the system's text in brackets; empty without one.
pub(super) fn in_brackets(source: Option<&OsError>) -> String {
    source.map_or_else(String::new, |source| format!(" ({source})"))
}

/// Returns the targets of a worker. Users of DiskSpd know targets, not threads.
pub(super) fn name(subject: &Subject) -> String {
    if subject.targets.is_empty() { subject.job.clone() } else { subject.targets.join(", ") }
}
