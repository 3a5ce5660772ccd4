//! Character devices that store data themselves: device DAX (`/dev/dax0.0`) and raw flash (`/dev/mtd0`).

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::holders::{UsageTables, programs_with};
use super::kernel::Kernel;
use crate::device::{DeviceNumber, Holder, Relation, Use};

/// Major number of the block devices over flash (`/dev/mtdblock0`), and of file systems on flash.
const MTD_BLOCK_MAJOR: u32 = 31;

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
    folder: PathBuf,
}

impl Chip {
    /// Returns the chip whose sysfs folder is at `folder`.
    fn in_folder(folder: PathBuf) -> Option<Self> {
        let name = folder.file_name()?.to_str()?;
        // `mtd0ro` is the same chip.
        let index = name.strip_suffix("ro").unwrap_or(name).strip_prefix("mtd")?.parse().ok()?;
        Some(Chip { index, folder })
    }

    /// Returns the chip, its partitions, and the chip that it is a partition of.
    fn related(&self) -> Vec<(Relation, Chip)> {
        let folder = match self.folder.file_name().is_some_and(|name| name.to_string_lossy().ends_with("ro")) {
            true => self.folder.with_file_name(format!("mtd{}", self.index)),
            false => self.folder.clone(),
        };
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let partitions = entries.filter_map(|entry| Chip::in_folder(entry.path())).filter(|chip| !chip.is_read_only());
        let mut related = vec![(Relation::Itself, Chip { index: self.index, folder: folder.clone() })];
        related.extend(partitions.map(|chip| (Relation::Partition, chip)));
        let whole = folder.parent().and_then(|parent| Chip::in_folder(parent.to_owned()));
        related.extend(whole.map(|chip| (Relation::WholeDisk, chip)));
        related
    }

    /// Returns true for the device that only reads.
    fn is_read_only(&self) -> bool {
        self.folder.to_string_lossy().ends_with("ro")
    }

    /// Returns the uses of the chip by file systems, block devices over it and UBI.
    fn uses(&self, kernel: &Kernel, tables: &UsageTables) -> Vec<Use> {
        let number = DeviceNumber { major: MTD_BLOCK_MAJOR, minor: self.index };
        let above = tables.uses_with_partitions(kernel, number).into_iter().map(|holder| holder.used);
        above.chain(self.volumes(kernel)).collect()
    }

    /// Returns the UBI devices on the chip.
    fn volumes(&self, kernel: &Kernel) -> Vec<Use> {
        let devices = fs::read_dir(kernel.sys.join("class/ubi")).into_iter().flatten().flatten();
        let is_on_chip = |folder: &PathBuf| number_in(folder, "mtd_num") == Some(u64::from(self.index));
        let names = devices.map(|entry| entry.path()).filter(is_on_chip);
        let used = |folder: PathBuf| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Use::Stacked { device: format!("UBI device {name}"), then: Vec::new() }
        };
        names.map(used).collect()
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
    let class = fs::canonicalize(folder.join("subsystem")).ok()?;
    match class.file_name()?.to_str()? {
        "dax" => Some(Storage::Dax(folder)),
        "mtd" => Chip::in_folder(folder).map(Storage::Flash),
        _ => None,
    }
}

impl Storage {
    /// Returns the size of a DAX device.
    pub(super) fn dax_bytes(&self) -> Option<u64> {
        match self {
            Storage::Dax(folder) => number_in(folder, "size"),
            Storage::Flash(_) => None,
        }
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

/// Returns the uses of a device. Programs that have it open are uses, because no program can open it exclusively.
pub(super) fn holders(kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<Holder>> {
    let Some(number) = number_at(path)? else { return Ok(Vec::new()) };
    let Some(storage) = of_number(kernel, number) else { return Ok(Vec::new()) };
    let mut holders = Vec::new();
    if let Storage::Flash(chip) = &storage {
        for (relation, chip) in chip.related() {
            let device = PathBuf::from(format!("/dev/mtd{}", chip.index));
            let holder = |used| Holder { device: device.clone(), relation, used };
            holders.extend(chip.uses(kernel, tables).into_iter().map(holder));
        }
    }
    let is_same = |found: DeviceNumber| found == number || of_number(kernel, found).as_ref() == Some(&storage);
    let is_device = |path: &Path| matches!(number_at(path), Ok(Some(found)) if is_same(found));
    let by = programs_with(kernel, &is_device);
    if !by.is_empty() {
        holders.push(Holder { device: path.to_path_buf(), relation: Relation::Itself, used: Use::Open { by } });
    }
    Ok(holders)
}
