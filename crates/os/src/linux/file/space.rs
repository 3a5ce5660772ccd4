//! Space of a file: length, blocks, holes.

use std::io;
use std::path::Path;

use rustix::fs::{self, FallocateFlags};
use rustix::io::retry_on_intr;

use super::File;
use crate::file::Space;
use crate::linux::number::signed;

/// `_IO(0x12, 119)` of `linux/fs.h`.
const BLKDISCARD: libc::Ioctl = 0x1277;

impl File {
    /// Reserves space for a range. With `keep_size` the length stays, else the file grows to the end of the range. It
    /// never shrinks.
    ///
    /// # Errors
    /// Returns `Unsupported` if the file system has no preallocation, otherwise the error of the system call.
    pub fn allocate(&self, offset: u64, bytes: u64, keep_size: bool) -> io::Result<()> {
        let mode = if keep_size { FallocateFlags::KEEP_SIZE } else { FallocateFlags::empty() };
        Ok(retry_on_intr(|| fs::fallocate(&self.fd, mode, offset, bytes))?)
    }

    /// Reserves space like [`allocate`](File::allocate) and grows the file. If the file system has no preallocation,
    /// the C library writes to each block (`posix_fallocate`).
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn allocate_or_write(&self, offset: u64, bytes: u64) -> io::Result<()> {
        loop {
            // SAFETY: no pointers.
            match unsafe { libc::posix_fallocate(self.raw(), signed(offset), signed(bytes)) } {
                0 => return Ok(()),
                libc::EINTR => {}
                errno => return Err(io::Error::from_raw_os_error(errno)),
            }
        }
    }

    /// Sets the length of the file. A longer file gets a hole at its end.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn set_size(&self, bytes: u64) -> io::Result<()> {
        Ok(fs::ftruncate(&self.fd, bytes)?)
    }
}

/// Returns the space of the file system of `path`. `None` if it does not report it.
///
/// # Errors
/// Returns the error of the system call.
pub fn space(path: &Path) -> io::Result<Option<Space>> {
    let found = fs::statvfs(path)?;
    Ok((found.f_blocks > 0).then(|| Space {
        total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
        free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
    }))
}

/// Attempts to discard a range whose pages other jobs write.
const BUSY_TRIES: u32 = 64;

/// Discards a range. Returns what a system call does: 0, or -1 and `errno`.
pub(crate) fn discard(fd: i32, is_block_device: bool, offset: u64, bytes: u64) -> i64 {
    if is_block_device {
        return discard_on_device(fd, offset, bytes);
    }
    let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: no pointers.
    i64::from(unsafe { libc::fallocate(fd, hole, signed(offset), signed(bytes)) })
}

/// Discards a range of a block device. The kernel reports EBUSY for a range with written pages in the cache if the device is
/// opened exclusively elsewhere, as the claim of a run does. Such pages are written first. Another job can write them again
/// before the range is discarded.
fn discard_on_device(fd: i32, offset: u64, bytes: u64) -> i64 {
    let range = [offset, bytes];
    // SAFETY: this request reads two u64.
    let discard = || i64::from(unsafe { libc::ioctl(fd, BLKDISCARD, &range) });
    let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    let mut outcome = discard();
    for _ in 0..BUSY_TRIES {
        if outcome == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::EBUSY) {
            break;
        }
        // SAFETY: no pointers.
        let synced = unsafe { libc::sync_file_range(fd, signed(offset), signed(bytes), flags) };
        outcome = if synced == 0 { discard() } else { i64::from(synced) };
    }
    outcome
}
