//! What a record means: whether the measurement is worth anything, and whether the target is good.
//!
//! Pure functions of the record: no I/O, no clock.

pub mod applications;
mod bimodal;
mod cached;
mod change;
pub mod compare;
mod course;
mod depth;
mod device;
mod ended;
pub mod figures;
mod generator;
pub mod inference;
pub mod limits;
mod memory;
mod rate;
pub mod requirements;
mod short;
pub mod single;
pub mod stats;
pub mod steady;
mod step;
mod unsteady;
mod unwritten;
pub mod verdict;

pub use generator::{Generator, Limit, generator, generators};
pub use step::{Change, changes};

use assessment::Finding;
use record::Record;

/// All that speaks against the figures of a run.
pub fn findings(record: &Record) -> Vec<Finding> {
    let mut found = memory::find(record);
    found.extend(cached::find(record));
    found.extend(unwritten::find(record));
    found.extend(device::find(record));
    found.extend(short::find(record));
    found.extend(ended::early(record));
    found.extend(depth::find(record));
    found.extend(generator::find(record));
    found.extend(rate::find(record));
    found.extend(step::find(record));
    found.extend(bimodal::find(record));
    found.extend(unsteady::find(record));
    found.extend(ended::short(record));
    found
}
