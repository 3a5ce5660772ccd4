//! Place of the data of a file on its device.

use std::io;
use std::path::Path;

use super::check;
use super::written::{Extents, FS_IOC_FIEMAP};
use crate::file::OpenOptions;

/// Extents whose `physical` is no place of the file's bytes: unknown, delayed, encoded, encrypted, inline or packed with others.
const FIEMAP_EXTENT_PLACELESS: u32 = 0x2 | 0x4 | 0x8 | 0x80 | 0x200 | 0x400;

/// Returns the byte of the file system's device that has the byte `offset` of a file. `None`: the byte has no place, or the file
/// system does not report it.
///
/// # Errors
/// Returns the error of opening the file.
pub fn physical(path: &Path, offset: u64) -> io::Result<Option<u64>> {
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path)?;
    let mut extents = Extents::request(offset, 1, 0);
    // SAFETY: the kernel reads the header and fills at most the number of extents in it.
    if check(unsafe { libc::ioctl(file.raw(), FS_IOC_FIEMAP, &raw mut *extents) }).is_err() {
        return Ok(None);
    }
    let contains = |extent: &&super::written::Extent| {
        extent.flags & FIEMAP_EXTENT_PLACELESS == 0
            && extent.logical <= offset
            && offset < extent.logical.saturating_add(extent.length)
    };
    Ok(extents.found().iter().find(contains).map(|extent| extent.physical + (offset - extent.logical)))
}
