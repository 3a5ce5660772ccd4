//! `page_fault`: copies from and to anonymous memory. The first use of a page is a page fault.

use std::ptr;

use super::files::Files;
use crate::io::{BackendConfig, BackendError, Execute, IoResult, Kind, Op};
use crate::linux::memory::MemoryMap;

pub(crate) struct PageFault(MemoryMap);

impl PageFault {
    pub(crate) fn new(config: &BackendConfig) -> Result<Self, BackendError> {
        let bytes = usize::try_from(config.memory_bytes).unwrap_or(usize::MAX);
        let failed = |error| BackendError::caused(config.engine, format!("cannot map {bytes} bytes of memory"), error);
        MemoryMap::anonymous(bytes, 0).map(PageFault).map_err(failed)
    }
}

impl Execute for PageFault {
    fn execute(&mut self, op: &Op, _: i32, data: *mut u8, _: &Files) -> IoResult {
        let len = op.len as usize;
        let Some(at) = usize::try_from(op.offset).ok().filter(|at| at.saturating_add(len) <= self.0.bytes) else {
            return Err(libc::EINVAL);
        };
        // SAFETY: the range is in the mapping, which only this value uses. `Slots::start` has lent the bytes at `data` to
        // this operation.
        unsafe {
            match op.kind {
                Kind::Read => ptr::copy_nonoverlapping(self.0.start.add(at), data, len),
                Kind::Write => ptr::copy_nonoverlapping(data, self.0.start.add(at), len),
                Kind::Trim => return Err(libc::EINVAL),
                Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => return Ok(0),
            }
        }
        op.whole()
    }
}
