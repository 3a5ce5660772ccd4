//! `mmap`: an operation is a copy from or to a mapped view of the file.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::time::Duration;

use units::errno::{EBADF, EIO, ENOSPC};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, FlushViewOfFile, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile,
    PAGE_READONLY, PAGE_READWRITE, UnmapViewOfFile,
};

use super::files::Files;
use crate::file::File;
use crate::io::start_in_order;
use crate::io::{Backend, BackendConfig, Completion, IoResult, Kind, Op};
use crate::memory::{Slots, cache_lines};
use crate::windows::errno;
use crate::windows::handle::owned;
use ::io::{Flush, Mapping};

/// A mapped view of a whole file.
struct View {
    address: *mut u8,
    bytes: usize,
    /// Closed after the view.
    _mapping: OwnedHandle,
}

impl View {
    /// Maps a file. A mapping cannot extend it.
    fn of(handle: &impl AsRawHandle, bytes: u64, is_writable: bool) -> io::Result<View> {
        let (protection, access) = match is_writable {
            true => (PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE),
            false => (PAGE_READONLY, FILE_MAP_READ),
        };
        let bytes = usize::try_from(bytes).map_err(|_| errno::error(units::errno::ENOMEM))?;
        let null = std::ptr::null();
        // SAFETY: the file handle is open. The mapping's is new.
        let mapping =
            unsafe { owned(CreateFileMappingW(handle.as_raw_handle(), null, protection, 0, 0, null.cast())) }?;
        // SAFETY: the mapping is open, and the address is of the system's choice.
        let view = unsafe { MapViewOfFile(mapping.as_raw_handle(), access, 0, 0, bytes) };
        if view.Value.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(View { address: view.Value.cast(), bytes, _mapping: mapping })
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: this value owns the view.
        unsafe { UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: self.address.cast() }) };
    }
}

/// An attached file.
struct Target {
    file: File,
    mapping: Mapping,
    /// `None` for an empty file.
    view: Option<View>,
}

pub(crate) struct Mmap {
    slots: Slots,
    files: Files,
    targets: Vec<Option<Target>>,
    done: Vec<Completion>,
}

impl Mmap {
    pub(crate) fn new(config: &BackendConfig, slots: Slots) -> Self {
        Mmap {
            slots,
            files: Files::new(config.files, 0),
            targets: (0..config.files).map(|_| None).collect(),
            done: Vec::with_capacity(config.depth as usize),
        }
    }

    fn run(&self, op: &Op, data: *mut u8) -> IoResult {
        let Some(Some(target)) = self.targets.get(op.file as usize) else { return Err(EBADF) };
        match op.kind {
            Kind::Read | Kind::Write => target.copy(op, data),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => {
                let flushed = target.view.as_ref().map_or(Ok(()), |view| flush(view.address, view.bytes));
                flushed.and_then(|()| self.files.run_here(op))
            }
            Kind::Trim => self.files.run_here(op),
        }
    }
}

impl Target {
    /// Copies between file and buffer. Returns the bytes copied, or the errno.
    fn copy(&self, op: &Op, data: *mut u8) -> IoResult {
        let is_permitted = if op.kind == Kind::Read { self.file.is_readable() } else { self.file.is_writable() };
        if !is_permitted {
            return Err(EBADF);
        }
        let size = self.view.as_ref().map_or(0, |view| view.bytes as u64);
        let bytes = size.saturating_sub(op.offset).min(u64::from(op.len)) as usize;
        let Some(view) = self.view.as_ref().filter(|_| bytes > 0) else {
            // A mapping cannot extend a file.
            return if op.kind == Kind::Read { Ok(0) } else { Err(ENOSPC) };
        };
        // SAFETY: the view contains the range, and `Slots::start` has lent the bytes at `data` to this operation.
        unsafe {
            let mapped = view.address.add(op.offset as usize);
            match op.kind {
                Kind::Read => copy(self.mapping, mapped, data, bytes),
                _ => write(self.mapping, data, mapped, bytes)?,
            }
        }
        op.moved(bytes as u64)
    }
}

/// Copies, around the CPU caches if the mapping requires it.
///
/// # Safety
/// `from` is readable and `to` is writable for `bytes` bytes.
unsafe fn copy(mapping: Mapping, from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: guaranteed by the caller. A CPU without non-temporal instructions makes a plain copy.
    unsafe {
        if mapping.write_through {
            cache_lines::copy_bypassing_caches(from, to, bytes);
        } else {
            std::ptr::copy_nonoverlapping(from, to, bytes);
        }
    }
}

/// Copies from the buffer to the mapping, and flushes as the mapping requires. Returns an errno on failure.
///
/// # Safety
/// As [`copy`], and `mapped` lies in a view.
unsafe fn write(mapping: Mapping, data: *const u8, mapped: *mut u8, bytes: usize) -> Result<(), i32> {
    // SAFETY: guaranteed by the caller.
    let is_flushed = unsafe {
        copy(mapping, data, mapped, bytes);
        match mapping.flush {
            None => true,
            Some(Flush::View) => false,
            Some(Flush::CacheLines) => cache_lines::write_back(mapped, bytes, true),
            Some(Flush::CacheLinesNoDrain) => cache_lines::write_back(mapped, bytes, false),
        }
    };
    if is_flushed { Ok(()) } else { flush(mapped, bytes) }
}

/// Writes the dirty pages of a range of a view to the file.
fn flush(address: *mut u8, bytes: usize) -> Result<(), i32> {
    // SAFETY: the range lies in a view.
    if unsafe { FlushViewOfFile(address.cast(), bytes) } != 0 { Ok(()) } else { Err(errno::last()) }
}

impl Backend for Mmap {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.map(index, file, Mapping::default())
    }

    fn map(&mut self, index: u32, file: &File, mapping: Mapping) -> io::Result<()> {
        let handle = self.files.attach(index, file)?;
        let bytes = file.size()?.ok_or_else(|| errno::error(EIO))?;
        let view = if bytes > 0 { Some(View::of(handle, bytes, file.is_writable())?) } else { None };
        self.targets[index as usize] = Some(Target { file: file.clone(), mapping, view });
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)?;
        self.targets[index as usize] = None;
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            self.files.handle(op.file)?;
            let data = self.slots.start(op)?;
            let result = self.run(op, data);
            self.done.push(Completion { slot: op.slot, result });
            Ok(())
        })
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        true
    }
}
