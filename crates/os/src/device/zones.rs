//! Zones of zoned block devices.

/// Zone model of a block device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ZoneModel {
    /// Not a zoned device.
    #[default]
    None,
    HostAware,
    /// Zones with a write pointer can only be written sequentially.
    HostManaged,
}

/// Zone model and limits of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ZoneLimits {
    pub model: ZoneModel,
    /// Maximum number of open zones. 0 is no limit.
    pub max_open: u32,
    /// Maximum number of active zones (open and closed). 0 is no limit.
    pub max_active: u32,
}

/// Type of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZoneKind {
    /// Conventional: writes at any offset.
    Conventional,
    /// Sequential write required: writes at the write pointer only.
    SequentialRequired,
    /// Sequential write preferred: writes at any offset, best at the write pointer.
    SequentialPreferred,
}

/// Condition of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZoneCondition {
    NoWritePointer,
    Empty,
    ImplicitlyOpen,
    ExplicitlyOpen,
    Closed,
    Full,
    /// Offline, read-only, or unknown. The zone is not used.
    Offline,
}

/// A zone as the kernel reports it. All figures are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReportedZone {
    pub start: u64,
    pub bytes: u64,
    /// Zone capacity: writable bytes from the start.
    pub capacity: u64,
    pub write_pointer: u64,
    pub kind: ZoneKind,
    pub condition: ZoneCondition,
}
