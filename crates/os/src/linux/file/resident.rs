//! Bytes of a file in the page cache.

use std::io;
use std::ptr;

use super::{File, check, check_call, check_writable};
use crate::linux::number::signed;
use crate::memory::page_size;

/// `cachestat(2)`, since Linux 6.5. The number is the same on all architectures.
const SYS_CACHESTAT: libc::c_long = 451;

#[repr(C)]
struct CacheRange {
    offset: u64,
    bytes: u64,
}

/// `struct cachestat` of `linux/mman.h`, in pages.
#[repr(C)]
#[derive(Default)]
struct CacheStat {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

impl File {
    /// Returns how many bytes of the range are in the page cache, in whole pages except at the end. `bytes` of 0 means
    /// up to the end.
    ///
    /// # Errors
    /// Returns `PermissionDenied` for files of other users that are not writable: the kernel does not report these.
    /// Returns `Unsupported` for a file without a size, otherwise the error of the system call.
    pub fn cached_bytes(&self, offset: u64, bytes: u64) -> io::Result<u64> {
        let Some(size) = self.size()? else { return Err(io::ErrorKind::Unsupported.into()) };
        let offset = offset.min(size);
        let bytes = if bytes == 0 { size - offset } else { bytes.min(size - offset) };
        if bytes == 0 {
            return Ok(0);
        }
        let range = CacheRange { offset, bytes };
        let mut found = CacheStat::default();
        // SAFETY: the kernel reads one structure and fills the other. Both live.
        let returned = unsafe { libc::syscall(SYS_CACHESTAT, self.raw(), &range, &mut found, 0) };
        match check_call(returned) {
            Ok(_) => Ok(found.cached.saturating_mul(page_size() as u64).min(bytes)),
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => self.mapped_bytes(offset, bytes),
            Err(error) => Err(error),
        }
    }

    /// Does the same with `mincore(2)`, one mapping per `PIECE_BYTES`.
    fn mapped_bytes(&self, offset: u64, bytes: u64) -> io::Result<u64> {
        const PIECE_BYTES: usize = 1 << 30;
        if rustix::fs::fstat(&self.fd)?.st_uid != rustix::process::geteuid().as_raw() {
            check_writable(self.path())?;
        }
        let page = page_size();
        let (mut at, end) = (offset / page as u64 * page as u64, offset + bytes);
        let mut pages = 0;
        let mut states = vec![0u8; PIECE_BYTES / page];
        while at < end {
            let piece = usize::try_from(end - at).map_or(PIECE_BYTES, |rest| rest.min(PIECE_BYTES));
            let map = |protection| {
                // SAFETY: a new mapping at an address of the kernel's choice. It is never read.
                unsafe { libc::mmap(ptr::null_mut(), piece, protection, libc::MAP_SHARED, self.raw(), signed(at)) }
            };
            let address = map(if self.readable { libc::PROT_READ } else { libc::PROT_NONE });
            if address == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the range is the new mapping, and each of its pages has a state.
            let returned = check(unsafe { libc::mincore(address, piece, states.as_mut_ptr()) });
            // SAFETY: the range is the new mapping.
            unsafe { libc::munmap(address, piece) };
            returned?;
            pages += states[..piece.div_ceil(page)].iter().filter(|state| **state & 1 != 0).count() as u64;
            at += piece as u64;
        }
        Ok((pages * page as u64).min(bytes))
    }
}

#[cfg(test)]
mod tests {
    use crate::file::OpenOptions;

    #[test]
    fn cachestat_and_mincore_report_reads_and_drops() {
        let path = std::env::temp_dir().join(format!("fathom-os-resident-{}", std::process::id()));
        let file = OpenOptions { read: true, write: true, create: true, ..OpenOptions::new() }.open(&path).unwrap();
        let bytes = 1_000_000;
        file.write_at(&vec![1; bytes as usize], 0).unwrap();
        file.fsync().unwrap();
        assert_eq!(file.cached_bytes(0, 0).unwrap(), bytes);
        assert_eq!(file.mapped_bytes(0, bytes).unwrap(), bytes);
        assert_eq!(file.cached_bytes(2 * bytes, 5).unwrap(), 0);
        file.invalidate_cache(0, None).unwrap();
        if file.cached_bytes(0, 0).unwrap() == bytes {
            eprintln!("SKIPPED: this file system keeps its pages");
        } else {
            assert_eq!(file.cached_bytes(0, 0).unwrap(), 0);
            assert_eq!(file.mapped_bytes(0, bytes).unwrap(), 0);
            file.advise(crate::file::Advice::Random, 0, None).unwrap();
            assert_eq!(file.read_at(&mut [0; 8192], 40960).unwrap(), 8192);
            assert_eq!(file.cached_bytes(40960, 8192).unwrap(), 8192);
            let all = file.cached_bytes(0, 0).unwrap();
            assert!((8192..bytes).contains(&all), "{all}");
            assert_eq!(file.mapped_bytes(0, bytes).unwrap(), all);
        }
        std::fs::remove_file(&path).unwrap();
    }
}
