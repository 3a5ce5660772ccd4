//! Block devices as the kernel lays them out: who uses one, what lies under a path, what a disk has counted.
//!
//! What the kernel says is read below `/sys`, `/proc` and `/dev`, which tests replace by made-up folders.

mod disk;
mod holders;
mod list;
mod loops;
mod mounts;
mod signature;
#[cfg(test)]
mod tests;
mod topology;

use std::io;
use std::path::{Path, PathBuf};

pub use disk::{Counters, Disk, DiskInfo, MountPoint};
use holders::UsageTables;
pub use holders::{Holder, Relation, Use};
pub use list::ListedDisk;
pub use topology::DeviceNumber;

/// Where the kernel's account of devices is read.
#[derive(Clone, Debug)]
struct Kernel {
    sys: PathBuf,
    proc: PathBuf,
    dev: PathBuf,
}

impl Kernel {
    fn running() -> Self {
        Kernel { sys: PathBuf::from("/sys"), proc: PathBuf::from("/proc"), dev: PathBuf::from("/dev") }
    }
}

/// Who uses what on this machine, read once to be asked of many paths.
pub struct InUseSnapshot {
    kernel: Kernel,
    tables: UsageTables,
}

impl InUseSnapshot {
    pub fn take() -> io::Result<Self> {
        let kernel = Kernel::running();
        Ok(InUseSnapshot { tables: UsageTables::read(&kernel)?, kernel })
    }

    /// Who uses what `path` leads to, through any alias of it: a block device that is mounted, swapped to, stacked
    /// upon, held by another program, a member of a set of devices, itself or by one of its partitions or by the disk
    /// that it is a partition of; a file that a loop device or swap lies on. Empty: nobody, a write harms nothing that
    /// is in use.
    pub fn holders(&self, path: &Path) -> io::Result<Vec<Holder>> {
        holders::of(&self.kernel, &self.tables, path)
    }

    /// The machine's disks, those that are made of others among them, in the order of `lsblk`.
    pub fn disks(&self) -> Vec<ListedDisk> {
        list::disks(&self.kernel, &self.tables)
    }
}

/// As [`InUseSnapshot::holders`], for one path.
pub fn holders(path: &Path) -> io::Result<Vec<Holder>> {
    InUseSnapshot::take()?.holders(path)
}

/// The disks under `path`: for a file, whether it exists already or not, those of its file system; for a block device
/// that device, and for a partition its whole disk. Empty where no disk lies under it.
pub fn disks(path: &Path) -> io::Result<Vec<Disk>> {
    disk::under(&Kernel::running(), path)
}

/// The kind of file system that what is at `path`, or will be, lies on, in the kernel's word for it.
pub fn file_system(path: &Path) -> io::Result<Option<String>> {
    disk::file_system(&Kernel::running(), path)
}

/// The mount that what is at `path`, or will be, lies on.
pub fn mount(path: &Path) -> io::Result<Option<MountPoint>> {
    disk::mount(&Kernel::running(), path)
}
