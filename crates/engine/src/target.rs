//! Targets that are ready for I/O.

use std::path::PathBuf;

use os::file::Kind;

use crate::zones::ZonedPart;

/// A file or device of a job, ready for I/O.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub path: PathBuf,
    pub kind: Kind,
    /// Start of the job's part.
    pub offset: u64,
    /// Bytes of the job's part. It may extend past the end of a device. `u64::MAX` means up to the end.
    pub io_size: u64,
    /// Size of the target; `u64::MAX` if it is unknown.
    pub real_size: u64,
}

/// All targets of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaidOut {
    pub targets: Vec<Target>,
    /// Bytes of one pass over the targets.
    pub pass_bytes: u64,
    /// Bytes that the job transfers in total: `io_size` or the pass, times the loops. `u64::MAX` if the job ends by time.
    pub total_bytes: u64,
    /// The zones of each target. Empty for jobs without zones.
    pub zones: Vec<ZonedPart>,
}
