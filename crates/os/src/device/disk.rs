//! What reports have of disks.

use std::path::PathBuf;

use units::untrusted::UntrustedText;

use super::TargetUse;

/// Properties of a disk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiskInfo {
    /// Model name. Empty if sysfs has none.
    pub model: UntrustedText,
    pub firmware: UntrustedText,
    /// Serial number, in a cloud often the volume's name. Empty if sysfs has none.
    pub serial: UntrustedText,
    pub rotational: Option<bool>,
    pub bytes: u64,
    pub logical_block_bytes: u64,
    pub physical_block_bytes: u64,
}

/// The mount of a path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MountPoint {
    pub at: PathBuf,
    pub source: PathBuf,
    pub file_system: UntrustedText,
    /// Options of the mount, then of the file system.
    pub options: UntrustedText,
}

/// A whole disk or a stacked device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedDisk {
    pub path: PathBuf,
    pub bytes: u64,
    /// Model name, or the description of a virtual device. Empty if sysfs has none.
    pub model: UntrustedText,
    /// True for devices that the kernel makes from other devices, a file or memory.
    pub is_virtual: bool,
    /// Uses of the disk and its partitions, by the kernel's tables.
    pub used: Vec<TargetUse>,
}
