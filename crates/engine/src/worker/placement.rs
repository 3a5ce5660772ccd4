//! Where the I/Os of a job go, if its pattern alone does not determine it.

use crate::replay::Replay;
use crate::zones::WorkerZones;

pub enum Placement {
    /// The I/Os come from a log, instead of the pattern.
    Log(Box<Replay>),
    /// The zones of the targets change the places of the pattern.
    Zones(Box<WorkerZones>),
}
