//! What lies below a loop device. A loop device does not claim it: the device or file can be mounted, swap, or below another
//! loop device. A write to the loop device changes it.

use std::io;

use super::holders::{STACK_MAX, UsageTables, related_devices};
use super::kernel::Kernel;
use super::loops::{Backing, Loop};
use super::topology::Block;
use crate::device::{DeviceNumber, TargetUse, UseKind, UsedDevice};

/// Returns the loop devices that a write to a device passes.
pub(super) fn loops<'a>(kernel: &Kernel, tables: &'a UsageTables, block: &Block) -> io::Result<Vec<&'a Loop>> {
    let mut found = Vec::new();
    add_loops(kernel, tables, block, 0, &mut found)?;
    Ok(found)
}

fn add_loops<'a>(
    kernel: &Kernel,
    tables: &'a UsageTables,
    block: &Block,
    depth: usize,
    found: &mut Vec<&'a Loop>,
) -> io::Result<()> {
    if depth >= STACK_MAX {
        return Ok(());
    }
    let disk = block.whole()?.unwrap_or_else(|| block.clone());
    for lower in disk.slaves()? {
        add_loops(kernel, tables, &lower, depth + 1, found)?;
    }
    for passed in tables.loops.iter().filter(|candidate| candidate.block.number == disk.number) {
        found.push(passed);
        let lower = passed.backing_device().map_or(Ok(None), |number| Block::numbered(kernel, number))?;
        if let Some(lower) = lower {
            add_loops(kernel, tables, &lower, depth + 1, found)?;
        }
    }
    Ok(())
}

/// Returns the uses of everything below a device, except the devices themselves through which a write passes.
pub(super) fn uses(kernel: &Kernel, tables: &UsageTables, block: &Block) -> io::Result<Vec<TargetUse>> {
    let mut holders = Vec::new();
    for passed in loops(kernel, tables, block)? {
        let uses = match &passed.backing {
            Backing::Device(number) => device_uses(kernel, tables, *number, passed)?,
            Backing::File(file) => tables.uses_of_file(file, Some(passed))?,
            Backing::Unknown => Vec::new(),
        };
        let holder = |kind| TargetUse::new(&passed.backing_path, UsedDevice::BackingFile, kind);
        holders.extend(uses.into_iter().map(holder));
    }
    Ok(holders)
}

/// Returns the uses of a backing device, its partitions and its disk.
fn device_uses(kernel: &Kernel, tables: &UsageTables, number: DeviceNumber, passed: &Loop) -> io::Result<Vec<UseKind>> {
    let mut uses = Vec::new();
    for (_, block) in related_devices(kernel, number)? {
        uses.extend(tables.uses_of(&block, 1, Some(passed))?);
    }
    Ok(uses)
}
