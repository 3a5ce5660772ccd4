//! What a record means: whether the measurement is worth anything.
//!
//! Pure functions of the record: no I/O, no clock.

mod cached;
mod depth;
mod finding;
mod short;
mod unwritten;

pub use finding::Finding;

use record::Record;

/// All that speaks against the figures of a run.
pub fn findings(record: &Record) -> Vec<Finding> {
    let mut found = cached::find(record);
    found.extend(unwritten::find(record));
    found.extend(short::find(record));
    found.extend(depth::find(record));
    found
}
