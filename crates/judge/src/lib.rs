//! Findings, statistics and verdicts, computed from records and limits.
//!
//! Pure functions: no I/O, no clock, no wording.

pub mod applications;
mod change_points;
pub mod classes;
pub mod compare;
mod depth;
mod device;
mod ended;
pub mod figures;
pub mod inference;
mod interrupted;
mod late_ios;
mod levels;
pub mod limits;
mod load_generator;
mod memory;
mod page_cache;
pub mod requirements;
pub mod single;
pub mod stats;
pub mod steady;
mod target_short;
mod throttle;
mod time_series;
mod unsteady;
mod unwritten;
pub mod verdict;

pub use late_ios::is_rate_missed;
pub use levels::{Change, changes};
pub use load_generator::{load_generator, load_generators};
pub use unwritten::reads_only_written;

use assessment::{Finding, FindingKind};
use record::Record;

/// Returns all findings on a run.
pub fn findings(record: &Record) -> Vec<Finding> {
    let mut found = memory::find(record);
    found.extend(page_cache::find(record));
    found.extend(unwritten::find(record));
    found.extend(device::find(record));
    found.extend(target_short::find(record));
    found.extend(ended::early(record));
    found.extend(depth::find(record));
    found.extend(load_generator::find(record));
    found.extend(late_ios::find(record));
    found.extend(levels::find(record));
    // CPU time that the load generator lacks makes two latency modes, too.
    let is_limited_here = found.iter().any(|finding| matches!(finding.kind, FindingKind::LoadGeneratorLimit(_)));
    if !is_limited_here {
        found.extend(throttle::find(record));
    }
    found.extend(unsteady::find(record));
    found.extend(ended::short(record));
    let interruptions = interrupted::find(record);
    if !interruptions.is_empty() {
        found.retain(|finding| !interrupted::explains(&finding.kind));
        found.extend(interruptions);
    }
    found
}
