//! Space for files: reserved before it is written.

use crate::file::{File, check};
use std::io;
use std::os::fd::AsRawFd;

impl File {
    /// Reserves space for a range. The file grows to the range's end unless `keep_size`; it never shrinks. An error of
    /// kind `Unsupported` where the file system can't do that.
    pub fn allocate(&self, offset: u64, bytes: u64, keep_size: bool) -> io::Result<()> {
        let mode = if keep_size { libc::FALLOC_FL_KEEP_SIZE } else { 0 };
        loop {
            let fd = self.descriptor();
            // SAFETY: no pointers; the descriptor is held open across the call.
            match check(unsafe { libc::fallocate(fd.as_raw_fd(), mode, offset as i64, bytes as i64) }) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done.map(drop),
            }
        }
    }

    /// As [`allocate`](File::allocate) with growth, but where the file system can't, the C library touches each block
    /// (`posix_fallocate`).
    pub fn allocate_or_write(&self, offset: u64, bytes: u64) -> io::Result<()> {
        loop {
            let fd = self.descriptor();
            // SAFETY: no pointers; the descriptor is held open across the call.
            match unsafe { libc::posix_fallocate(fd.as_raw_fd(), offset as i64, bytes as i64) } {
                0 => return Ok(()),
                libc::EINTR => {}
                errno => return Err(io::Error::from_raw_os_error(errno)),
            }
        }
    }
}
