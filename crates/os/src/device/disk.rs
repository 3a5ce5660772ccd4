//! What reports have of disks.

use std::path::PathBuf;

use units::untrusted::UntrustedText;

use super::TargetUse;

/// I/O counters of a disk since boot (`/sys/block/NAME/stat`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    pub read_ios: u64,
    pub read_merges: u64,
    /// In sectors of 512 bytes, independent of the disk's sector size.
    pub read_sectors: u64,
    pub read_ticks_ms: u64,
    pub write_ios: u64,
    pub write_merges: u64,
    pub write_sectors: u64,
    pub write_ticks_ms: u64,
    /// I/Os in flight at the time of reading.
    pub in_flight: u64,
    /// Time with at least one I/O in flight.
    pub io_ticks_ms: u64,
    /// Time multiplied by the number of I/Os in flight.
    pub time_in_queue_ms: u64,
}

impl Counters {
    /// Returns the counters since `earlier`. The kernel's times wrap at 32 bits.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let ticks = |now: u64, then: u64| {
            if now >= then || then >= 1 << 32 { now.saturating_sub(then) } else { (1 << 32) + now - then }
        };
        Counters {
            read_ios: self.read_ios.saturating_sub(earlier.read_ios),
            read_merges: self.read_merges.saturating_sub(earlier.read_merges),
            read_sectors: self.read_sectors.saturating_sub(earlier.read_sectors),
            read_ticks_ms: ticks(self.read_ticks_ms, earlier.read_ticks_ms),
            write_ios: self.write_ios.saturating_sub(earlier.write_ios),
            write_merges: self.write_merges.saturating_sub(earlier.write_merges),
            write_sectors: self.write_sectors.saturating_sub(earlier.write_sectors),
            write_ticks_ms: ticks(self.write_ticks_ms, earlier.write_ticks_ms),
            in_flight: self.in_flight,
            io_ticks_ms: ticks(self.io_ticks_ms, earlier.io_ticks_ms),
            time_in_queue_ms: ticks(self.time_in_queue_ms, earlier.time_in_queue_ms),
        }
    }
}

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
