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
    /// Maximum number of open and closed zones. 0 is no limit.
    pub max_active: u32,
}

/// Type of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZoneKind {
    /// Written at any place.
    Conventional,
    /// Written at its write pointer only.
    SequentialRequired,
    /// Written best at its write pointer.
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
    /// Offline, read-only, or unknown: not to be used.
    Offline,
}

/// A zone as the kernel reports it. All figures are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReportedZone {
    pub start: u64,
    pub bytes: u64,
    /// Usable bytes from the start.
    pub capacity: u64,
    pub write_pointer: u64,
    pub kind: ZoneKind,
    pub condition: ZoneCondition,
}
