//! Copies from and to mapped files.

use crate::memory::cache_lines;
use ::io::{Flush, Mapping};

/// Copies, around the CPU caches if the mapping requires it. Returns false if the CPU has no instructions for that, and the
/// data may be in its caches.
///
/// # Safety
/// `from` is readable and `to` is writable for `bytes` bytes.
#[inline]
pub(crate) unsafe fn copy(mapping: Mapping, from: *const u8, to: *mut u8, bytes: usize) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if mapping.write_through {
            return cache_lines::copy_bypassing_caches(from, to, bytes);
        }
        std::ptr::copy_nonoverlapping(from, to, bytes);
    }
    true
}

/// Copies to mapped memory and flushes as the mapping requires. Returns false if the caller must write back the pages.
///
/// # Safety
/// `data` is readable and `mapped` is writable for `bytes` bytes.
#[inline]
pub(crate) unsafe fn write(mapping: Mapping, data: *const u8, mapped: *mut u8, bytes: usize) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe {
        copy(mapping, data, mapped, bytes)
            && match mapping.flush {
                None => true,
                Some(Flush::View) => false,
                Some(Flush::CacheLines) => cache_lines::write_back(mapped, bytes, true),
                Some(Flush::CacheLinesNoDrain) => cache_lines::write_back(mapped, bytes, false),
            }
    }
}
