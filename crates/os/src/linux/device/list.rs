//! List of all disks, for the choice of a target.

use std::path::PathBuf;

use units::order::OrderBy;
use units::untrusted::UntrustedText;

use super::holders::{UsageTables, describe};
use super::kernel::Kernel;
use super::topology::{Block, all_disks};
use crate::device::ListedDisk;

/// Returns all disks with a size above 0, by device number as `lsblk` does. A disk whose uses cannot be read is not listed.
pub(super) fn disks(kernel: &Kernel, tables: &UsageTables) -> Vec<ListedDisk> {
    let mut blocks = all_disks(kernel).unwrap_or_default();
    blocks.order_by_key(|block| block.number);
    let listed = |block: &Block| {
        let bytes = block.bytes().filter(|bytes| *bytes > 0)?;
        let is_virtual = block.folder.components().any(|part| part.as_os_str() == "virtual");
        Some(ListedDisk {
            path: PathBuf::from(block.path()),
            bytes,
            model: model(block, is_virtual),
            is_virtual,
            used: tables.uses_with_partitions(kernel, block.number).ok()?,
        })
    };
    blocks.iter().filter_map(listed).collect()
}

/// Returns the paths of all block devices with a size above 0, partitions included.
pub(super) fn paths(kernel: &Kernel) -> Vec<PathBuf> {
    let with_partitions = |disk: Block| {
        let partitions = disk.partitions().unwrap_or_default();
        std::iter::once(disk).chain(partitions)
    };
    let all = all_disks(kernel).unwrap_or_default().into_iter().flat_map(with_partitions);
    all.filter(|block| block.bytes().is_some_and(|bytes| bytes > 0)).map(|block| block.path().into()).collect()
}

fn model(block: &Block, is_virtual: bool) -> UntrustedText {
    if let Some(model) = block.attribute("device/model") {
        return model.trim().into();
    }
    if let Some(file) = block.attribute("loop/backing_file") {
        return format!("loop device on {file}").into();
    }
    let is_stack = is_virtual && block.slaves().is_ok_and(|slaves| !slaves.is_empty());
    if is_stack { describe(block) } else { UntrustedText::default() }
}
