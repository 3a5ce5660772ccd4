//! Transfers between a socket and memory, through a pipe.

use std::io;

use crate::linux::io::pipe::Pipe;

pub(super) struct Spliced {
    pipe: Pipe,
    /// Bytes in the pipe that are not sent yet.
    pending: usize,
}

impl Spliced {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Spliced { pipe: Pipe::new()?, pending: 0 })
    }

    /// Sends a part of the `len` bytes at `data`. Returns its bytes, or the errno. Bytes that are in the pipe already are
    /// the first of them.
    pub(super) fn send(&mut self, fd: i32, data: *const u8, len: usize) -> Result<usize, i32> {
        if self.pending == 0 {
            self.pending = self.pipe.fill(data, len)?;
        }
        let sent = self.pipe.splice_to(fd, None, self.pending)?;
        self.pending -= sent;
        Ok(sent)
    }

    /// Receives a part of `len` bytes to `data`. Returns its bytes, 0 at the end of the connection, or the errno.
    pub(super) fn receive(&mut self, fd: i32, data: *mut u8, len: usize) -> Result<usize, i32> {
        let received = self.pipe.splice_from(fd, None, len)?;
        let mut copied = 0;
        while copied < received {
            // SAFETY: `received` is at most `len`.
            copied += self.pipe.take(unsafe { data.add(copied) }, received - copied)?;
        }
        Ok(received)
    }
}
