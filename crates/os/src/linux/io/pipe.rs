//! A pipe that data is moved through without a copy from user memory (`splice(2)`, `vmsplice(2)`).

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::null_mut;

use rustix::pipe::{PipeFlags, pipe_with};

use super::run::errno;
use crate::linux::number::signed;

/// Bytes that a pipe can hold.
pub(super) const CAPACITY: usize = 64 << 10;

/// Calls return the number of bytes, or the errno. They do not block on the pipe.
pub(super) struct Pipe {
    read: OwnedFd,
    write: OwnedFd,
}

impl Pipe {
    pub(super) fn new() -> io::Result<Self> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Pipe { read, write })
    }

    /// Puts the first of the `len` bytes at `data` into the pipe. The kernel may read them later.
    pub(super) fn fill(&self, data: *const u8, len: usize) -> Result<usize, i32> {
        map(self.write.as_raw_fd(), data.cast_mut(), len)
    }

    /// Copies bytes of the pipe to the `len` bytes at `data`.
    pub(super) fn take(&self, data: *mut u8, len: usize) -> Result<usize, i32> {
        map(self.read.as_raw_fd(), data, len)
    }

    /// Moves bytes of a descriptor into the pipe. `offset` is `None` for a descriptor without a position.
    pub(super) fn splice_from(&self, fd: i32, offset: Option<u64>, len: usize) -> Result<usize, i32> {
        let mut offset = offset.map(signed);
        let position = offset.as_mut().map_or(null_mut(), |offset| &raw mut *offset);
        let len = len.min(CAPACITY);
        // SAFETY: the pointer is null or to a live value.
        result(unsafe { libc::splice(fd, position, self.write.as_raw_fd(), null_mut(), len, libc::SPLICE_F_NONBLOCK) })
    }

    /// Moves bytes of the pipe to a descriptor.
    pub(super) fn splice_to(&self, fd: i32, offset: Option<u64>, len: usize) -> Result<usize, i32> {
        let mut offset = offset.map(signed);
        let position = offset.as_mut().map_or(null_mut(), |offset| &raw mut *offset);
        // SAFETY: the pointer is null or to a live value.
        result(unsafe { libc::splice(self.read.as_raw_fd(), null_mut(), fd, position, len, libc::SPLICE_F_NONBLOCK) })
    }
}

/// Moves bytes between memory and an end of the pipe, in the direction of the end.
fn map(fd: i32, data: *mut u8, len: usize) -> Result<usize, i32> {
    let vector = libc::iovec { iov_base: data.cast(), iov_len: len.min(CAPACITY) };
    // SAFETY: the caller's operation was lent the `len` bytes at `data`.
    result(unsafe { libc::vmsplice(fd, &vector, 1, libc::SPLICE_F_NONBLOCK) })
}

/// Converts the return value of a system call.
pub(super) fn result(returned: isize) -> Result<usize, i32> {
    usize::try_from(returned).map_err(|_| errno())
}
