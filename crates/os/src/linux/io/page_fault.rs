//! `page_fault`: copies from and to anonymous memory. The first use of a page is a page fault.

use std::io;
use std::ptr;
use std::time::Duration;

use crate::file::File;
use crate::io::start_in_order;
use crate::io::{Backend, BackendConfig, BackendError};
use crate::io::{Completion, Kind, Op};
use crate::memory::Slots;

pub(crate) struct PageFault {
    memory: *mut u8,
    bytes: usize,
    slots: Slots,
    done: Vec<Completion>,
}

impl PageFault {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let bytes = usize::try_from(config.memory_bytes).unwrap_or(usize::MAX);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let memory = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            let what = format!("cannot map {bytes} bytes of memory");
            return Err(BackendError::caused(config.engine, what, io::Error::last_os_error()));
        }
        Ok(PageFault { memory: memory.cast(), bytes, slots, done: Vec::with_capacity(config.depth as usize) })
    }

    /// Runs an operation on the `len` bytes at `data`. Returns the result of its completion.
    fn run(&self, op: &Op, data: *mut u8) -> i32 {
        let len = op.len as usize;
        let Some(at) = usize::try_from(op.offset).ok().filter(|at| at.saturating_add(len) <= self.bytes) else {
            return -libc::EINVAL;
        };
        // SAFETY: the range is in the mapping, which only this value uses. `Slots::start` has lent the bytes at `data` to
        // this operation.
        unsafe {
            match op.kind {
                Kind::Read => ptr::copy_nonoverlapping(self.memory.add(at), data, len),
                Kind::Write => ptr::copy_nonoverlapping(data, self.memory.add(at), len),
                Kind::Trim => return -libc::EINVAL,
                Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => return 0,
            }
        }
        op.len as i32
    }
}

impl Backend for PageFault {
    fn attach(&mut self, _: u32, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn detach(&mut self, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let data = self.slots.start(op)?;
            let result = self.run(op, data);
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

impl Drop for PageFault {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and no operation is in flight: each completes in `submit`.
        unsafe { libc::munmap(self.memory.cast(), self.bytes) };
    }
}
