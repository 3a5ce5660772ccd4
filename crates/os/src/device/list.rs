//! All disks of the machine, for those who have to choose one.

use std::path::PathBuf;

use super::Kernel;
use super::holders::{Holder, UsageTables, describe};
use super::topology::{Block, all_disks};

/// A whole disk, or a device made of others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedDisk {
    pub path: PathBuf,
    pub bytes: u64,
    /// Its maker's name for it; what a device that no maker made is or lies on. Empty where nothing is told.
    pub model: String,
    /// Made by the kernel: of other devices, of a file, of memory.
    pub is_virtual: bool,
    /// How it and its partitions are used, as the kernel's tables show it.
    pub used: Vec<Holder>,
}

/// The disks that hold anything, in the order of `lsblk`: by number.
pub(super) fn disks(kernel: &Kernel, tables: &UsageTables) -> Vec<ListedDisk> {
    let mut blocks = all_disks(kernel);
    blocks.sort_by_key(|block| block.number);
    let listed = |block: &Block| {
        let bytes = block.bytes().filter(|bytes| *bytes > 0)?;
        let is_virtual = block.folder.components().any(|part| part.as_os_str() == "virtual");
        Some(ListedDisk {
            path: PathBuf::from(block.path()),
            bytes,
            model: model(block, is_virtual),
            is_virtual,
            used: tables.uses_of_family(kernel, block.number),
        })
    };
    blocks.iter().filter_map(listed).collect()
}

fn model(block: &Block, is_virtual: bool) -> String {
    if let Some(model) = block.attribute("device/model") {
        return model.trim().to_string();
    }
    if let Some(file) = block.attribute("loop/backing_file") {
        return format!("loop device on {file}");
    }
    let is_stack = is_virtual && !block.slaves().is_empty();
    if is_stack { describe(block) } else { String::new() }
}
