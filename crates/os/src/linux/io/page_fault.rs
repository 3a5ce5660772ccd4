//! `page_fault`: copies from and to anonymous memory. The first use of a page is a page fault.

use std::io;
use std::ptr;

use super::execute::Execute;
use super::files::Files;
use crate::io::{BackendConfig, BackendError, IoResult, Kind, Op};

pub(crate) struct PageFault {
    memory: *mut u8,
    bytes: usize,
}

impl PageFault {
    pub(crate) fn new(config: &BackendConfig) -> Result<Self, BackendError> {
        let bytes = usize::try_from(config.memory_bytes).unwrap_or(usize::MAX);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let memory = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            let what = format!("cannot map {bytes} bytes of memory");
            return Err(BackendError::caused(config.engine, what, io::Error::last_os_error()));
        }
        Ok(PageFault { memory: memory.cast(), bytes })
    }
}

impl Execute for PageFault {
    fn execute(&mut self, op: &Op, _: i32, data: *mut u8, _: &Files) -> IoResult {
        let len = op.len as usize;
        let Some(at) = usize::try_from(op.offset).ok().filter(|at| at.saturating_add(len) <= self.bytes) else {
            return Err(libc::EINVAL);
        };
        // SAFETY: the range is in the mapping, which only this value uses. `Slots::start` has lent the bytes at `data` to
        // this operation.
        unsafe {
            match op.kind {
                Kind::Read => ptr::copy_nonoverlapping(self.memory.add(at), data, len),
                Kind::Write => ptr::copy_nonoverlapping(data, self.memory.add(at), len),
                Kind::Trim => return Err(libc::EINVAL),
                Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => return Ok(0),
            }
        }
        op.whole()
    }
}

impl Drop for PageFault {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and no operation is in flight: each completes in `submit`.
        unsafe { libc::munmap(self.memory.cast(), self.bytes) };
    }
}
