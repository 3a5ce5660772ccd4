//! Support of `RWF_NOWAIT`, that is of I/O that the kernel submits without blocking.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::File;
use crate::file::Kind;

impl File {
    /// Returns false if the file system or driver has no non-blocking I/O. Kernel worker threads then run asynchronous
    /// I/O on the file. Tests this with a read far beyond the end of the file, which reads nothing. A read of the file itself
    /// would start readahead if the page is not in the page cache.
    pub fn supports_nowait(&self) -> bool {
        if !matches!(self.kind(), Kind::Regular | Kind::Block) {
            return true;
        }
        let fd = self.descriptor();
        match read_nowait(fd.as_raw_fd()) {
            // The descriptor is write-only. The test needs a readable one.
            Some(libc::EBADF) => {
                let again = std::fs::File::open(format!("/proc/self/fd/{}", fd.as_raw_fd()));
                again.is_ok_and(|again| read_nowait(again.as_raw_fd()) != Some(libc::EOPNOTSUPP))
            }
            errno => errno != Some(libc::EOPNOTSUPP),
        }
    }
}

/// Offset of the read. The kernel rejects ranges that end beyond `i64::MAX`.
const BEYOND_ANY_END: i64 = i64::MAX - 1;

/// Reads beyond the end. The kernel checks the support of the flag before it compares the offset with the size. Returns the
/// errno.
fn read_nowait(fd: RawFd) -> Option<i32> {
    let mut byte = 0u8;
    let vector = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: the vector is one byte of this stack frame, and the call does not outlive it.
    let read = unsafe { libc::preadv2(fd, &vector, 1, BEYOND_ANY_END, libc::RWF_NOWAIT) };
    if read < 0 { io::Error::last_os_error().raw_os_error() } else { None }
}
