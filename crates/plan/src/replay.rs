//! Replay: the I/Os of a worker come from a log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ddir::PerDdir;

/// The log that a job replays. Its I/Os on the n-th file go to the n-th target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// Path of the log.
    pub log: String,
    /// The files that the log names: paths, or `MAJOR:MINOR` of devices.
    pub files: Vec<String>,
    /// All I/Os go to the first target.
    pub redirects: bool,
    pub rules: ReplayRules,
    /// The log is read during the run, not before it.
    pub chunked: bool,
    /// Entries of the log that are replayed.
    pub steps: u64,
    /// Bytes of all I/Os.
    pub bytes: u64,
    /// The largest I/O of each direction.
    pub largest_bytes: PerDdir<u64>,
}

/// How the entries of a log are changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplayRules {
    /// The recorded times are ignored.
    pub no_stall: bool,
    /// Speed of the replay, in percent of that of the log.
    pub time_scale_percent: u32,
    /// Offsets are divided by this.
    pub offset_divisor: u32,
    /// Offsets are rounded down to multiples of this; 0 and 1 leave them as they are. Sizes of traces of devices are
    /// rounded up.
    pub align_bytes: u32,
    pub skip: ReplaySkip,
    /// Each I/O has an intended start, the time of the log. A late I/O does not delay those after it.
    #[serde(default)]
    pub is_open_loop: bool,
}

impl Default for ReplayRules {
    fn default() -> Self {
        let skip = ReplaySkip::default();
        ReplayRules {
            no_stall: false,
            time_scale_percent: 100,
            offset_divisor: 1,
            align_bytes: 0,
            skip,
            is_open_loop: false,
        }
    }
}

/// The I/Os of a log that are not replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReplaySkip {
    pub reads: bool,
    pub writes: bool,
    pub trims: bool,
    /// Calls of `fsync`, and flushes of a device.
    pub syncs: bool,
}
