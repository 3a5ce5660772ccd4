//! Source of a job's I/Os, if the pattern alone does not determine them.

use super::trim_ranges::TrimRanges;
use crate::replay::Replay;
use crate::zones::WorkerZones;

pub enum Placement {
    /// The I/Os come from a log, instead of the pattern.
    Log(Box<Replay>),
    /// The zones of the targets change the offsets of the pattern.
    Zones(Box<WorkerZones>),
    /// Several trims of the pattern are one I/O.
    Ranges(Box<TrimRanges>),
}
