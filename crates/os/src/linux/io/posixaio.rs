//! `posixaio`: the C library's asynchronous I/O, which runs each operation on a thread of its pool.

use std::io;
use std::ptr;
use std::time::{Duration, Instant};

use super::files::Files;
use super::run::{errno, outcome, run_here};
use crate::file::File;
use crate::io::Backend;
use crate::io::BackendConfig;
use crate::io::misuse;
use crate::io::{Completion, Kind, Op};
use crate::linux::number::{signed, timespec};
use crate::memory::Slots;

pub(crate) struct Posixaio {
    slots: Slots,
    files: Files,
    /// One control block per slot. They stay in place while the library uses them.
    blocks: Box<[libc::aiocb]>,
    /// Slots with an operation in flight.
    flying: Vec<u32>,
    waiting: Vec<*const libc::aiocb>,
    done: Vec<Completion>,
    sync_file_range: u32,
}

impl Posixaio {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Self {
        let count = slots.count();
        Posixaio {
            slots,
            files: Files::new(config.files),
            // SAFETY: all-zero bytes are a valid `aiocb`.
            blocks: (0..count).map(|_| unsafe { std::mem::zeroed() }).collect(),
            flying: Vec::with_capacity(count),
            waiting: Vec::with_capacity(count),
            done: Vec::new(),
            sync_file_range: config.sync_file_range,
        }
    }

    /// Starts an operation. Returns false if the library has no free resources.
    fn start(&mut self, op: &Op) -> io::Result<bool> {
        let fd = self.files.raw(op.file)?;
        let data = self.slots.start(op)?;
        if runs_here(op.kind) {
            let result = run_here(op, fd, &self.files, self.sync_file_range);
            self.done.push(Completion { slot: op.slot, result });
            return Ok(true);
        }
        let block = &mut self.blocks[op.slot as usize];
        block.aio_fildes = fd;
        block.aio_buf = data.cast();
        block.aio_nbytes = op.len as usize;
        block.aio_offset = signed(op.offset);
        block.aio_sigevent.sigev_notify = libc::SIGEV_NONE;
        // SAFETY: the block is in a box that lives until the library is done (see `drop`), and its data is lent to this
        // operation.
        let returned = unsafe {
            match op.kind {
                Kind::Read => libc::aio_read(block),
                Kind::Write => libc::aio_write(block),
                Kind::Fdatasync => libc::aio_fsync(libc::O_DSYNC, block),
                _ => libc::aio_fsync(libc::O_SYNC, block),
            }
        };
        match outcome(i64::from(returned)) {
            Ok(_) => self.flying.push(op.slot),
            Err(libc::EAGAIN) if !self.flying.is_empty() => {
                self.slots.finish(op.slot);
                return Ok(false);
            }
            refused => self.done.push(Completion { slot: op.slot, result: refused }),
        }
        Ok(true)
    }

    /// Moves at most `max` completions to `out`.
    fn take(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        let before = out.len();
        self.slots.finish_all(&mut self.done, max, out);
        let (blocks, slots) = (&mut self.blocks, &mut self.slots);
        self.flying.retain(|slot| {
            let block = &mut blocks[*slot as usize];
            if out.len() - before >= max {
                return true;
            }
            // SAFETY: the block was submitted, and its result has not been read.
            let error = unsafe { libc::aio_error(block) };
            if error == libc::EINPROGRESS {
                return true;
            }
            // SAFETY: the operation is complete, and its result is read once.
            let returned = unsafe { libc::aio_return(block) };
            let result = if error == 0 { outcome(returned as i64) } else { Err(error) };
            out.push(Completion { slot: *slot, result });
            slots.finish(*slot);
            false
        });
        out.len() - before
    }

    /// Sleeps until one operation completes.
    fn wait(&mut self, left: Duration) -> io::Result<()> {
        self.waiting.clear();
        self.waiting.extend(self.flying.iter().map(|slot| ptr::from_ref(&self.blocks[*slot as usize])));
        let limit = timespec(left);
        // SAFETY: the list contains blocks in flight.
        let returned = unsafe {
            libc::aio_suspend(self.waiting.as_ptr(), i32::try_from(self.waiting.len()).unwrap_or(i32::MAX), &limit)
        };
        match if returned == 0 { 0 } else { errno() } {
            0 | libc::EAGAIN | libc::EINTR => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Returns true if the library has no call for the operation. It then runs on this thread, as in fio.
fn runs_here(kind: Kind) -> bool {
    matches!(kind, Kind::Trim | Kind::SyncFileRange)
}

impl Backend for Posixaio {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file).map(drop)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        let fd = self.files.raw(index)?;
        if self.flying.iter().any(|slot| self.blocks[*slot as usize].aio_fildes == fd) {
            // The library's threads use the descriptor later, when its number can belong to another file.
            return Err(misuse("file with operations in flight"));
        }
        self.files.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        for (at, op) in ops.iter().enumerate() {
            match self.start(op) {
                Ok(true) => {}
                Ok(false) => return Ok(at),
                Err(_) if at > 0 => return Ok(at),
                Err(error) => return Err(error),
            }
        }
        Ok(ops.len())
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let min = min.min(max);
        let mut got = self.take(max, out);
        if got >= min || self.flying.is_empty() {
            return Ok(());
        }
        let deadline = Instant::now().checked_add(timeout);
        loop {
            let left = deadline.map_or(timeout, |deadline| deadline.saturating_duration_since(Instant::now()));
            if got >= min || self.flying.is_empty() || left.is_zero() {
                return Ok(());
            }
            self.wait(left)?;
            got += self.take(max - got, out);
        }
    }

    fn runs_in_submit(&self, op: &Op) -> bool {
        runs_here(op.kind)
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

impl Drop for Posixaio {
    fn drop(&mut self) {
        // The library's threads still write into the blocks in flight and use their descriptors. Blocks and descriptors
        // must live as long.
        if !self.flying.is_empty() {
            std::mem::forget(std::mem::take(&mut self.blocks));
            std::mem::forget(std::mem::replace(&mut self.files, Files::new(0)));
        }
    }
}
