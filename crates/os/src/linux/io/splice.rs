//! `splice`: transfers between a file and memory, through a pipe.

use super::files::Files;
use super::pipe::Pipe;
use super::run::run_here;
use crate::io::Execute;
use crate::io::{BackendConfig, BackendError, IoResult, Kind, Op};

pub(crate) struct Splice {
    pipe: Pipe,
    sync_file_range: u32,
}

impl Splice {
    pub(crate) fn new(config: &BackendConfig) -> Result<Self, BackendError> {
        let pipe = Pipe::new().map_err(|error| BackendError::caused(config.engine, "cannot create a pipe", error))?;
        Ok(Splice { pipe, sync_file_range: config.sync_file_range })
    }

    fn read(&mut self, fd: i32, offset: u64, data: *mut u8, len: usize) -> Result<usize, i32> {
        let read = self.pipe.splice_from(fd, Some(offset), len)?;
        let mut copied = 0;
        while copied < read {
            // SAFETY: `read` is at most `len`.
            match self.pipe.take(unsafe { data.add(copied) }, read - copied) {
                Ok(bytes) => copied += bytes,
                Err(errno) => return self.fail(errno),
            }
        }
        Ok(read)
    }

    fn write(&mut self, fd: i32, offset: u64, data: *const u8, len: usize) -> Result<usize, i32> {
        let filled = self.pipe.fill(data, len)?;
        let mut written = 0;
        while written < filled {
            match self.pipe.splice_to(fd, Some(offset + written as u64), filled - written) {
                Ok(0) => return self.fail(libc::EIO),
                Ok(bytes) => written += bytes,
                Err(libc::EINTR) => {}
                Err(errno) => return self.fail(errno),
            }
        }
        Ok(filled)
    }

    /// Discards the data in the pipe after an error.
    fn fail(&mut self, errno: i32) -> Result<usize, i32> {
        self.pipe = Pipe::new().map_err(|error| error.raw_os_error().unwrap_or(errno))?;
        Err(errno)
    }
}

impl Execute for Splice {
    fn execute(&mut self, op: &Op, fd: i32, data: *mut u8, files: &Files) -> IoResult {
        if !op.kind.moves_data() {
            return run_here(op, fd, files, self.sync_file_range);
        }
        let len = op.len as usize;
        let mut moved = 0;
        while moved < len {
            // SAFETY: `moved` is less than `len`, the size of the data.
            let (data, offset) = (unsafe { data.add(moved) }, op.offset + moved as u64);
            let part = match op.kind {
                Kind::Read => self.read(fd, offset, data, len - moved),
                _ => self.write(fd, offset, data, len - moved),
            };
            match part {
                Ok(0) => break,
                Ok(bytes) => moved += bytes,
                Err(libc::EINTR) => {}
                // The next operation returns the error again.
                Err(_) if moved > 0 => break,
                Err(errno) => return Err(errno),
            }
        }
        op.moved(moved as u64)
    }
}
