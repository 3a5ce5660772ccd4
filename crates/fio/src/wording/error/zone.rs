//! Errors and messages of zones.

use record::{RunError, ZoneError, ZoneFault, ZoneNotice};

pub(super) fn zone(ZoneError { path, fault }: &ZoneError, error: &RunError) -> String {
    match *fault {
        ZoneFault::NoZoneSize => format!(
            "{path}: Specifying the zone size is mandatory for regular file/block device with --zonemode=zbd (use \
             zonesize=)"
        ),
        ZoneFault::ZoneBelowSector => format!("{path}: zone size must be at least 512 bytes for --zonemode=zbd"),
        ZoneFault::CapacityAboveZone { capacity_bytes, zone_bytes } => {
            format!("{path}: job parameter zonecapacity {capacity_bytes} is larger than zone size {zone_bytes}")
        }
        ZoneFault::TargetBelowZone { target_bytes, zone_bytes } => {
            format!("{path}: file/device size {target_bytes} is smaller than zone size {zone_bytes}")
        }
        ZoneFault::OtherZoneSize { zone_bytes, device_zone_bytes } => {
            format!("{path}: job parameter zonesize {zone_bytes} does not match disk zone size {device_zone_bytes}")
        }
        ZoneFault::TooManyZones { zones } => {
            format!("{path}: no memory for {zones} zones (use a larger zonesize=)")
        }
        ZoneFault::SkipUnaligned { skip_bytes, zone_bytes } => {
            format!("{path}: zoneskip {skip_bytes} is not a multiple of the device zone size {zone_bytes}")
        }
        ZoneFault::ExtentBelowZone => {
            format!("{path}: io_size must be at least one zone (the job writes whole zones: see offset= and size=)")
        }
        ZoneFault::NotDirect => {
            format!("{path}: Using direct I/O is mandatory for writing to ZBD drives (use direct=1)")
        }
        ZoneFault::TrimIsNotZone { block_bytes, zone_bytes } => {
            format!("{path}: trim block size {block_bytes} is not the zone size {zone_bytes}")
        }
        ZoneFault::MaxOpenAboveDevice { max_open, device_max } => {
            format!("{path}: Specified --max_open_zones ({max_open}) is larger than max ({device_max})")
        }
        ZoneFault::MaxOpenAboveLimit { limit } => format!("{path}: 'max_open_zones' value is larger than {limit}"),
        ZoneFault::OtherMaxOpen => format!("{path}: Different 'max_open_zones' values"),
        ZoneFault::JobMaxOpenAlone => format!(
            "{path}: 'job_max_open_zones' cannot be used without a global open zones limit (use max_open_zones=)"
        ),
        ZoneFault::TooManyOpen => format!("{path}: Number of open zones exceeds max_open_zones limit"),
        ZoneFault::OtherWriteRange => {
            format!("{path}: multi-jobs with different write ranges are not supported with zone_reset_threshold")
        }
        ZoneFault::Report { offset } => {
            format!("{path}: report zones from sector {} failed: {}", offset >> 9, error.reason())
        }
        ZoneFault::Irregular { offset } => {
            format!("{path}: invalid zone data at byte {offset}: all zones must have one size")
        }
        ZoneFault::Reset { offset } => {
            format!("{path}: resetting wp at sector {} failed: {}", offset >> 9, error.reason())
        }
        ZoneFault::Finish { offset } => {
            format!("{path}: finish zone at sector {} failed: {}", offset >> 9, error.reason())
        }
        ZoneFault::BlockAboveZone { block_bytes, zone_bytes } => {
            format!("{path}: I/O buflen exceeds zone size: {block_bytes} > {zone_bytes}")
        }
        ZoneFault::CapacityBelowBlock { capacity_bytes, block_bytes } => {
            format!("{path}: zone capacity {capacity_bytes} smaller than minimum block size {block_bytes}")
        }
        ZoneFault::PointerOutside { offset } => {
            format!("{path}: invalid WP value: the write pointer at byte {offset} is outside offset= and size=")
        }
        ZoneFault::TrimInsideZone { offset } => format!("{path}: Trim offset not at zone start ({offset})"),
    }
}

/// Returns the line of a message on the zones of a target.
pub fn notice(path: &str, notice: ZoneNotice) -> String {
    match notice {
        ZoneNotice::OffsetRounded { from_bytes, to_bytes } => {
            format!("{path}: rounded up offset from {from_bytes} to {to_bytes}")
        }
        ZoneNotice::SizeRounded { from_bytes, to_bytes } => {
            format!("{path}: rounded down io_size from {from_bytes} to {to_bytes}")
        }
        ZoneNotice::JobMaxOpenIgnored => "'job_max_open_zones' is valid only for write jobs".to_owned(),
        ZoneNotice::NoReport => format!("fio: Report zone for write recovery failed for {path}"),
        ZoneNotice::UnexpectedPointer { pointer } => {
            format!("fio: unexpected write pointer position on error for {path}: wp={pointer}")
        }
        ZoneNotice::NotRecovered => format!("fio: Failed to recover write pointer for {path}"),
        ZoneNotice::ActiveZonesExceeded => {
            format!("{path}: Exceeded max_active_zones limit. Check conditions of zones out of I/O ranges.")
        }
        ZoneNotice::ConsiderZones => {
            format!("fio: first I/O failed. If {path} is a zoned block device, consider --zonemode=zbd")
        }
    }
}
