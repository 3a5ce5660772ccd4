//! Block devices: holders, the disks below a path, and their counters.
//!
//! The kernel's data is read below `/sys`, `/proc` and `/dev`. Tests replace these by folders of their own.

mod below;
mod character;
mod claims;
mod contents;
mod disk;
mod health;
mod holders;
mod kernel;
mod list;
mod loops;
mod mounts;
mod overlay;
mod signature;
#[cfg(test)]
mod tests;
mod topology;
mod zones;

use std::io;
use std::path::{Path, PathBuf};

use crate::device::{DeviceNumber, Flash, ListedDisk, MountPoint, TargetUse, ZoneLimits};
use crate::file::{File, Inode};
pub use claims::Claims;
pub use contents::{RemoteDisk, contents};
pub use disk::{Disk, Place};
use holders::UsageTables;
use kernel::Kernel;

/// Snapshot of what is in use on this machine, for queries on several paths.
pub struct InUseSnapshot {
    kernel: Kernel,
    tables: UsageTables,
}

impl InUseSnapshot {
    /// Reads the kernel's tables.
    ///
    /// # Errors
    /// Returns the error of reading the tables.
    pub fn take() -> io::Result<Self> {
        let kernel = Kernel::running();
        Ok(InUseSnapshot { tables: UsageTables::read(&kernel)?, kernel })
    }

    /// Returns the holders of `path`, under any alias of it.
    ///
    /// A block device has holders if it, a partition of it or the disk that contains it is mounted, used as swap, part
    /// of a stacked device, opened exclusively, or a member of a set of devices. A loop device also has the holders of what
    /// is below it. A file has holders if a loop device or swap uses it. A device with its own storage
    /// ([`has_own_storage`]) has holders if a file system or UBI is on it, or if another program has it open. An empty
    /// list means that a write destroys nothing in use.
    ///
    /// # Errors
    /// Returns the error of reading the path, the device or the kernel's tables.
    pub fn holders(&self, path: &Path) -> io::Result<Vec<TargetUse>> {
        holders::of(&self.kernel, &self.tables, path)
    }

    /// Claims `path` if it is a block device without holders, and returns its holders as [`InUseSnapshot::holders`]
    /// does. A claim of the device itself or of its whole disk is kept.
    ///
    /// # Errors
    /// As [`InUseSnapshot::holders`].
    pub fn claim(&self, path: &Path, claims: &mut Claims) -> io::Result<Vec<TargetUse>> {
        claims.add(&self.kernel, &self.tables, path)
    }

    /// Returns the holders of `path` other than `claims`, as [`InUseSnapshot::holders`] does.
    ///
    /// # Errors
    /// As [`InUseSnapshot::holders`].
    pub fn holders_beside(&self, path: &Path, claims: &Claims) -> io::Result<Vec<TargetUse>> {
        claims.others(&self.kernel, &self.tables, path)
    }

    /// Returns device and inode of an existing file or folder, and of what it shows in the layers of overlays.
    ///
    /// # Errors
    /// Returns the error of reading the path.
    pub fn identities(&self, path: &Path) -> io::Result<Vec<Inode>> {
        self.tables.identities(path)
    }

    /// Returns the machine's disks, with stacked devices, by device number as `lsblk` does.
    pub fn disks(&self) -> Vec<ListedDisk> {
        list::disks(&self.kernel, &self.tables)
    }

    /// Returns the paths of the machine's disks and partitions.
    pub fn paths(&self) -> Vec<PathBuf> {
        list::paths(&self.kernel)
    }
}

/// Returns the holders of one path, as [`InUseSnapshot::holders`] does.
///
/// # Errors
/// See [`InUseSnapshot::take`] and [`InUseSnapshot::holders`].
pub fn holders(path: &Path) -> io::Result<Vec<TargetUse>> {
    InUseSnapshot::take()?.holders(path)
}

/// Returns true for the character devices of the kernel that store nothing, such as `/dev/null`.
pub fn is_without_storage(path: &Path) -> bool {
    topology::is_without_storage(path)
}

/// Returns the block device of the disk behind a character device: of an NVMe namespace (`/dev/ng0n1`) or a SCSI disk
/// (`/dev/sg0`, `/dev/bsg/0:0:0:0`). `None` for other devices. A write to either changes the other.
///
/// # Errors
/// Returns the error of reading the path, or that the block device has no device file.
pub fn disk_behind(path: &Path) -> io::Result<Option<PathBuf>> {
    topology::disk_behind(&Kernel::running(), path)
}

/// Returns true for character devices that store data themselves: device DAX (`/dev/dax0.0`) and raw flash (`/dev/mtd0`).
/// [`InUseSnapshot::holders`] returns their uses.
///
/// # Errors
/// Returns the error of reading the path.
pub fn has_own_storage(path: &Path) -> io::Result<bool> {
    Ok(character::at(&Kernel::running(), path)?.is_some())
}

/// Returns the size of a DAX device. `None` for other devices and files.
///
/// # Errors
/// Returns the error of reading the path.
pub fn dax_bytes(path: &Path) -> io::Result<Option<u64>> {
    character::at(&Kernel::running(), path)?.map_or(Ok(None), |storage| storage.dax_bytes())
}

/// Returns the geometry of raw flash. `None` for other devices and files.
///
/// # Errors
/// Returns the error of reading the path.
pub fn flash(path: &Path) -> io::Result<Option<Flash>> {
    character::at(&Kernel::running(), path)?.map_or(Ok(None), |storage| storage.flash())
}

/// Returns the geometry of raw flash that is open. `None` for other files.
///
/// # Errors
/// sysfs cannot be read.
pub(crate) fn flash_of(file: &File) -> io::Result<Option<Flash>> {
    let number = DeviceNumber::of(file.id().device_number());
    character::of_number(&Kernel::running(), number)?.map_or(Ok(None), |storage| storage.flash())
}

/// Returns true for terminals, including the serial ports.
pub fn is_terminal(path: &Path) -> bool {
    topology::is_terminal(&Kernel::running(), path)
}

/// Returns the disks below `path`.
///
/// For a file, which need not exist, these are the disks of its file system. For a block device it is the device, for a
/// partition the whole disk. The list is empty if no disk lies below the path.
///
/// # Errors
/// Returns the error of reading the path or the kernel's tables.
pub fn disks(path: &Path) -> io::Result<Vec<Disk>> {
    disk::under(&Kernel::running(), path)
}

/// Returns the disks and partitions that store `path`.
///
/// # Errors
/// Returns the error of reading the path or the kernel's tables.
pub(crate) fn places(path: &Path) -> io::Result<Vec<Place>> {
    disk::places(&Kernel::running(), path)
}

/// Returns the disks and partitions that store the file behind a link such as `/proc/1/fd/3`. `process` is the folder of the
/// process. The file is not opened.
///
/// # Errors
/// Returns the error of reading the link or the kernel's tables.
pub(crate) fn places_of_link(process: &Path, link: &Path) -> io::Result<Vec<Place>> {
    disk::places_of_link(&Kernel::running(), link, || mounts::of_process(process))
}

/// Returns whether the data of `path` is in memory: on tmpfs, ramfs or devtmpfs, or only on zram, brd and null_blk
/// devices. The path need not exist.
///
/// # Errors
/// Returns the error of reading the path or the kernel's tables.
pub fn is_in_memory(path: &Path) -> io::Result<bool> {
    disk::is_in_memory(&Kernel::running(), path)
}

/// Returns the type of the file system of `path`, by the kernel's name. The path need not exist.
///
/// # Errors
/// Returns the error of reading the path or the kernel's tables.
pub fn file_system(path: &Path) -> io::Result<Option<String>> {
    disk::file_system(&Kernel::running(), path)
}

/// Returns the mount of `path`. The path need not exist.
///
/// # Errors
/// Returns the error of reading the path or the kernel's tables.
pub fn mount(path: &Path) -> io::Result<Option<MountPoint>> {
    disk::mount(&Kernel::running(), path)
}

/// Returns all mounts that this process sees, in the order of the kernel's table.
///
/// # Errors
/// Returns the error of reading the table.
pub(crate) fn all_mounts() -> io::Result<Vec<MountPoint>> {
    Ok(mounts::all(&Kernel::running())?.iter().map(mounts::Mount::point).collect())
}

/// Returns the zone model and limits of a block device, for a partition those of its disk. Other paths have none.
///
/// # Errors
/// Returns the error of reading the path.
pub fn zone_limits(path: &Path) -> io::Result<ZoneLimits> {
    zones::limits(&Kernel::running(), path)
}
