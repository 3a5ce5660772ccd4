//! The device, or the part of it, whose events are traced.

use std::io;
use std::ops::Range;
use std::path::Path;

use crate::linux::device;
pub use crate::linux::device::Place as Source;

/// Bits of the minor number in the kernel's `dev_t`.
const MINOR_BITS: u32 = 20;

/// Returns the disks and partitions that store a path. For a block device it is the device. The list is empty if no disk is below
/// the path.
///
/// # Errors
/// Returns the error of reading the path or the kernel's tables.
pub fn sources(path: &Path) -> io::Result<Vec<Source>> {
    device::places(path)
}

impl Source {
    /// Returns the filter of an event. I/Os without sectors, such as flushes, are those of the disk.
    pub(super) fn filter(&self, has_length: bool) -> String {
        let number = self.disk.number;
        let disk = format!("dev == {}", (number.major << MINOR_BITS) | number.minor);
        let Some(Range { start, end }) = &self.sectors else { return disk };
        let within = format!("sector >= {start} && sector < {end}");
        let within = if has_length { format!("(nr_sector == 0 || ({within}))") } else { within };
        format!("{disk} && {within}")
    }
}
