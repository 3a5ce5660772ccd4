//! Loop devices and their backing files.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::kernel::Kernel;
use super::mounts::Mount;
use super::overlay::Identity;
use super::topology::{Block, DeviceNumber, all_disks};
use crate::file::OpenOptions;

/// A loop device with a backing file.
pub(super) struct Loop {
    pub(super) block: Block,
    pub(super) backing_file: Identity,
    /// The backing block device.
    pub(super) backing_device: Option<DeviceNumber>,
}

/// Returns all loop devices in use.
pub(super) fn active(kernel: &Kernel, mounts: &[Mount]) -> Vec<Loop> {
    all_disks(kernel).into_iter().filter_map(|block| backing(kernel, mounts, block)).collect()
}

fn backing(kernel: &Kernel, mounts: &[Mount], block: Block) -> Option<Loop> {
    let path = PathBuf::from(block.attribute("loop/backing_file")?);
    // The device is queried first: the path can belong to another mount namespace, or be removed.
    if let Some((device, inode, is_device)) = backing_file(kernel, &block) {
        let backing_device = (is_device != 0).then(|| DeviceNumber::of(is_device));
        let backing_file = Identity::of_open(mounts, &path, (device, inode));
        return Some(Loop { block, backing_file, backing_device });
    }
    let found = fs::metadata(&path).ok()?;
    let backing_device = found.file_type().is_block_device().then(|| DeviceNumber::of(found.rdev()));
    Some(Loop { block, backing_file: Identity::at(mounts, &path, &found), backing_device })
}

/// Returns device and inode of the backing file, and the device number if it is a device.
fn backing_file(kernel: &Kernel, block: &Block) -> Option<(u64, u64, u64)> {
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    let file = options.open(&kernel.dev.join(&block.name)).ok()?;
    file.loop_backing().ok()
}
