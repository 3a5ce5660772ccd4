//! Loop devices and their backing files.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::kernel::Kernel;
use super::topology::{Block, DeviceNumber, all_disks};
use crate::file::OpenOptions;

/// A loop device with a backing file.
pub(super) struct Loop {
    pub(super) block: Block,
    /// Device and inode of the backing file.
    pub(super) backing_file_id: Option<(u64, u64)>,
    /// The backing block device.
    pub(super) backing_device: Option<DeviceNumber>,
}

/// Returns all loop devices in use.
pub(super) fn active(kernel: &Kernel) -> Vec<Loop> {
    all_disks(kernel).into_iter().filter_map(|block| backing(kernel, block)).collect()
}

fn backing(kernel: &Kernel, block: Block) -> Option<Loop> {
    let path = block.attribute("loop/backing_file")?;
    // The device is queried first: the path can belong to another mount namespace, or be removed.
    if let Some((device, inode, is_device)) = backing_file(kernel, &block) {
        let backing_device = (is_device != 0).then(|| DeviceNumber::of(is_device));
        return Some(Loop { block, backing_file_id: Some((device, inode)), backing_device });
    }
    let found = fs::metadata(PathBuf::from(path)).ok()?;
    let backing_device = found.file_type().is_block_device().then(|| DeviceNumber::of(found.rdev()));
    Some(Loop { block, backing_file_id: Some((found.dev(), found.ino())), backing_device })
}

/// Returns device and inode of the backing file, and the device number if it is a device.
fn backing_file(kernel: &Kernel, block: &Block) -> Option<(u64, u64, u64)> {
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    let file = options.open(&kernel.dev.join(&block.name)).ok()?;
    file.loop_backing().ok()
}
