//! I/O priorities of single I/Os.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ddir::Ddir;
use crate::process::IoPrio;

/// I/O priorities that a percentage of the I/Os has. The others have the priority of the worker.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CommandPriorities {
    pub reads: Vec<PrioritySplit>,
    pub writes: Vec<PrioritySplit>,
}

impl CommandPriorities {
    /// Returns the splits of a direction. Trims have none.
    pub fn of(&self, ddir: Ddir) -> &[PrioritySplit] {
        match ddir {
            Ddir::Read => &self.reads,
            Ddir::Write => &self.writes,
            Ddir::Trim => &[],
        }
    }
}

/// The priorities of the I/Os of one block size.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PrioritySplit {
    /// `None`: all block sizes.
    pub block_bytes: Option<u64>,
    /// At least one. The percentages have a sum of at most 100.
    pub shares: Vec<PriorityShare>,
}

/// A percentage of the I/Os with a priority.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PriorityShare {
    pub percent: u32,
    pub prio: IoPrio,
}
