//! What lies below a loop device. A loop device does not claim it: the device or file can be mounted, swap, or below another
//! loop device. A write to the loop device changes it.

use super::holders::{STACK_MAX, UsageTables, related_devices};
use super::kernel::Kernel;
use super::loops::Loop;
use super::topology::Block;
use crate::device::{DeviceNumber, Holder, Relation, Use};

/// Returns the loop devices that a write to a device passes.
pub(super) fn loops<'a>(kernel: &Kernel, tables: &'a UsageTables, block: &Block) -> Vec<&'a Loop> {
    let mut found = Vec::new();
    add_loops(kernel, tables, block, 0, &mut found);
    found
}

fn add_loops<'a>(kernel: &Kernel, tables: &'a UsageTables, block: &Block, depth: usize, found: &mut Vec<&'a Loop>) {
    if depth >= STACK_MAX {
        return;
    }
    let disk = block.whole().unwrap_or_else(|| block.clone());
    for lower in disk.slaves() {
        add_loops(kernel, tables, &lower, depth + 1, found);
    }
    for passed in tables.loops.iter().filter(|candidate| candidate.block.number == disk.number) {
        found.push(passed);
        if let Some(lower) = passed.backing_device.and_then(|number| Block::numbered(kernel, number)) {
            add_loops(kernel, tables, &lower, depth + 1, found);
        }
    }
}

/// Returns the uses of everything below a device, except the devices themselves through which a write passes.
pub(super) fn uses(kernel: &Kernel, tables: &UsageTables, block: &Block) -> Vec<Holder> {
    let backing_uses = |passed: &Loop| {
        let holder = |used| Holder { device: passed.backing_path.clone(), relation: Relation::BackingFile, used };
        match passed.backing_device {
            Some(number) => device_uses(kernel, tables, number, passed).into_iter().map(holder).collect::<Vec<_>>(),
            None => tables.uses_of_file(&passed.backing_file, Some(passed)).into_iter().map(holder).collect(),
        }
    };
    loops(kernel, tables, block).into_iter().flat_map(backing_uses).collect()
}

/// Returns the uses of a backing device, its partitions and its disk.
fn device_uses(kernel: &Kernel, tables: &UsageTables, number: DeviceNumber, passed: &Loop) -> Vec<Use> {
    let related = related_devices(kernel, number).into_iter();
    related.flat_map(|(_, block)| tables.uses_of(&block, 1, Some(passed))).collect()
}
