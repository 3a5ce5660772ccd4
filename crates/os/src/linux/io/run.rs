//! Operations without data that run synchronously on the calling thread, for all engines.

use super::files::Files;
use crate::io::BackendConfig;
use crate::io::{Kind, Op};
use crate::linux::file;

/// Runs a trim or a sync. Returns the result of its completion.
pub(crate) fn run_here(op: &Op, fd: i32, files: &Files, sync_file_range: u32) -> i32 {
    loop {
        let result = match op.kind {
            Kind::Trim => file::discard(fd, files.is_block_device(op.file), op.offset, u64::from(op.len)),
            // SAFETY: these take a descriptor and numbers. The file table keeps the descriptor open.
            Kind::Fsync => unsafe { i64::from(libc::fsync(fd)) },
            // SAFETY: as for fsync.
            Kind::Fdatasync => unsafe { i64::from(libc::fdatasync(fd)) },
            // SAFETY: as for fsync.
            Kind::SyncFileRange => unsafe {
                i64::from(libc::sync_file_range(fd, op.offset as i64, i64::from(op.len), sync_file_range))
            },
            Kind::Read | Kind::Write => return -libc::EINVAL,
        };
        let result = outcome(result);
        if result != -libc::EINTR {
            return result;
        }
    }
}

/// Converts the return value of a system call into the result of a completion.
pub(crate) fn outcome(returned: i64) -> i32 {
    if returned >= 0 { i32::try_from(returned).unwrap_or(i32::MAX) } else { -errno() }
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
