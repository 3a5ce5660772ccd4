//! Operations without data that run synchronously on the calling thread, for all engines.

use super::files::Files;
use crate::io::BackendConfig;
use crate::io::{IoResult, Kind, Op};
use crate::linux::file;
use crate::linux::number::signed;

/// Runs a trim or a sync. Returns the result of its completion.
pub(crate) fn run_here(op: &Op, fd: i32, files: &Files, sync_file_range: u32) -> IoResult {
    loop {
        let result = match op.kind {
            Kind::Trim => file::discard(fd, files.is_block_device(op.file), op.offset, u64::from(op.len)),
            // SAFETY: these take a descriptor and numbers. The file table keeps the descriptor open.
            Kind::Fsync => unsafe { i64::from(libc::fsync(fd)) },
            // SAFETY: as for fsync.
            Kind::Fdatasync => unsafe { i64::from(libc::fdatasync(fd)) },
            // SAFETY: as for fsync.
            Kind::SyncFileRange => unsafe {
                i64::from(libc::sync_file_range(fd, signed(op.offset), i64::from(op.len), sync_file_range))
            },
            Kind::Read | Kind::Write => return Err(libc::EINVAL),
        };
        let result = outcome(result);
        if result != Err(libc::EINTR) {
            return result;
        }
    }
}

/// Converts the return value of a system call into the result of a completion.
pub(crate) fn outcome(returned: i64) -> IoResult {
    if returned >= 0 { of_negated(returned) } else { Err(errno()) }
}

/// Converts a number of bytes or a negated errno into the result of a completion. Operations have at most `u32::MAX` bytes.
///
/// # Errors
/// Returns the errno.
#[inline]
pub fn of_negated(result: i64) -> IoResult {
    if result >= 0 {
        return Ok(u32::try_from(result).unwrap_or(u32::MAX));
    }
    Err(i32::try_from(result.saturating_neg()).unwrap_or(libc::EIO))
}

pub(crate) fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

impl BackendConfig {
    /// Returns the flags of `preadv2(2)` for reads and for writes.
    pub(crate) fn rw_flags(&self) -> (i32, i32) {
        let mut both = 0;
        if self.nowait {
            both |= libc::RWF_NOWAIT;
        }
        if self.uncached {
            both |= libc::RWF_DONTCACHE;
        }
        let write = if self.atomic { both | libc::RWF_ATOMIC } else { both };
        (both, write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_no_error_whatever_it_is() {
        for bytes in [0, 1, 0x7fff_f000, 1 << 31, 3 << 30, u32::MAX] {
            assert_eq!(of_negated(i64::from(bytes)), Ok(bytes));
        }
        assert_eq!([-1, -5, i64::MIN].map(of_negated), [Err(1), Err(5), Err(libc::EIO)]);
    }
}
