//! Devices, partitions and stacked devices, by device number.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::ops::RangeInclusive;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use units::order::OrderBy;

use super::kernel::Kernel;
use crate::device::DeviceNumber;
use crate::linux::errno::if_present;

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
    let Some(block) = block_behind(kernel, DeviceNumber::of(found.rdev()))? else { return Ok(None) };
    let path = kernel.dev.join(block.name.replace('!', "/"));
    if block_device_at(&path)? == Some(block.number) {
        return Ok(Some(path));
    }
    Err(io::Error::other(format!("{} is not the device {}", path.display(), block.number)))
}

/// Returns the block device of the disk behind the character device with this number.
///
/// # Errors
/// sysfs cannot be read.
pub(super) fn block_behind(kernel: &Kernel, number: DeviceNumber) -> io::Result<Option<Block>> {
    let folder = if_present(fs::canonicalize(kernel.sys.join(format!("dev/char/{number}"))))?;
    let Some(folder) = folder else { return Ok(None) };
    match class_of(&folder)?.as_deref() {
        // The namespace has the same numbers as block device, below the same controller or subsystem.
        Some("nvme-generic") => {
            let numbers = folder.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_prefix("ng"));
            let namespace = numbers.map(|numbers| folder.with_file_name(format!("nvme{numbers}")));
            namespace.map_or(Ok(None), |namespace| Block::in_folder(&namespace))
        }
        Some("scsi_generic" | "bsg") => match blocks_in(&folder.join("device/block"))?.as_slice() {
            [disk] => Ok(Some(disk.clone())),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Returns the class or bus of a device, by its folder in sysfs.
///
/// # Errors
/// sysfs cannot be read.
pub(super) fn class_of(folder: &Path) -> io::Result<Option<String>> {
    let class = if_present(fs::canonicalize(folder.join("subsystem")))?;
    Ok(class.and_then(|class| Some(class.file_name()?.to_str()?.to_owned())))
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
    ///
    /// # Errors
    /// As [`Block::in_folder`].
    pub(super) fn numbered(kernel: &Kernel, number: DeviceNumber) -> io::Result<Option<Self>> {
        Self::in_folder(&kernel.sys.join("dev/block").join(number.to_string()))
    }

    /// Returns the device whose sysfs folder, or a link to it, is at `path`. `None` if it is not the folder of a device.
    ///
    /// # Errors
    /// sysfs cannot be read, or the device has no valid number.
    pub(super) fn in_folder(path: &Path) -> io::Result<Option<Self>> {
        let number = match fs::read_to_string(path.join("dev")) {
            // The path is of a file, or of a folder with another meaning of the name (`bcache`).
            Err(error) if matches!(error.kind(), ErrorKind::NotADirectory | ErrorKind::IsADirectory) => None,
            number => if_present(number)?,
        };
        let Some(number) = number else { return Ok(None) };
        let Some(folder) = if_present(fs::canonicalize(path))? else { return Ok(None) };
        let unknown = || io::Error::new(ErrorKind::InvalidData, format!("{}/dev: {number:?}", folder.display()));
        let number = DeviceNumber::parse(&number).ok_or_else(unknown)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some(Block { number, name, folder }))
    }

    pub(super) fn is_partition(&self) -> bool {
        self.folder.join("partition").exists()
    }

    /// Returns the disk of a partition.
    ///
    /// # Errors
    /// As [`Block::in_folder`].
    pub(super) fn whole(&self) -> io::Result<Option<Block>> {
        let parent = self.folder.parent().filter(|_| self.is_partition());
        parent.map_or(Ok(None), Block::in_folder)
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
        let disk = self.whole()?.unwrap_or_else(|| self.clone());
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

    /// Returns start and size of a partition, in bytes.
    ///
    /// # Errors
    /// sysfs does not have them.
    pub(super) fn bounds(&self) -> io::Result<(u64, u64)> {
        let no_bounds = || io::Error::new(ErrorKind::InvalidData, format!("{}: sysfs has no bounds", self.name));
        let bounds = self.start().zip(self.bytes());
        bounds.filter(|(start, bytes)| start.checked_add(*bytes).is_some()).ok_or_else(no_bounds)
    }

    /// Returns the content of a sysfs file, without the final newline. Other characters replace bytes that are not UTF-8.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let bytes = fs::read(self.folder.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_string())
    }

    /// Returns the path of the device file, by the kernel's name.
    pub(super) fn path(&self) -> String {
        format!("/dev/{}", self.name.replace('!', "/"))
    }
}

/// Returns the block devices that the entries of `folder` are or link to, by name. A device without this folder has none.
fn blocks_in(folder: &Path) -> io::Result<Vec<Block>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        entries => blocks_of(entries?),
    }
}

fn blocks_of(entries: fs::ReadDir) -> io::Result<Vec<Block>> {
    let mut blocks = Vec::new();
    for entry in entries {
        blocks.extend(Block::in_folder(&entry?.path())?);
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
