//! `mmap`: an operation is a copy from or to mapped memory.

use std::io;
use std::os::fd::AsRawFd;

use super::files::{Files, RawFile};
use super::run::{errno, run_here};
use crate::file::{Advice, File};
use crate::io::{BackendConfig, Execute, IoResult, Kind, Op, mapped};
use crate::linux::memory::{MemoryMap, Watch};
use crate::memory::page_size;
use ::io::Mapping;

/// A mapped range of a file. The watch ends before the mapping.
struct Window {
    watch: Watch,
    mapped: MemoryMap,
    offset: u64,
}

impl Window {
    fn holds(&self, offset: u64, bytes: usize) -> bool {
        let window = self.mapped.bytes;
        bytes <= window && offset >= self.offset && offset - self.offset <= (window - bytes) as u64
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
    targets: Vec<Option<Target>>,
    page: u64,
    thp: bool,
    drop_after: bool,
    advice: Advice,
    sync_file_range: u32,
}

impl Mmap {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        Mmap {
            targets: (0..config.files).map(|_| None).collect(),
            page: page_size() as u64,
            thp: config.thp,
            drop_after: config.mmap_drop,
            advice: config.mmap_advice,
            sync_file_range: config.sync_file_range,
        }
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
        let start = unsafe { window.mapped.start.add((op.offset - window.offset) as usize) };
        let (mapping, page) = (target.mapping, self.page as usize);
        // SAFETY: `data` has `len` bytes lent to this operation, and `start` at least as many of the file. Other
        // processes can change these, so no reference to them is made. The watch handles missing pages.
        let is_flushed = unsafe {
            match op.kind {
                Kind::Read => {
                    mapped::copy(mapping, start, data, bytes);
                    true
                }
                _ => mapped::write(mapping, data, start, bytes),
            }
        };
        // Without a suitable CPU instruction the kernel syncs the pages.
        let flushed = if is_flushed { Ok(()) } else { sync_pages(start, bytes, page).map(drop) };
        if window.watch.has_lost_pages() {
            target.window = None;
            return Err(libc::EIO);
        }
        flushed?;
        if self.drop_after {
            write_back_and_drop(start, bytes, page)?;
        }
        op.moved(bytes as u64)
    }
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
            let map = |sharing| MemoryMap::new(bytes, protection, sharing, fd.as_raw_fd(), offset);
            // On DAX, MAP_SYNC is needed: a cache line flush is durable only if the file's metadata is, too. Other
            // files cannot be mapped with it and do not need it.
            let is_durable = self.mapping != Mapping::default() && !thp;
            let durable = is_durable.then(|| map(libc::MAP_SHARED_VALIDATE | libc::MAP_SYNC).ok()).flatten();
            let plain = || map(if thp { libc::MAP_PRIVATE } else { libc::MAP_SHARED });
            let mapped = durable.map_or_else(plain, Ok).map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
            // SAFETY: the window owns the mapping and the watch.
            let watch = unsafe { Watch::new(mapped.start, bytes) }?;
            Ok::<_, i32>(Window { watch, mapped, offset })
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
        let (address, bytes) = (window.mapped.start, window.mapped.bytes);
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

impl Execute for Mmap {
    fn prepare(&mut self, index: u32, file: &File, raw: RawFile) -> io::Result<()> {
        self.map(index, file, raw, Mapping::default())
    }

    fn map(&mut self, index: u32, file: &File, _: RawFile, mapping: Mapping) -> io::Result<()> {
        self.targets[index as usize] =
            Some(Target { file: file.clone(), mapping, window: None, size: file.size()?, partial: false });
        Ok(())
    }

    fn release(&mut self, index: u32) {
        self.targets[index as usize] = None;
    }

    fn execute(&mut self, op: &Op, raw: RawFile, data: *mut u8, files: &Files) -> IoResult {
        let Some(target) = &self.targets[op.file as usize] else { return Err(libc::EBADF) };
        match op.kind {
            Kind::Read | Kind::Write => self.copy(op, data),
            Kind::Fsync | Kind::Fdatasync => match &target.window {
                Some(window) => sync(window.mapped.start, window.mapped.bytes).map(|()| 0),
                None => Ok(0),
            },
            Kind::Trim | Kind::SyncFileRange => run_here(op, raw, files, self.sync_file_range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_bounds_are_exact() {
        let mapped = MemoryMap::anonymous(4096, 0).unwrap();
        // SAFETY: the window owns the mapping and the watch.
        let window = unsafe { Window { watch: Watch::new(mapped.start, 4096).unwrap(), mapped, offset: 8192 } };
        assert!(window.holds(8192, 4096) && window.holds(12287, 1) && window.holds(9000, 10));
        assert!(!window.holds(8192, 4097) && !window.holds(12288, 1) && !window.holds(8191, 1));
        assert!(!window.holds(0, 100_000) && !window.holds(u64::MAX, 1));
    }
}
