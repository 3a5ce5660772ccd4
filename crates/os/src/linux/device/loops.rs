//! Loop devices and their backing files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::kernel::Kernel;
use super::mounts::Mount;
use super::overlay::Identity;
use super::topology::{Block, all_disks};
use crate::device::DeviceNumber;
use crate::file::Inode;
use crate::file::OpenOptions;
use crate::linux::errno::{self, if_present};

/// A loop device with a backing file.
pub(super) struct Loop {
    pub(super) block: Block,
    /// The backing file or device, as the kernel names it.
    pub(super) backing_path: PathBuf,
    pub(super) backing: Backing,
    /// The used range of the backing file or device.
    range: Range<u64>,
}

/// What a loop device is on.
pub(super) enum Backing {
    File(Identity),
    Device(DeviceNumber),
    /// Its path is of another mount namespace or cannot be read, and so is the device.
    Unknown,
}

impl Loop {
    /// Returns false for `other`, and for a loop device over another part of the same file or device.
    pub(super) fn is_beside(&self, other: Option<&Loop>) -> bool {
        let Some(other) = other else { return true };
        let is_same_backing = match (&self.backing, &other.backing) {
            (Backing::File(one), Backing::File(other)) => one.is_same(other),
            (one, other) => one.device().is_some() && one.device() == other.device(),
        };
        let overlaps = self.range.start < other.range.end && other.range.start < self.range.end;
        self.block.number != other.block.number && (overlaps || !is_same_backing)
    }

    pub(super) fn backing_device(&self) -> Option<DeviceNumber> {
        self.backing.device()
    }

    /// Returns true if the loop device is on this file, or if that cannot be excluded.
    pub(super) fn is_on(&self, file: &Identity) -> bool {
        const SECTOR_BYTES: u64 = 512;
        match &self.backing {
            Backing::File(backing) => backing.is_same(file),
            Backing::Device(_) => false,
            // The kernel sets the size of the device by that of the file.
            Backing::Unknown => file.bytes().is_none_or(|bytes| {
                let is_all = bytes / SECTOR_BYTES == self.range.end / SECTOR_BYTES;
                is_all || bytes >= self.range.end && self.has_size_limit()
            }),
        }
    }

    fn has_size_limit(&self) -> bool {
        self.block.attribute("loop/sizelimit").is_none_or(|bytes| bytes != "0")
    }
}

impl Backing {
    fn device(&self) -> Option<DeviceNumber> {
        if let Backing::Device(number) = self { Some(*number) } else { None }
    }
}

/// Returns all loop devices in use.
///
/// # Errors
/// The list of devices or the path of a backing file cannot be read.
pub(super) fn active(kernel: &Kernel, mounts: &[Mount]) -> io::Result<Vec<Loop>> {
    all_disks(kernel)?.into_iter().filter_map(|block| on_backing(kernel, mounts, block).transpose()).collect()
}

/// Returns the loop device of a block device. `None` for other devices.
fn on_backing(kernel: &Kernel, mounts: &[Mount], block: Block) -> io::Result<Option<Loop>> {
    let backing_path = match fs::read(block.folder.join("loop/backing_file")) {
        // A path longer than a page.
        Err(error) if errno::of(&error) == Some(libc::ENAMETOOLONG) => Some(Vec::new()),
        path => if_present(path)?,
    };
    let Some(mut backing_path) = backing_path else { return Ok(None) };
    backing_path.pop_if(|last| *last == b'\n');
    let backing_path = PathBuf::from(OsString::from_vec(backing_path));
    let start = block.attribute("loop/offset").and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let range = start..block.bytes().map_or(u64::MAX, |bytes| start.saturating_add(bytes));
    // The device is queried first: the path can belong to another mount namespace, or be removed.
    let backing = match (backing_file(kernel, &block), fs::metadata(&backing_path)) {
        (Some((_, _, is_device @ 1..)), _) => Backing::Device(DeviceNumber::of(is_device)),
        (Some((device, inode, 0)), _) => {
            Backing::File(Identity::of_open(mounts, &backing_path, Inode { device, number: inode }))
        }
        (None, Ok(found)) if found.file_type().is_block_device() => Backing::Device(DeviceNumber::of(found.rdev())),
        (None, Ok(found)) => Backing::File(Identity::at(mounts, &backing_path, &found)),
        (None, Err(_)) => Backing::Unknown,
    };
    Ok(Some(Loop { block, backing_path, backing, range }))
}

/// Returns device and inode of the backing file, and the device number if it is a device.
fn backing_file(kernel: &Kernel, block: &Block) -> Option<(u64, u64, u64)> {
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    let file = options.open(&kernel.dev.join(&block.name)).ok()?;
    file.loop_backing().ok()
}
