//! Environment of a layout.

use std::sync::atomic::AtomicBool;

use crate::access::SeedTable;
use crate::zones::ZoneTables;
use record::Message;
use targets::HeldTargets;

/// What a layout needs from its caller.
pub struct Site<'a> {
    /// Nothing may be written in this run.
    pub readonly: bool,
    pub targets: &'a HeldTargets,
    /// Set to end the run. A layout then restores what was there and returns.
    pub stop: &'a AtomicBool,
    /// Receives messages.
    pub say: &'a mut dyn FnMut(Message),
    /// Fills one block with the job's data.
    pub fill: &'a mut dyn FnMut(&mut [u8]),
    /// The job's seeds. File sizes can be random.
    pub seeds: &'a SeedTable,
    /// The zones of the run's targets.
    pub zones: &'a ZoneTables,
}
