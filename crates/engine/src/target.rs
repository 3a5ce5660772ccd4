//! Targets that are ready for I/O.

use std::path::PathBuf;

use os::file::Kind;

use crate::goal::{Goal, Length};
use crate::zones::ZonedPart;

/// A file or device of a job, ready for I/O.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub path: PathBuf,
    pub kind: Kind,
    /// Start of the job's part.
    pub offset: u64,
    /// Length of the job's part. It may extend past the end of a device.
    pub io_size: Length,
    /// Size of the target; `None` if it is unknown.
    pub real_size: Option<u64>,
}

impl Target {
    /// Returns the end of the job's part within the target, if it is known.
    pub fn end(&self) -> Option<u64> {
        let end = self.io_size.bytes().map(|bytes| self.offset.saturating_add(bytes));
        match (end, self.real_size) {
            (Some(end), Some(size)) => Some(end.min(size)),
            (end, size) => end.or(size),
        }
    }
}

/// All targets of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaidOut {
    pub targets: Vec<Target>,
    /// One pass over the targets.
    pub pass: Length,
    /// Bytes of one loop, if they are not those of a pass (`io_size`).
    pub io_size_bytes: Option<u64>,
    /// The zones of each target. Empty for jobs without zones.
    pub zones: Vec<ZonedPart>,
}

impl LaidOut {
    /// Returns what the job transfers over all loops. A job that ends by time may end before or after it.
    pub fn all_loops(&self, limits: &plan::Limits) -> Length {
        self.io_size_bytes.map_or(self.pass, Length::Bytes).times(limits.loops.max(1))
    }

    pub fn goal(&self, limits: &plan::Limits) -> Goal {
        Goal::of(self.all_loops(limits), limits)
    }

    /// Returns true if a loop transfers more than a pass: I/Os start over at the end of the targets.
    pub fn exceeds_pass(&self) -> bool {
        let Length::Bytes(pass_bytes) = self.pass else { return false };
        self.io_size_bytes.is_some_and(|bytes| bytes > pass_bytes)
    }
}
