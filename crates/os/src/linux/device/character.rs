//! Character devices that store data themselves: device DAX (`/dev/dax0.0`) and raw flash (`/dev/mtd0`).

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use units::order::OrderBy;

use super::kernel::Kernel;
use super::topology::class_of;
use crate::device::{DeviceNumber, Flash, UsedDevice};
use crate::linux::errno::if_present;

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
    /// Returns the chip whose sysfs folder is at `folder`. `None` for devices of other classes, and for files.
    fn in_folder(folder: &Path) -> io::Result<Option<Self>> {
        let class = match class_of(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => None,
            class => class?,
        };
        Ok(folder.file_name().filter(|_| class.as_deref() == Some("mtd")).and_then(|name| {
            let name = name.to_str()?;
            let plain_name = name.strip_suffix("ro").unwrap_or(name);
            let index = plain_name.strip_prefix("mtd")?.parse().ok()?;
            Some(Chip { index, folder: folder.with_file_name(plain_name), is_read_only: name != plain_name })
        }))
    }

    /// Returns the chip, its partitions, and the chip that it is a partition of.
    fn related(&self) -> io::Result<Vec<(UsedDevice, Chip)>> {
        let mut partitions = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            partitions.extend(Chip::in_folder(&entry?.path())?.filter(|chip| !chip.is_read_only));
        }
        partitions.order_by_key(|chip| chip.index);
        let whole = self.folder.parent().map_or(Ok(None), Chip::in_folder)?.map(|chip| (UsedDevice::WholeDisk, chip));
        let partitions = partitions.into_iter().map(|chip| (UsedDevice::Partition, chip));
        Ok(std::iter::once((UsedDevice::Target, self.clone())).chain(partitions).chain(whole).collect())
    }

    /// Returns the number of the block device over the chip (`/dev/mtdblock0`), and of a file system on it.
    pub(super) fn block_device(&self) -> DeviceNumber {
        DeviceNumber { major: MTD_BLOCK_MAJOR, minor: self.index }
    }

    /// Returns the path of the chip, by the kernel's name.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/mtd{}", self.index))
    }

    /// Returns the names of the UBI devices on the chip. A kernel without UBI has no list of them.
    ///
    /// # Errors
    /// The list, or the chip of a UBI device, cannot be read.
    pub(super) fn ubi_devices(&self, kernel: &Kernel) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in if_present(fs::read_dir(kernel.sys.join("class/ubi")))?.into_iter().flatten() {
            let entry = entry?;
            let chip = match number_in(&entry.path(), "mtd_num") {
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => None,
                chip => chip?,
            };
            if chip == Some(u64::from(self.index)) {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        Ok(names)
    }
}

/// Returns the device at a path. `None` if it is of another kind.
pub(super) fn at(kernel: &Kernel, path: &Path) -> io::Result<Option<Storage>> {
    number_at(path)?.map_or(Ok(None), |number| of_number(kernel, number))
}

/// Returns the number of the character device at `path`. `None` if it is not a character device.
fn number_at(path: &Path) -> io::Result<Option<DeviceNumber>> {
    let found = fs::metadata(path)?;
    Ok(found.file_type().is_char_device().then(|| DeviceNumber::of(found.rdev())))
}

/// Returns the device with a number. `None` if it is of another kind.
///
/// # Errors
/// sysfs cannot be read.
pub(super) fn of_number(kernel: &Kernel, number: DeviceNumber) -> io::Result<Option<Storage>> {
    let folder = if_present(fs::canonicalize(kernel.sys.join(format!("dev/char/{number}"))))?;
    let Some(folder) = folder else { return Ok(None) };
    match class_of(&folder)?.as_deref() {
        Some("dax") => Ok(Some(Storage::Dax(folder))),
        Some("mtd") => Ok(Chip::in_folder(&folder)?.map(Storage::Flash)),
        _ => Ok(None),
    }
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
    ///
    /// # Errors
    /// sysfs cannot be read.
    pub(super) fn chips(&self) -> io::Result<Vec<(UsedDevice, Chip)>> {
        match self {
            Storage::Dax(_) => Ok(Vec::new()),
            Storage::Flash(chip) => chip.related(),
        }
    }

    /// Returns the size of a DAX device. `None` for flash, or if sysfs has no size.
    ///
    /// # Errors
    /// sysfs cannot be read.
    pub(super) fn dax_bytes(&self) -> io::Result<Option<u64>> {
        match self {
            Storage::Dax(folder) => number_in(folder, "size"),
            Storage::Flash(_) => Ok(None),
        }
    }

    /// Returns the geometry of flash. `None` for a DAX device, or if sysfs does not have it.
    ///
    /// # Errors
    /// sysfs cannot be read.
    pub(super) fn flash(&self) -> io::Result<Option<Flash>> {
        let Storage::Flash(Chip { folder, is_read_only, .. }) = self else { return Ok(None) };
        let [bytes, erase_bytes, write_bytes, flags] =
            ["size", "erasesize", "writesize", "flags"].map(|name| number_in(folder, name));
        let geometry = (bytes?, erase_bytes?, write_bytes?, flags?);
        let (Some(bytes), Some(erase_bytes), Some(write_bytes), Some(flags)) = geometry else { return Ok(None) };
        let is_writable = !is_read_only && flags & MTD_WRITEABLE != 0;
        Ok(Some(Flash { bytes, erase_bytes, write_bytes, is_writable }))
    }
}

/// Returns the number in a file of sysfs. `None` if there is no such file.
fn number_in(folder: &Path, name: &str) -> io::Result<Option<u64>> {
    let Some(text) = if_present(fs::read_to_string(folder.join(name)))? else { return Ok(None) };
    let number = match text.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.trim().parse(),
    };
    let unknown = |_| io::Error::new(io::ErrorKind::InvalidData, format!("{}/{name}: {text:?}", folder.display()));
    number.map(Some).map_err(unknown)
}
