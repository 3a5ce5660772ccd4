//! Memory mappings.

use std::io;
use std::ptr;

use crate::linux::number::signed;

/// A mapping at an address of the kernel's choice. It is unmapped on drop.
pub(crate) struct MemoryMap {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
}

impl MemoryMap {
    /// Maps memory without a file, to read and write.
    pub(crate) fn anonymous(bytes: usize, more_flags: i32) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | more_flags;
        MemoryMap::new(bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    }

    pub(crate) fn new(bytes: usize, protection: i32, flags: i32, fd: i32, offset: u64) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the kernel's choice.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, fd, signed(offset)) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(MemoryMap { start: start.cast(), bytes })
    }
}

impl Drop for MemoryMap {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}
