//! Errors and messages of zones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error of the zones of a target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ZoneError {
    pub path: String,
    pub fault: ZoneFault,
}

/// Fault of the zones of a target, or of the job on them. Sizes and offsets are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZoneFault {
    /// The target is not zoned, and the job has no zone size.
    NoZoneSize,
    /// A zone is smaller than a sector.
    ZoneBelowSector,
    CapacityAboveZone {
        capacity_bytes: u64,
        zone_bytes: u64,
    },
    TargetBelowZone {
        target_bytes: u64,
        zone_bytes: u64,
    },
    /// The zone size of the job is not that of the device, or of an earlier job of the target.
    OtherZoneSize {
        zone_bytes: u64,
        device_zone_bytes: u64,
    },
    /// There is no memory for the state of the zones.
    TooManyZones {
        /// Number of zones.
        zones: u64,
    },
    SkipUnaligned {
        skip_bytes: u64,
        zone_bytes: u64,
    },
    /// The part of the target that the job uses has no whole zone.
    ExtentBelowZone,
    /// A write to a zone with a write pointer must be direct.
    NotDirect,
    /// A trim resets a zone.
    TrimIsNotZone {
        block_bytes: u64,
        zone_bytes: u64,
    },
    MaxOpenAboveDevice {
        /// The job's limit, in zones.
        max_open: u32,
        /// The device's limit, in zones.
        device_max: u32,
    },
    MaxOpenAboveLimit {
        /// In zones.
        limit: u32,
    },
    /// Jobs of one target have different limits of open zones.
    OtherMaxOpen,
    /// The limit of a job needs a limit for all jobs.
    JobMaxOpenAlone,
    TooManyOpen,
    /// Jobs with a reset threshold write different parts of a target.
    OtherWriteRange,
    /// A device did not report its zones.
    Report {
        offset: u64,
    },
    /// The zones of a device do not follow one another, or have different sizes.
    Irregular {
        offset: u64,
    },
    Reset {
        offset: u64,
    },
    Finish {
        offset: u64,
    },
    BlockAboveZone {
        block_bytes: u64,
        zone_bytes: u64,
    },
    CapacityBelowBlock {
        capacity_bytes: u64,
        block_bytes: u64,
    },
    /// The write pointer is beyond the part of the target that the job uses.
    PointerOutside {
        offset: u64,
    },
    TrimInsideZone {
        offset: u64,
    },
}

/// A message on the zones of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZoneNotice {
    /// The job starts at the next zone.
    OffsetRounded { from_bytes: u64, to_bytes: u64 },
    /// The job ends with a zone.
    SizeRounded { from_bytes: u64, to_bytes: u64 },
    /// The limit of open zones of a job that does not write has no effect.
    JobMaxOpenIgnored,
    /// After a failed write, the device's write pointer could not be read.
    NoReport,
    /// After a failed write, the device's write pointer is not where a failed write leaves it.
    UnexpectedPointer {
        /// The device's write pointer, in bytes.
        pointer: u64,
    },
    /// After a failed write, the rest of it could not be written.
    NotRecovered,
    /// A write failed because the device has no more active zones.
    ActiveZonesExceeded,
    /// The first I/O on a zoned device failed, in a job without `zonemode=zbd`.
    ConsiderZones,
}
