//! Whether the kernel can take I/O on a file without waiting, or hands it to threads of its own.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::{File, Kind};

impl File {
    /// False where the file system or driver doesn't know I/O that returns rather than waits: asynchronous I/O on such
    /// a file is done by threads of the kernel. Asks with a read that moves nothing from the medium.
    pub fn supports_nowait(&self) -> bool {
        if !matches!(self.kind(), Kind::Regular | Kind::Block) {
            return true;
        }
        let fd = self.descriptor();
        match ask(fd.as_raw_fd()) {
            // Open for writing only: ask another descriptor of the same file.
            Some(libc::EBADF) => {
                let again = std::fs::File::open(format!("/proc/self/fd/{}", fd.as_raw_fd()));
                again.is_ok_and(|again| ask(again.as_raw_fd()) != Some(libc::EOPNOTSUPP))
            }
            errno => errno != Some(libc::EOPNOTSUPP),
        }
    }
}

/// Reads a byte if it is in the cache; what the kernel says if it doesn't.
fn ask(fd: RawFd) -> Option<i32> {
    let mut byte = 0u8;
    let vector = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: the vector is one byte of this stack frame, which the call doesn't outlive.
    let read = unsafe { libc::preadv2(fd, &vector, 1, 0, libc::RWF_NOWAIT) };
    if read < 0 { io::Error::last_os_error().raw_os_error() } else { None }
}
