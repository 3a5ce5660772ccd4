//! `libpmem` and `dev-dax`: an operation is a copy from or to persistent memory, by libpmem.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use super::files::{Files, RawFile};
use crate::file::File;
use crate::io::Execute;
use crate::io::{BackendConfig, BackendError, EngineKind, IoResult, Kind, Op, PmemConfig};
use crate::linux::c_string::c_path;
use crate::linux::library::{Functions, functions};
use crate::linux::memory::Watch;
use crate::memory::page_size;

/// Flags of `pmem_map_file`, by `libpmem.h`: a new file, without a name.
const FILE_CREATE: c_int = 1;
const FILE_TMPFILE: c_int = 1 << 3;
/// Flags of `pmem_memcpy`, by `libpmem.h`.
const MEM_NODRAIN: c_uint = 1;
const MEM_NONTEMPORAL: c_uint = 1 << 1;
const MEM_TEMPORAL: c_uint = 1 << 2;

functions! {
    pub(super) struct Api;
    pmem_map_file: fn(*const c_char, usize, c_int, libc::mode_t, *mut usize, *mut c_int) -> *mut c_void;
    pmem_unmap: fn(*mut c_void, usize) -> c_int;
    pmem_memcpy: fn(*mut c_void, *const c_void, usize, c_uint) -> *mut c_void;
    pmem_drain: fn();
}

pub(super) static API: Functions<Api> = Functions::new(&["libpmem.so.1"], "libpmem1", Api::find);

/// Returns whether libpmem maps a file as persistent memory. For a folder, it maps a temporary file without a name in
/// it.
///
/// # Errors
/// Returns the error of loading the library or of mapping the file. An empty file cannot be mapped.
pub fn is_persistent(path: &Path) -> io::Result<bool> {
    let api = API.of(EngineKind::Libpmem).map_err(io::Error::other)?;
    let (bytes, flags) = if path.is_dir() { (page_size(), FILE_CREATE | FILE_TMPFILE) } else { (0, 0) };
    Region::map(api, &c_path(path)?, bytes, flags).map(|region| region.is_persistent)
}

/// A mapping of a whole file by libpmem.
struct Region {
    api: &'static Api,
    address: *mut u8,
    bytes: usize,
    is_persistent: bool,
}

impl Region {
    /// Maps `bytes` bytes of a file. 0 maps the whole file.
    fn map(api: &'static Api, path: &CStr, bytes: usize, flags: c_int) -> io::Result<Self> {
        let (mut mapped, mut is_persistent) = (0, 0);
        // SAFETY: the path is a C string, and the library fills the two values.
        let address =
            unsafe { (api.pmem_map_file)(path.as_ptr(), bytes, flags, 0o600, &raw mut mapped, &raw mut is_persistent) };
        if address.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(Region { api, address: address.cast(), bytes: mapped, is_persistent: is_persistent != 0 })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping.
        unsafe { (self.api.pmem_unmap)(self.address.cast(), self.bytes) };
    }
}

/// An attached file.
struct Target {
    is_writable: bool,
    /// `None` after a page of the mapping was lost. The watch ends before the mapping.
    mapped: Option<(Watch, Region)>,
}

impl Target {
    /// Runs an operation on the `len` bytes at `data`. Returns the result of its completion.
    fn run(&mut self, op: &Op, data: *mut u8, (api, flags): (&Api, c_uint)) -> IoResult {
        match op.kind {
            Kind::Read | Kind::Write => {}
            Kind::Trim => return Err(libc::EOPNOTSUPP),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => {
                // SAFETY: no arguments.
                unsafe { (api.pmem_drain)() };
                return Ok(0);
            }
        }
        let Some((watch, region)) = &self.mapped else { return Err(libc::EIO) };
        if op.kind == Kind::Write && !self.is_writable {
            return Err(libc::EBADF);
        }
        let len = op.len as usize;
        let start = usize::try_from(op.offset).unwrap_or(usize::MAX);
        let bytes = region.bytes.saturating_sub(start).min(len);
        if bytes == 0 && len > 0 {
            // A mapping cannot extend a file.
            return if op.kind == Kind::Read { Ok(0) } else { Err(libc::ENOSPC) };
        }
        let copy = api.pmem_memcpy;
        // SAFETY: the range was compared with the mapping. `Slots::start` has lent the bytes at `data` to this
        // operation. Other processes can change the mapping, so no reference to it is made. The watch handles missing
        // pages.
        unsafe {
            let mapped = region.address.add(start);
            match op.kind {
                Kind::Read => ptr::copy_nonoverlapping(mapped, data, bytes),
                _ => drop(copy(mapped.cast(), data.cast(), bytes, flags)),
            }
        }
        if watch.has_lost_pages() {
            self.mapped = None;
            return Err(libc::EIO);
        }
        op.moved(bytes as u64)
    }
}

pub(crate) struct Pmem {
    api: &'static Api,
    targets: Vec<Option<Target>>,
    copy_flags: c_uint,
}

impl Pmem {
    pub(crate) fn new(config: &BackendConfig) -> Result<Self, BackendError> {
        Ok(Pmem {
            api: API.of(config.engine)?,
            targets: (0..config.files).map(|_| None).collect(),
            copy_flags: copy_flags(config.pmem),
        })
    }
}

/// Returns the flags of `pmem_memcpy`.
fn copy_flags(config: PmemConfig) -> c_uint {
    let caching = match config.nontemporal {
        Some(true) => MEM_NONTEMPORAL,
        Some(false) => MEM_TEMPORAL,
        None => 0,
    };
    if config.drains { caching } else { caching | MEM_NODRAIN }
}

impl Execute for Pmem {
    fn prepare(&mut self, index: u32, file: &File, fd: RawFile) -> io::Result<()> {
        // The library opens files by path. This path leads to the open file, even if another file has its name now.
        let path = CString::new(format!("/proc/self/fd/{fd}"))?;
        let region = Region::map(self.api, &path, 0, 0)?;
        if !region.is_persistent {
            return Err(io::Error::other("the file is not in persistent memory"));
        }
        // SAFETY: the target owns the mapping and the watch.
        let watch = unsafe { Watch::new(region.address, region.bytes) }.map_err(io::Error::from_raw_os_error)?;
        self.targets[index as usize] = Some(Target { is_writable: file.is_writable(), mapped: Some((watch, region)) });
        Ok(())
    }

    fn release(&mut self, index: u32) {
        self.targets[index as usize] = None;
    }

    fn execute(&mut self, op: &Op, _: i32, data: *mut u8, _: &Files) -> IoResult {
        let Some(target) = &mut self.targets[op.file as usize] else { return Err(libc::EBADF) };
        target.run(op, data, (self.api, self.copy_flags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_drain_and_bypass_the_caches_on_request() {
        let flags = |drains, nontemporal| copy_flags(PmemConfig { drains, nontemporal });
        assert_eq!(flags(false, Some(false)), MEM_TEMPORAL | MEM_NODRAIN);
        assert_eq!(flags(true, Some(false)), MEM_TEMPORAL);
        assert_eq!(flags(false, Some(true)), MEM_NONTEMPORAL | MEM_NODRAIN);
        assert_eq!(flags(true, Some(true)), MEM_NONTEMPORAL);
        assert_eq!(flags(true, None), 0, "as pmem_memcpy_persist");
    }
}
