//! `mmap`: an operation is a copy from or to mapped memory.

use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::time::Duration;

use super::files::Files;
use super::run::{errno, run_here};
use crate::file::{Advice, File};
use crate::io::misuse;
use ::io::{Flush, Mapping};

use crate::io::{Backend, BackendConfig};
use crate::io::{Completion, IoResult, Kind, Op};
use crate::linux::memory::Watch;
use crate::linux::number::signed;
use crate::memory::{Slots, cache_lines, page_size};

/// Mapped memory.
struct Mapped {
    address: *mut u8,
    bytes: usize,
}

/// A mapped range of a file. The watch ends before the mapping.
struct Window {
    watch: Watch,
    mapped: Mapped,
    offset: u64,
}

impl Window {
    fn holds(&self, offset: u64, bytes: usize) -> bool {
        let window = self.mapped.bytes;
        bytes <= window && offset >= self.offset && offset - self.offset <= (window - bytes) as u64
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping.
        unsafe { libc::munmap(self.address.cast(), self.bytes) };
    }
}

/// An attached file.
struct Target {
    file: File,
    mapping: Mapping,
    window: Option<Window>,
    /// Size of the file when last read, in bytes. `None` if it has no size.
    size: Option<u64>,
    /// The whole file does not fit in the address space. Each operation maps its own range.
    partial: bool,
}

pub(crate) struct Mmap {
    slots: Slots,
    files: Files,
    targets: Vec<Option<Target>>,
    done: Vec<Completion>,
    page: u64,
    thp: bool,
    drop_after: bool,
    advice: Advice,
    sync_file_range: u32,
}

impl Mmap {
    pub(crate) fn new(config: &BackendConfig, slots: Slots) -> Self {
        Mmap {
            slots,
            files: Files::new(config.files),
            targets: (0..config.files).map(|_| None).collect(),
            done: Vec::with_capacity(config.depth as usize),
            page: page_size() as u64,
            thp: config.thp,
            drop_after: config.mmap_drop,
            advice: config.mmap_advice,
            sync_file_range: config.sync_file_range,
        }
    }

    fn run(&mut self, op: &Op, data: *mut u8) -> io::Result<IoResult> {
        let Some(Some(target)) = self.targets.get_mut(op.file as usize) else {
            return Err(misuse("operation on a file that is not attached"));
        };
        let fd = target.file.descriptor();
        Ok(match op.kind {
            Kind::Read | Kind::Write => self.copy(op, data),
            Kind::Fsync | Kind::Fdatasync => match &target.window {
                Some(window) => sync(window.mapped.address, window.mapped.bytes).map(|()| 0),
                None => Ok(0),
            },
            Kind::Trim | Kind::SyncFileRange => run_here(op, fd.as_raw_fd(), &self.files, self.sync_file_range),
        })
    }

    /// Copies between file and buffer. Returns the bytes copied, or the errno.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "offsets within a mapping, and the size of a page, fit into usize"
    )]
    fn copy(&mut self, op: &Op, data: *mut u8) -> IoResult {
        let at = op.file as usize;
        let Some(target) = &mut self.targets[at] else { return Err(libc::EBADF) };
        let permitted = if op.kind == Kind::Read { target.file.is_readable() } else { target.file.is_writable() };
        if !permitted {
            return Err(libc::EBADF);
        }
        let bytes = target.within(op)?;
        if bytes == 0 {
            // A mapping cannot extend a file.
            return if op.kind == Kind::Read { Ok(0) } else { Err(libc::ENOSPC) };
        }
        let window = match &target.window {
            Some(window) if window.holds(op.offset, bytes) => window,
            _ => {
                target.map(op.offset, bytes, self.page, self.thp, self.advice)?;
                target.window.as_ref().ok_or(libc::EIO)?
            }
        };
        // SAFETY: the window contains the range of the operation.
        let mapped = unsafe { window.mapped.address.add((op.offset - window.offset) as usize) };
        let (mapping, page) = (target.mapping, self.page as usize);
        // SAFETY: `data` has `len` bytes lent to this operation, and `mapped` at least as many of the file. Other
        // processes can change these, so no reference to them is made. The watch handles missing pages.
        let flushed = unsafe {
            match op.kind {
                Kind::Read => {
                    read(mapping, mapped, data, bytes);
                    Ok(())
                }
                _ => write(mapping, data, mapped, bytes, page),
            }
        };
        if window.watch.has_lost_pages() {
            target.window = None;
            return Err(libc::EIO);
        }
        flushed?;
        if self.drop_after {
            write_back_and_drop(mapped, bytes, page)?;
        }
        op.moved(bytes as u64)
    }
}

/// Copies from the mapping to the buffer.
///
/// # Safety
/// `mapped` is readable and `data` is writable for `bytes` bytes.
unsafe fn read(mapping: Mapping, mapped: *const u8, data: *mut u8, bytes: usize) {
    // SAFETY: guaranteed by the caller. A CPU without non-temporal instructions makes a plain copy.
    unsafe {
        if mapping.write_through {
            cache_lines::copy_bypassing_caches(mapped, data, bytes);
        } else {
            ptr::copy_nonoverlapping(mapped, data, bytes);
        }
    }
}

/// Copies from the buffer to the mapping, and flushes as the mapping requires. Returns an errno on failure.
///
/// # Safety
/// `data` is readable and `mapped` is writable for `bytes` bytes, and `mapped` lies in a mapping of whole pages.
unsafe fn write(mapping: Mapping, data: *const u8, mapped: *mut u8, bytes: usize, page: usize) -> Result<(), i32> {
    // SAFETY: guaranteed by the caller.
    let done = unsafe {
        let around = if mapping.write_through {
            cache_lines::copy_bypassing_caches(data, mapped, bytes)
        } else {
            ptr::copy_nonoverlapping(data, mapped, bytes);
            true
        };
        around
            && match mapping.flush {
                None => true,
                Some(Flush::View) => false,
                Some(Flush::CacheLines) => cache_lines::write_back(mapped, bytes, true),
                Some(Flush::CacheLinesNoDrain) => cache_lines::write_back(mapped, bytes, false),
            }
    };
    // Without a suitable CPU instruction the kernel syncs the pages.
    if done { Ok(()) } else { sync_pages(mapped, bytes, page).map(drop) }
}

impl Target {
    /// Returns how many bytes of the operation lie in the file.
    fn within(&mut self, op: &Op) -> Result<usize, i32> {
        let end = op.offset.checked_add(u64::from(op.len)).ok_or(libc::EINVAL)?;
        if self.size.is_some_and(|size| end > size) {
            self.size = self.file.size().map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
        }
        Ok(match self.size {
            Some(size) => usize::try_from(size.saturating_sub(op.offset))
                .map_or(op.len as usize, |rest| rest.min(op.len as usize)),
            None => op.len as usize,
        })
    }

    /// Maps the whole file. If that fails, it maps the pages of the operation.
    fn map(&mut self, offset: u64, bytes: usize, page: u64, thp: bool, advice: Advice) -> Result<(), i32> {
        self.window = None;
        let protection = if self.file.is_writable() { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        let fd = self.file.descriptor();
        let attempt = |offset: u64, bytes: usize| {
            let map = |sharing| {
                // SAFETY: a new mapping at an address of the kernel's choice.
                unsafe { libc::mmap(ptr::null_mut(), bytes, protection, sharing, fd.as_raw_fd(), signed(offset)) }
            };
            // On DAX, MAP_SYNC is needed: a cache line flush is durable only if the file's metadata is, too. Other
            // files cannot be mapped with it and do not need it.
            let mut address = libc::MAP_FAILED;
            if self.mapping != Mapping::default() && !thp {
                address = map(libc::MAP_SHARED_VALIDATE | libc::MAP_SYNC);
            }
            if address == libc::MAP_FAILED {
                address = map(if thp { libc::MAP_PRIVATE } else { libc::MAP_SHARED });
            }
            if address == libc::MAP_FAILED {
                return Err(errno());
            }
            let mapped = Mapped { address: address.cast(), bytes };
            // SAFETY: the window owns the mapping and the watch.
            let watch = unsafe { Watch::new(mapped.address, bytes) }?;
            Ok(Window { watch, mapped, offset })
        };
        let whole = self.size.and_then(|size| usize::try_from(size).ok()).filter(|_| !self.partial);
        let window = match whole.map(|size| attempt(0, size)) {
            Some(Ok(window)) => window,
            _ => {
                self.partial = true;
                let start = offset / page * page;
                let ahead = usize::try_from(offset - start).map_err(|_| libc::EINVAL)?;
                attempt(start, ahead + bytes)?
            }
        };
        let (address, bytes) = (window.mapped.address, window.mapped.bytes);
        // SAFETY: the range is the new mapping. The advice is optional: errors are ignored.
        unsafe {
            if thp {
                libc::madvise(address.cast(), bytes, libc::MADV_HUGEPAGE);
            }
            match advice {
                Advice::Random => libc::madvise(address.cast(), bytes, libc::MADV_RANDOM),
                Advice::Sequential => libc::madvise(address.cast(), bytes, libc::MADV_SEQUENTIAL),
                Advice::Normal | Advice::NoReuse => 0,
            };
        }
        self.window = Some(window);
        Ok(())
    }
}

fn sync(address: *mut u8, bytes: usize) -> Result<(), i32> {
    // SAFETY: the range is a mapping of this backend.
    match unsafe { libc::msync(address.cast(), bytes, libc::MS_SYNC) } {
        0 => Ok(()),
        _ => Err(errno()),
    }
}

/// Writes back the pages of a transfer. Returns their start and length.
fn sync_pages(mapped: *mut u8, bytes: usize, page: usize) -> Result<(*mut u8, usize), i32> {
    let ahead = mapped as usize % page;
    // SAFETY: mappings start at a page, so the start of the page lies in the mapping.
    let start = unsafe { mapped.sub(ahead) };
    sync(start, ahead + bytes).map(|()| (start, ahead + bytes))
}

/// Writes back and drops the pages of a transfer.
fn write_back_and_drop(mapped: *mut u8, bytes: usize, page: usize) -> Result<(), i32> {
    let (start, bytes) = sync_pages(mapped, bytes, page)?;
    // SAFETY: the pages belong to a file mapping: the next access reads them from the file.
    match unsafe { libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED) } {
        0 => Ok(()),
        _ => Err(errno()),
    }
}

impl Backend for Mmap {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.map(index, file, Mapping::default())
    }

    fn map(&mut self, index: u32, file: &File, mapping: Mapping) -> io::Result<()> {
        self.files.attach(index, file)?;
        self.targets[index as usize] =
            Some(Target { file: file.clone(), mapping, window: None, size: file.size()?, partial: false });
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)?;
        self.targets[index as usize] = None;
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        for (at, op) in ops.iter().enumerate() {
            let started = self.files.fd(op.file).and_then(|_| self.slots.start(op));
            let result = match started {
                Ok(data) => self.run(op, data)?,
                Err(_) if at > 0 => return Ok(at),
                Err(error) => return Err(error),
            };
            self.done.push(Completion { slot: op.slot, result });
        }
        Ok(ops.len())
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_bounds_are_exact() {
        let page = page_size();
        // SAFETY: a new mapping at an address of the kernel's choice.
        let address = unsafe {
            libc::mmap(ptr::null_mut(), page, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        let mapped = Mapped { address: address.cast(), bytes: 4096 };
        // SAFETY: the window owns the mapping and the watch.
        let window = unsafe { Window { watch: Watch::new(mapped.address, 4096).unwrap(), mapped, offset: 8192 } };
        assert!(window.holds(8192, 4096) && window.holds(12287, 1) && window.holds(9000, 10));
        assert!(!window.holds(8192, 4097) && !window.holds(12288, 1) && !window.holds(8191, 1));
        assert!(!window.holds(0, 100_000) && !window.holds(u64::MAX, 1));
    }
}
