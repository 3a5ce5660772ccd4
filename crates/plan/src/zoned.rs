//! Zones of zoned block devices, which other targets emulate (`zonemode=zbd`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::Amount;

/// A job on zones with a write pointer. Its writes go to the write pointers.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Zoned {
    /// Size of a zone; 0 is that of the device. Targets that are not zoned have zones of this size.
    pub zone_bytes: u64,
    /// Usable bytes of an emulated zone; 0 is all.
    pub capacity_bytes: u64,
    /// Gap after a zone of a sequential pattern.
    pub skip: Amount,
    /// Maximum number of zones that the jobs of a target write at a time; 0 is the device's limit.
    pub max_open: u32,
    /// Maximum number of zones that this worker opens; 0 is no limit.
    pub job_max_open: u32,
    /// Ignores the device's limit of open zones.
    pub ignores_device_limit: bool,
    /// Reads need no written data.
    pub reads_beyond_pointer: bool,
    /// Share of written bytes from which on zones are reset, from 0 to 1.
    pub reset_threshold: f64,
    /// Zone resets per write from the threshold on, from 0 to 1.
    pub reset_frequency: f64,
    /// After a failed write the job continues at the device's write pointer.
    pub recovers_write_errors: bool,
    /// The rest of a zone below the block size is written. Otherwise the zone is finished.
    pub writes_remainder: bool,
}
