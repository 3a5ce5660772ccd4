//! Page cache of a file: advice and invalidation.

use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

use rustix::fs;

use super::{File, check};
use crate::file::{Advice, Kind};
use crate::linux::number::signed;

/// `_IO(0x12, 97)` of `linux/fs.h`.
const BLKFLSBUF: libc::Ioctl = 0x1261;
/// A multipath device returns an error while its maps change. This lasts for some tens of milliseconds.
const FLUSH_TRIES: u32 = 25;
const FLUSH_PAUSE: Duration = Duration::from_millis(10);

impl File {
    /// Announces the access pattern of a range (`posix_fadvise`), up to the end of the file if `bytes` is `None`.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn advise(&self, advice: Advice, offset: u64, bytes: Option<u64>) -> io::Result<()> {
        let advice = match advice {
            Advice::Normal => fs::Advice::Normal,
            Advice::Random => fs::Advice::Random,
            Advice::Sequential => fs::Advice::Sequential,
            Advice::NoReuse => fs::Advice::NoReuse,
        };
        self.fadvise(advice, offset, bytes)
    }

    /// Drops the range from the page cache (`POSIX_FADV_DONTNEED`), up to the end of the file if `bytes` is `None`. On a block
    /// device it drops all buffers.
    ///
    /// # Errors
    /// Returns the error of the system call. EBUSY is retried for 250 ms.
    pub fn invalidate_cache(&self, offset: u64, bytes: Option<u64>) -> io::Result<()> {
        let mut tries = 1;
        loop {
            let outcome = if self.kind == Kind::Block {
                // SAFETY: this request takes no argument.
                check(unsafe { libc::ioctl(self.raw(), BLKFLSBUF, 0) }).map(drop)
            } else {
                self.fadvise(fs::Advice::DontNeed, offset, bytes)
            };
            match outcome {
                Err(error) if error.raw_os_error() == Some(libc::EAGAIN) && tries < FLUSH_TRIES => tries += 1,
                outcome => return outcome,
            }
            std::thread::sleep(FLUSH_PAUSE);
        }
    }

    /// Starts write-back of the range's dirty pages without waiting for it.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn start_writeback(&self, offset: u64, bytes: u64) -> io::Result<()> {
        // SAFETY: no pointers.
        let started =
            unsafe { libc::sync_file_range(self.raw(), signed(offset), signed(bytes), libc::SYNC_FILE_RANGE_WRITE) };
        check(started).map(drop)
    }

    fn fadvise(&self, advice: fs::Advice, offset: u64, bytes: Option<u64>) -> io::Result<()> {
        match bytes.map(NonZeroU64::new) {
            Some(None) => Ok(()),
            bytes => Ok(fs::fadvise(&self.fd, offset, bytes.flatten(), advice)?),
        }
    }
}
