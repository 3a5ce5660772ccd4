//! `mmap`: an operation is a copy from or to a mapped view of the file.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};

use units::errno::{EBADF, EIO, ENOSPC};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, FlushViewOfFile, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile,
    PAGE_READONLY, PAGE_READWRITE, UnmapViewOfFile,
};

use super::files::{Files, RawFile};
use crate::file::File;
use crate::io::{BackendConfig, Execute, IoResult, Kind, Op, mapped};
use crate::windows::errno;
use crate::windows::handle::owned;
use ::io::Mapping;

/// A mapped view of a whole file.
struct View {
    address: *mut u8,
    bytes: usize,
    /// Closed after the view.
    _mapping: OwnedHandle,
}

impl View {
    /// Maps a file. A mapping cannot extend it.
    fn of(file: RawFile, bytes: u64, is_writable: bool) -> io::Result<View> {
        let (protection, access) = match is_writable {
            true => (PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE),
            false => (PAGE_READONLY, FILE_MAP_READ),
        };
        let bytes = usize::try_from(bytes).map_err(|_| errno::error(units::errno::ENOMEM))?;
        let null = std::ptr::null();
        // SAFETY: the file handle is open. The mapping's is new.
        let mapping = unsafe { owned(CreateFileMappingW(file, null, protection, 0, 0, null.cast())) }?;
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
    targets: Vec<Option<Target>>,
}

impl Mmap {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        Mmap { targets: (0..config.files).map(|_| None).collect() }
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
            let start = view.address.add(op.offset as usize);
            match op.kind {
                Kind::Read => drop(mapped::copy(self.mapping, start, data, bytes)),
                _ if mapped::write(self.mapping, data, start, bytes) => {}
                _ => flush(start, bytes)?,
            }
        }
        op.moved(bytes as u64)
    }
}

/// Writes the dirty pages of a range of a view to the file.
fn flush(address: *mut u8, bytes: usize) -> Result<(), i32> {
    // SAFETY: the range lies in a view.
    if unsafe { FlushViewOfFile(address.cast(), bytes) } != 0 { Ok(()) } else { Err(errno::last()) }
}

impl Execute for Mmap {
    fn prepare(&mut self, index: u32, file: &File, raw: RawFile) -> io::Result<()> {
        self.map(index, file, raw, Mapping::default())
    }

    fn map(&mut self, index: u32, file: &File, raw: RawFile, mapping: Mapping) -> io::Result<()> {
        let bytes = file.size()?.ok_or_else(|| errno::error(EIO))?;
        let view = if bytes > 0 { Some(View::of(raw, bytes, file.is_writable())?) } else { None };
        self.targets[index as usize] = Some(Target { file: file.clone(), mapping, view });
        Ok(())
    }

    fn release(&mut self, index: u32) {
        self.targets[index as usize] = None;
    }

    fn execute(&mut self, op: &Op, _: RawFile, data: *mut u8, files: &Files) -> IoResult {
        let Some(target) = &self.targets[op.file as usize] else { return Err(EBADF) };
        match op.kind {
            Kind::Read | Kind::Write => target.copy(op, data),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => {
                let flushed = target.view.as_ref().map_or(Ok(()), |view| flush(view.address, view.bytes));
                flushed.and_then(|()| files.run_here(op))
            }
            Kind::Trim => files.run_here(op),
        }
    }
}
