//! The space a file takes: its length, its blocks, its holes.

use std::io;
use std::path::Path;

use super::{File, check};
use crate::memory::c_path;

/// `_IO(0x12, 119)` of `linux/fs.h`.
const BLKDISCARD: libc::Ioctl = 0x1277;

impl File {
    /// Reserves space for a range. The file grows to the range's end unless `keep_size`; it never shrinks. An error of
    /// kind `Unsupported` where the file system can't do that.
    pub fn allocate(&self, offset: u64, bytes: u64, keep_size: bool) -> io::Result<()> {
        let mode = if keep_size { libc::FALLOC_FL_KEEP_SIZE } else { 0 };
        loop {
            // SAFETY: no pointers.
            match check(unsafe { libc::fallocate(self.raw(), mode, offset as i64, bytes as i64) }) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done.map(drop),
            }
        }
    }

    /// As [`allocate`](File::allocate) with growth, but where the file system can't, the C library touches each block
    /// (`posix_fallocate`).
    pub fn allocate_or_write(&self, offset: u64, bytes: u64) -> io::Result<()> {
        loop {
            // SAFETY: no pointers.
            match unsafe { libc::posix_fallocate(self.raw(), offset as i64, bytes as i64) } {
                0 => return Ok(()),
                libc::EINTR => {}
                errno => return Err(io::Error::from_raw_os_error(errno)),
            }
        }
    }

    /// Makes the file that long: shorter ones grow by a hole, longer ones lose their end.
    pub fn set_size(&self, bytes: u64) -> io::Result<()> {
        // SAFETY: no pointers.
        check(unsafe { libc::ftruncate(self.raw(), bytes as i64) }).map(drop)
    }
}

/// A file system's size and what this user may still write to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Space {
    pub total_bytes: u64,
    pub free_bytes: u64,
}

/// Bytes that this user may still write where `path` lies; `None` where the file system doesn't say.
pub(super) fn room(path: &Path) -> io::Result<Option<u64>> {
    Ok(space(path)?.map(|space| space.free_bytes))
}

/// The file system that `path` lies on; `None` where it doesn't say.
pub fn space(path: &Path) -> io::Result<Option<Space>> {
    let name = c_path(path)?;
    // SAFETY: the structure is plain numbers; all zeroes is one.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a C string and the kernel fills the structure.
    check(unsafe { libc::statvfs(name.as_ptr(), &mut found) })?;
    Ok((found.f_blocks > 0).then(|| Space {
        total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
        free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
    }))
}

/// A discard as a system call's return value: -1 and `errno`, or 0.
pub(crate) fn discard(fd: i32, is_block_device: bool, offset: u64, bytes: u64) -> i64 {
    if is_block_device {
        let range = [offset, bytes];
        // SAFETY: this request reads two u64.
        return i64::from(unsafe { libc::ioctl(fd, BLKDISCARD, &range) });
    }
    let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: no pointers.
    i64::from(unsafe { libc::fallocate(fd, hole, offset as i64, bytes as i64) })
}
