//! Claims: block devices that this process holds open exclusively. The kernel refuses mounts of a claimed device, of its
//! partitions and of its whole disk, and every other exclusive open (`EBUSY`).

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::below;
use super::holders::{self, Exclusive, UsageTables};
use super::kernel::Kernel;
use super::topology::{Block, block_device_at};
use crate::device::{DeviceNumber, TargetUse, UsedDevice};
use crate::file::File;

/// Block devices that this process holds open exclusively, until it is dropped. Normal opens of the devices succeed.
#[derive(Debug, Default)]
pub struct Claims {
    held: BTreeMap<DeviceNumber, File>,
}

impl Claims {
    /// See [`super::InUseSnapshot::holders_beside`].
    pub(super) fn others(&self, kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<TargetUse>> {
        match block_device_at(path) {
            // An exclusive open would find the claim, and signatures can be data of this run.
            Ok(Some(number)) if self.overlaps(kernel, number)? => tables.uses_with_partitions(kernel, number),
            _ => holders::of(kernel, tables, path),
        }
    }

    /// Returns true if the device, its whole disk or a partition of it is claimed.
    fn overlaps(&self, kernel: &Kernel, number: DeviceNumber) -> io::Result<bool> {
        if self.held.is_empty() {
            return Ok(false);
        }
        let related = holders::related_devices(kernel, number)?;
        Ok(related.iter().any(|(_, block)| self.held.contains_key(&block.number)))
    }

    /// See [`super::InUseSnapshot::claim`].
    pub(super) fn add(&mut self, kernel: &Kernel, tables: &UsageTables, path: &Path) -> io::Result<Vec<TargetUse>> {
        let mut holders = self.others(kernel, tables, path)?;
        let Some(number) = block_device_at(path)?.filter(|_| holders.is_empty()) else { return Ok(holders) };
        holders.extend(self.claim(kernel, number, path)?);
        let Some(block) = Block::numbered(kernel, number)? else { return Ok(holders) };
        let below = below::loops(kernel, tables, &block)?.into_iter();
        let below = below.filter_map(|passed| {
            Some((UsedDevice::BackingFile, passed.backing_device()?, passed.backing_path.clone()))
        });
        let mut all: Vec<_> = below.collect();
        let lower = all.iter().filter_map(|(_, number, _)| Block::numbered(kernel, *number).transpose());
        for claimed in std::iter::once(Ok(block)).chain(lower).collect::<io::Result<Vec<_>>>()? {
            // The disk includes its partitions.
            let others = claimed.by_other_paths(kernel)?.into_iter();
            let others = others.filter(|other| claimed.is_partition() == other.is_partition());
            all.extend(
                others
                    .map(|other| (UsedDevice::OtherPath, other.number, kernel.dev.join(other.name.replace('!', "/")))),
            );
        }
        for (relation, number, path) in all {
            match self.claim(kernel, number, &path) {
                Ok(busy) => holders.extend(busy.map(|holder| TargetUse { relation, ..holder })),
                // The path is one of another mount namespace, or leads nowhere any more.
                Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENXIO | libc::ENODEV)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(holders)
    }

    /// Claims a device, unless it or its disk is claimed. Returns what prevents that.
    fn claim(&mut self, kernel: &Kernel, number: DeviceNumber, path: &Path) -> io::Result<Option<TargetUse>> {
        let block = Block::numbered(kernel, number)?;
        let whole = block.as_ref().map_or(Ok(None), Block::whole)?;
        if self.held.contains_key(&number) || whole.is_some_and(|whole| self.held.contains_key(&whole.number)) {
            return Ok(None);
        }
        // The kernel grants a disk or its partitions, even to one process. The disk includes its partitions.
        for partition in block.as_ref().map_or(Ok(Vec::new()), Block::partitions)? {
            self.held.remove(&partition.number);
        }
        match holders::open_exclusively(kernel, number, path)? {
            Exclusive::Open(file) => {
                self.held.insert(number, file);
                Ok(None)
            }
            Exclusive::Busy(holder) => Ok(Some(holder)),
        }
    }
}
