//! Block devices, and character devices that store data: holders, the disks below a path, and their counters.

mod disk;
mod flash;
mod zones;

use std::fmt;

#[cfg(any(target_os = "linux", windows))]
pub use crate::system::device::{
    Claims, Disk, dax_bytes, disk_behind, disks, flash, has_own_storage, holders, is_in_memory, mount, zone_limits,
};
pub use crate::system::device::{InUseSnapshot, file_system, is_terminal, is_without_storage};
#[cfg(target_os = "linux")]
pub use crate::system::device::{RemoteDisk, contents};
pub use ::io::{DiskCounters, DiskHealth, TargetUse, UseKind, UsedDevice};
pub use disk::{DiskInfo, ListedDisk, MountPoint};
pub use flash::Flash;
pub use zones::{ReportedZone, ZoneCondition, ZoneKind, ZoneLimits, ZoneModel};

/// Major and minor number of a device. It identifies the device under any name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DeviceNumber {
    pub major: u32,
    pub minor: u32,
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}
