//! Character devices that store data themselves: device DAX (`/dev/dax0.0`) and raw flash (`/dev/mtd0`).

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use units::order::OrderBy;

use super::kernel::Kernel;
use crate::device::{DeviceNumber, Flash, UsedDevice};

/// Major number of the block devices over flash (`/dev/mtdblock0`), and of file systems on flash.
const MTD_BLOCK_MAJOR: u32 = 31;
/// `MTD_WRITEABLE` of `mtd-abi.h`.
const MTD_WRITEABLE: u64 = 0x400;

/// A character device that stores data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    /// The folder of the device in sysfs.
    Dax(PathBuf),
    Flash(Chip),
}

/// A device of raw flash: a chip or a partition of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chip {
    /// The number in its name.
    index: u32,
    /// The folder of `mtdN` in sysfs.
    folder: PathBuf,
    /// It is `mtdNro`, the read-only device of the same chip.
    is_read_only: bool,
}

impl Chip {
    /// Returns the chip whose sysfs folder is at `folder`. `None` for devices of other classes.
    fn in_folder(folder: &Path) -> Option<Self> {
        if class_of(folder)? != "mtd" {
            return None;
        }
        let name = folder.file_name()?.to_str()?;
        let plain_name = name.strip_suffix("ro").unwrap_or(name);
        let index = plain_name.strip_prefix("mtd")?.parse().ok()?;
        Some(Chip { index, folder: folder.with_file_name(plain_name), is_read_only: name != plain_name })
    }

    /// Returns the chip, its partitions, and the chip that it is a partition of.
    fn related(&self) -> Vec<(UsedDevice, Chip)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut partitions: Vec<_> = entries.filter_map(|entry| Chip::in_folder(&entry.path())).collect();
        partitions.retain(|chip| !chip.is_read_only);
        partitions.order_by_key(|chip| chip.index);
        let whole = self.folder.parent().and_then(Chip::in_folder).map(|chip| (UsedDevice::WholeDisk, chip));
        let partitions = partitions.into_iter().map(|chip| (UsedDevice::Partition, chip));
        std::iter::once((UsedDevice::Target, self.clone())).chain(partitions).chain(whole).collect()
    }

    /// Returns the number of the block device over the chip (`/dev/mtdblock0`), and of a file system on it.
    pub(super) fn block_device(&self) -> DeviceNumber {
        DeviceNumber { major: MTD_BLOCK_MAJOR, minor: self.index }
    }

    /// Returns the path of the chip, by the kernel's name.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/mtd{}", self.index))
    }

    /// Returns the names of the UBI devices on the chip.
    pub(super) fn ubi_devices(&self, kernel: &Kernel) -> Vec<String> {
        let devices = fs::read_dir(kernel.sys.join("class/ubi")).into_iter().flatten().flatten();
        let is_on_chip = |entry: &fs::DirEntry| number_in(&entry.path(), "mtd_num") == Some(u64::from(self.index));
        devices.filter(is_on_chip).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// Returns the device at a path. `None` if it is of another kind.
pub(super) fn at(kernel: &Kernel, path: &Path) -> io::Result<Option<Storage>> {
    Ok(number_at(path)?.and_then(|number| of_number(kernel, number)))
}

/// Returns the number of the character device at `path`. `None` if it is not a character device.
fn number_at(path: &Path) -> io::Result<Option<DeviceNumber>> {
    let found = fs::metadata(path)?;
    Ok(found.file_type().is_char_device().then(|| DeviceNumber::of(found.rdev())))
}

/// Returns the device with a number. `None` if it is of another kind.
pub(super) fn of_number(kernel: &Kernel, number: DeviceNumber) -> Option<Storage> {
    let folder = fs::canonicalize(kernel.sys.join(format!("dev/char/{number}"))).ok()?;
    match class_of(&folder)?.as_str() {
        "dax" => Some(Storage::Dax(folder)),
        "mtd" => Chip::in_folder(&folder).map(Storage::Flash),
        _ => None,
    }
}

/// Returns the class or bus of a device, by its folder in sysfs.
fn class_of(folder: &Path) -> Option<String> {
    let class = fs::canonicalize(folder.join("subsystem")).ok()?;
    Some(class.file_name()?.to_str()?.to_owned())
}

impl Storage {
    /// Returns true for two devices of the same storage, such as `mtd0` and `mtd0ro`.
    pub(super) fn is_same(&self, other: &Storage) -> bool {
        match (self, other) {
            (Storage::Flash(chip), Storage::Flash(other)) => chip.index == other.index,
            _ => self == other,
        }
    }

    /// Returns the chip, its partitions, and the chip that it is a partition of. A DAX device has none.
    pub(super) fn chips(&self) -> Vec<(UsedDevice, Chip)> {
        match self {
            Storage::Dax(_) => Vec::new(),
            Storage::Flash(chip) => chip.related(),
        }
    }

    /// Returns the size of a DAX device. `None` for flash, or if sysfs has no size.
    pub(super) fn dax_bytes(&self) -> Option<u64> {
        match self {
            Storage::Dax(folder) => number_in(folder, "size"),
            Storage::Flash(_) => None,
        }
    }

    /// Returns the geometry of flash. `None` for a DAX device, or if sysfs does not have it.
    pub(super) fn flash(&self) -> Option<Flash> {
        let Storage::Flash(Chip { folder, is_read_only, .. }) = self else { return None };
        Some(Flash {
            bytes: number_in(folder, "size")?,
            erase_bytes: number_in(folder, "erasesize")?,
            write_bytes: number_in(folder, "writesize")?,
            is_writable: !is_read_only && number_in(folder, "flags")? & MTD_WRITEABLE != 0,
        })
    }
}

/// Returns the number in a file of sysfs.
fn number_in(folder: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(folder.join(name)).ok()?;
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
