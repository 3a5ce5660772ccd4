//! Support of `RWF_NOWAIT`, that is of I/O that the kernel submits without blocking.

use std::io::IoSliceMut;
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::{Errno, ReadWriteFlags};

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
        match read_nowait(&fd) {
            // The descriptor is write-only. The test needs a readable one.
            Some(Errno::BADF) => {
                let again = std::fs::File::open(format!("/proc/self/fd/{}", fd.as_raw_fd()));
                again.is_ok_and(|again| read_nowait(again) != Some(Errno::OPNOTSUPP))
            }
            errno => errno != Some(Errno::OPNOTSUPP),
        }
    }
}

/// Offset of the read. The kernel rejects ranges that end beyond `i64::MAX`.
const BEYOND_ANY_END: u64 = (i64::MAX - 1).unsigned_abs();

/// Reads beyond the end. The kernel checks the support of the flag before it compares the offset with the size. Returns the
/// errno.
fn read_nowait(fd: impl AsFd) -> Option<Errno> {
    rustix::io::preadv2(fd, &mut [IoSliceMut::new(&mut [0])], BEYOND_ANY_END, ReadWriteFlags::NOWAIT).err()
}
