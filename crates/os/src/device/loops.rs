//! Loop devices and what they lie on.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::Kernel;
use super::topology::{Block, DeviceNumber, all_disks};
use crate::file::OpenOptions;

/// A loop device that lies on something.
pub(super) struct Loop {
    pub(super) block: Block,
    /// Device and inode of the file beneath.
    pub(super) file_beneath: Option<(u64, u64)>,
    /// The block device beneath.
    pub(super) device_beneath: Option<DeviceNumber>,
}

/// All loop devices in use.
pub(super) fn active(kernel: &Kernel) -> Vec<Loop> {
    all_disks(kernel).into_iter().filter_map(|block| beneath(kernel, block)).collect()
}

fn beneath(kernel: &Kernel, block: Block) -> Option<Loop> {
    let path = block.attribute("loop/backing_file")?;
    // The device itself knows best: the path may be of another mount namespace, or removed.
    if let Some((device, inode, is_device)) = ask(kernel, &block) {
        let device_beneath = (is_device != 0).then(|| DeviceNumber::of(is_device));
        return Some(Loop { block, file_beneath: Some((device, inode)), device_beneath });
    }
    let found = fs::metadata(PathBuf::from(path)).ok()?;
    let device_beneath = found.file_type().is_block_device().then(|| DeviceNumber::of(found.rdev()));
    Some(Loop { block, file_beneath: Some((found.dev(), found.ino())), device_beneath })
}

/// Device and inode of the file beneath, and the device that the file is.
fn ask(kernel: &Kernel, block: &Block) -> Option<(u64, u64, u64)> {
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    let file = options.open(&kernel.dev.join(&block.name)).ok()?;
    file.loop_beneath().ok()
}
