//! Claims: block devices that this process holds open exclusively. The kernel refuses mounts of a claimed device, of its
//! partitions and of its whole disk, and every other exclusive open (`EBUSY`).

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::holders::{self, Exclusive, Holder, UsageTables};
use super::kernel::Kernel;
use super::topology::{Block, DeviceNumber, block_device_at};
use crate::file::File;

/// Block devices that this process holds open exclusively, until it is dropped. Normal opens of the devices succeed.
#[derive(Debug, Default)]
pub struct Claims {
    held: BTreeMap<DeviceNumber, File>,
}

impl Claims {
    /// See [`super::InUseSnapshot::holders_beside`].
    pub(super) fn others(&self, kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<Holder>> {
        match block_device_at(path) {
            // An exclusive open would find the claim, and signatures can be data of this run.
            Ok(Some(number)) if self.overlap(kernel, number) => Ok(tables.uses_with_partitions(kernel, number)),
            _ => holders::of(kernel, tables, path),
        }
    }

    /// Returns true if the device, its whole disk or a partition of it is claimed.
    fn overlap(&self, kernel: &Kernel, number: DeviceNumber) -> bool {
        let related = || holders::related_devices(kernel, number);
        !self.held.is_empty() && related().iter().any(|(_, block)| self.held.contains_key(&block.number))
    }

    /// See [`super::InUseSnapshot::claim`].
    pub(super) fn add(&mut self, kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<Holder>> {
        let holders = self.others(kernel, tables, path)?;
        let Some(number) = block_device_at(path)?.filter(|_| holders.is_empty()) else { return Ok(holders) };
        let block = Block::numbered(kernel, number);
        let whole = block.as_ref().and_then(Block::whole);
        if self.held.contains_key(&number) || whole.is_some_and(|whole| self.held.contains_key(&whole.number)) {
            return Ok(holders);
        }
        // The kernel grants a disk or its partitions, even to one process. The disk includes its partitions.
        for partition in block.iter().flat_map(Block::partitions) {
            self.held.remove(&partition.number);
        }
        match holders::open_exclusively(kernel, number, path)? {
            Exclusive::Open(file) => {
                self.held.insert(number, file);
                Ok(holders)
            }
            Exclusive::Busy(holder) => Ok(vec![holder]),
        }
    }
}
