//! Loop devices and their backing files.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::kernel::Kernel;
use super::mounts::Mount;
use super::overlay::Identity;
use super::topology::{Block, all_disks};
use crate::device::DeviceNumber;
use crate::file::OpenOptions;

/// A loop device with a backing file.
pub(super) struct Loop {
    pub(super) block: Block,
    /// The backing file or device, as the kernel names it.
    pub(super) backing_path: PathBuf,
    pub(super) backing_file: Identity,
    /// The backing block device.
    pub(super) backing_device: Option<DeviceNumber>,
    /// The used range of the backing file or device.
    range: Range<u64>,
}

impl Loop {
    /// Returns false for `other`, and for a loop device over another part of the same file or device.
    pub(super) fn is_beside(&self, other: Option<&Loop>) -> bool {
        let Some(other) = other else { return true };
        let is_same_backing = match (self.backing_device, other.backing_device) {
            (None, None) => self.backing_file.is_same(&other.backing_file),
            (one, other) => one == other,
        };
        let overlaps = self.range.start < other.range.end && other.range.start < self.range.end;
        self.block.number != other.block.number && (overlaps || !is_same_backing)
    }
}

/// Returns all loop devices in use.
pub(super) fn active(kernel: &Kernel, mounts: &[Mount]) -> Vec<Loop> {
    all_disks(kernel).into_iter().filter_map(|block| backing(kernel, mounts, block)).collect()
}

fn backing(kernel: &Kernel, mounts: &[Mount], block: Block) -> Option<Loop> {
    let path = PathBuf::from(block.attribute("loop/backing_file")?);
    let start = block.attribute("loop/offset").and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let range = start..block.bytes().map_or(u64::MAX, |bytes| start.saturating_add(bytes));
    // The device is queried first: the path can belong to another mount namespace, or be removed.
    if let Some((device, inode, is_device)) = backing_file(kernel, &block) {
        let backing_device = (is_device != 0).then(|| DeviceNumber::of(is_device));
        let backing_file = Identity::of_open(mounts, &path, (device, inode));
        return Some(Loop { block, backing_path: path, backing_file, backing_device, range });
    }
    let found = fs::metadata(&path).ok()?;
    let backing_device = found.file_type().is_block_device().then(|| DeviceNumber::of(found.rdev()));
    let backing_file = Identity::at(mounts, &path, &found);
    Some(Loop { block, backing_path: path, backing_file, backing_device, range })
}

/// Returns device and inode of the backing file, and the device number if it is a device.
fn backing_file(kernel: &Kernel, block: &Block) -> Option<(u64, u64, u64)> {
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    let file = options.open(&kernel.dev.join(&block.name)).ok()?;
    file.loop_backing().ok()
}
