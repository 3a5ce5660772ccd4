//! `splice`: transfers between a file and memory, through a pipe.

use std::io;
use std::time::Duration;

use super::files::Files;
use super::pipe::Pipe;
use super::run::run_here;
use crate::file::File;
use crate::io::start_in_order;
use crate::io::{Backend, BackendConfig, BackendError};
use crate::io::{Completion, Kind, Op};
use crate::memory::Slots;

pub(crate) struct Splice {
    pipe: Pipe,
    slots: Slots,
    files: Files,
    done: Vec<Completion>,
    sync_file_range: u32,
}

impl Splice {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let pipe = Pipe::new().map_err(|error| BackendError::caused(config.engine, "cannot create a pipe", error))?;
        Ok(Splice {
            pipe,
            slots,
            files: Files::new(config.files),
            done: Vec::with_capacity(config.depth as usize),
            sync_file_range: config.sync_file_range,
        })
    }

    /// Runs an operation on the `len` bytes at `data`. Returns the result of its completion.
    fn run(&mut self, op: &Op, fd: i32, data: *mut u8) -> i32 {
        if !op.kind.moves_data() {
            return run_here(op, fd, &self.files, self.sync_file_range);
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
                Err(errno) => return -errno,
            }
        }
        moved as i32
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

impl Backend for Splice {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let fd = self.files.fd(op.file)?;
            let data = self.slots.start(op)?;
            let result = self.run(op, fd, data);
            self.done.push(Completion { slot: op.slot, result });
            Ok(())
        })
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        true
    }
}
