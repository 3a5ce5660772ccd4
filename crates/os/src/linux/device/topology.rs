//! Devices, partitions and stacked devices, by device number.

use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use units::order::OrderBy;

use super::kernel::Kernel;
use crate::device::DeviceNumber;

impl DeviceNumber {
    pub(super) fn of(raw: u64) -> Self {
        DeviceNumber { major: libc::major(raw), minor: libc::minor(raw) }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// Returns the number of the block device at `path`. `None` if it is not a block device.
pub(super) fn block_device_at(path: &Path) -> io::Result<Option<DeviceNumber>> {
    let found = fs::metadata(path)?;
    Ok(found.file_type().is_block_device().then(|| DeviceNumber::of(found.rdev())))
}

/// Returns true for the character devices of the kernel that store nothing: `null`, `zero`, `full`, `random` and `urandom`.
pub(super) fn is_without_storage(path: &Path) -> bool {
    const MEM_MAJOR: u32 = 1;
    const MINORS: [u32; 5] = [3, 5, 7, 8, 9];
    let Ok(found) = fs::metadata(path) else { return false };
    let number = DeviceNumber::of(found.rdev());
    found.file_type().is_char_device() && number.major == MEM_MAJOR && MINORS.contains(&number.minor)
}

/// Returns true for a terminal. sysfs does not list pseudo-terminals.
pub(super) fn is_terminal(kernel: &Kernel, path: &Path) -> bool {
    /// `UNIX98_PTY_SLAVE_MAJOR` in `major.h` of the kernel.
    const PSEUDO_TERMINALS: RangeInclusive<u32> = 136..=143;
    let Ok(found) = fs::metadata(path) else { return false };
    let number = DeviceNumber::of(found.rdev());
    let class = || fs::canonicalize(kernel.sys.join(format!("dev/char/{number}/subsystem"))).ok();
    found.file_type().is_char_device()
        && (PSEUDO_TERMINALS.contains(&number.major) || class().is_some_and(|class| class.ends_with("class/tty")))
}

/// Returns the block device of the disk behind a character device: of an NVMe namespace (`/dev/ng0n1`) or a SCSI disk
/// (`/dev/sg0`, `/dev/bsg/0:0:0:0`). `None` for other devices.
///
/// # Errors
/// The device file of the disk is missing, or is of another device.
pub(super) fn disk_behind(kernel: &Kernel, path: &Path) -> io::Result<Option<PathBuf>> {
    let found = fs::metadata(path)?;
    if !found.file_type().is_char_device() {
        return Ok(None);
    }
    let Some(block) = block_behind(kernel, DeviceNumber::of(found.rdev())) else { return Ok(None) };
    let path = kernel.dev.join(block.name.replace('!', "/"));
    if block_device_at(&path)? == Some(block.number) {
        return Ok(Some(path));
    }
    Err(io::Error::other(format!("{} is not the device {}", path.display(), block.number)))
}

/// Returns the block device of the disk behind the character device with this number.
pub(super) fn block_behind(kernel: &Kernel, number: DeviceNumber) -> Option<Block> {
    let folder = fs::canonicalize(kernel.sys.join(format!("dev/char/{number}"))).ok()?;
    let class = fs::canonicalize(folder.join("subsystem")).ok()?;
    match class.file_name()?.to_str()? {
        // The namespace has the same numbers as block device, below the same controller or subsystem.
        "nvme-generic" => {
            let numbers = folder.file_name()?.to_str()?.strip_prefix("ng")?;
            Block::in_folder(&folder.parent()?.join(format!("nvme{numbers}")))
        }
        "scsi_generic" | "bsg" => match blocks_in(&folder.join("device/block")).ok()?.as_slice() {
            [disk] => Some(disk.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A block device in sysfs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub(super) number: DeviceNumber,
    /// The kernel's name, such as `sda1`.
    pub(super) name: String,
    /// Its folder in sysfs.
    pub(super) folder: PathBuf,
}

impl Block {
    /// Returns the device with this number. `None` if sysfs does not have it.
    pub(super) fn numbered(kernel: &Kernel, number: DeviceNumber) -> Option<Self> {
        Self::in_folder(&kernel.sys.join("dev/block").join(number.to_string()))
    }

    /// Returns the device whose sysfs folder, or a link to it, is at `path`.
    pub(super) fn in_folder(path: &Path) -> Option<Self> {
        let folder = fs::canonicalize(path).ok()?;
        let number = DeviceNumber::parse(&fs::read_to_string(folder.join("dev")).ok()?)?;
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(Block { number, name, folder })
    }

    pub(super) fn is_partition(&self) -> bool {
        self.folder.join("partition").exists()
    }

    /// Returns the disk of a partition.
    pub(super) fn whole(&self) -> Option<Block> {
        if !self.is_partition() {
            return None;
        }
        Block::in_folder(self.folder.parent()?)
    }

    pub(super) fn partitions(&self) -> io::Result<Vec<Block>> {
        let mut partitions = blocks_in(&self.folder)?;
        partitions.retain(Block::is_partition);
        Ok(partitions)
    }

    /// Returns the block devices of the other paths to this disk, and their partitions. For a partition, only the partitions with
    /// the same start. The kernel has a block device for each path. Block devices are paths to one disk if they have the same size and
    /// the same identifier: `wwid` in sysfs, from SCSI page 0x83 or the NVMe UUID, NGUID or EUI64.
    ///
    /// # Errors
    /// The list of disks cannot be read.
    pub(super) fn by_other_paths(&self, kernel: &Kernel) -> io::Result<Vec<Block>> {
        let disk = self.whole().unwrap_or_else(|| self.clone());
        let Some(identity) = disk.identity() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for other in all_disks(kernel)? {
            if other.number == disk.number || other.identity().as_ref() != Some(&identity) {
                continue;
            }
            let partitions = other.partitions()?.into_iter();
            // The kernel may still have an older table of partitions for the other path.
            let is_at_place = |other: &Block| !self.is_partition() || self.overlaps(other);
            found.extend(partitions.filter(is_at_place));
            found.push(other);
        }
        Ok(found)
    }

    /// Returns whether two partitions have common blocks. A partition whose place is not known can be anywhere.
    fn overlaps(&self, other: &Block) -> bool {
        let place = |block: &Block| Some((block.start()?, block.start()?.checked_add(block.bytes()?)?));
        place(self).zip(place(other)).is_none_or(|(own, other)| own.0 < other.1 && other.0 < own.1)
    }

    fn identity(&self) -> Option<(String, u64)> {
        let name = self.attribute("wwid").or_else(|| self.attribute("device/wwid"))?;
        Some((name, self.bytes()?)).filter(|(name, _)| !name.is_empty())
    }

    /// Returns the devices stacked on this one.
    pub(super) fn holders(&self) -> io::Result<Vec<Block>> {
        blocks_in(&self.folder.join("holders"))
    }

    /// Returns the devices below this one.
    pub(super) fn slaves(&self) -> io::Result<Vec<Block>> {
        blocks_in(&self.folder.join("slaves"))
    }

    /// Returns the start of a partition on its disk, in bytes.
    pub(super) fn start(&self) -> Option<u64> {
        let sectors: u64 = self.attribute("start")?.parse().ok()?;
        sectors.checked_mul(512)
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> Option<u64> {
        let sectors: u64 = self.attribute("size")?.parse().ok()?;
        sectors.checked_mul(512)
    }

    /// Returns the content of a sysfs file, without the final newline.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok().map(|text| text.trim_end().to_string())
    }

    /// Returns the path of the device file, by the kernel's name.
    pub(super) fn path(&self) -> String {
        format!("/dev/{}", self.name.replace('!', "/"))
    }
}

/// Returns the block devices that the entries of `folder` are or link to, by name. A device without this folder has none.
fn blocks_in(folder: &Path) -> io::Result<Vec<Block>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => blocks_of(entries?),
    }
}

fn blocks_of(entries: fs::ReadDir) -> io::Result<Vec<Block>> {
    let mut blocks = Vec::new();
    for entry in entries {
        let path = entry?.path();
        blocks.extend(if path.join("dev").exists() { Block::in_folder(&path) } else { None });
    }
    blocks.order_by(|one, other| one.name.cmp(&other.name));
    Ok(blocks)
}

/// Returns all whole block devices.
///
/// # Errors
/// sysfs is missing or cannot be read.
pub(super) fn all_disks(kernel: &Kernel) -> io::Result<Vec<Block>> {
    blocks_of(fs::read_dir(kernel.sys.join("block"))?)
}
