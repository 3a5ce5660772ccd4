//! Memory of the buffers.

use std::io;

use windows_sys::Win32::Foundation::{ERROR_NOT_ALL_ASSIGNED, GetLastError, LUID};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES,
    TOKEN_PRIVILEGES,
};
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc,
    VirtualFree, VirtualLock,
};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use crate::memory::{MemoryKind, MemorySpec};
use crate::windows::handle::{check, owned, unsupported, wide};

/// A zeroed memory range that starts at a page.
pub(crate) struct Region {
    start: *mut u8,
    bytes: usize,
    /// Offset of the first slot.
    skip: usize,
}

// SAFETY: the region owns its memory. `Buffers` and `Slots` control the access.
unsafe impl Send for Region {}
// SAFETY: a shared reference gives only addresses.
unsafe impl Sync for Region {}

impl Region {
    pub(crate) fn new(bytes: usize, spec: &MemorySpec) -> io::Result<Self> {
        if spec.file.is_some() {
            return Err(unsupported("memory of a file for the I/O buffers (mem=mmap:FILE)"));
        }
        let (unit, more) = match spec.kind {
            MemoryKind::Malloc | MemoryKind::Mmap => (page_size(), 0),
            MemoryKind::MmapHuge | MemoryKind::ShmHuge => (large_page_size()?, MEM_LARGE_PAGES),
            MemoryKind::Shm => return Err(unsupported("System V shared memory (mem=shm)")),
            MemoryKind::MmapShared => return Err(unsupported("a shared mapping (mem=mmapshared)")),
        };
        let total = spec.total_bytes(bytes, unit)?;
        if more != 0 {
            enable_privilege("SeLockMemoryPrivilege").map_err(|error| large_page_error(&error))?;
        }
        // SAFETY: a new allocation at an address of the system's choice.
        let start = unsafe { VirtualAlloc(std::ptr::null(), total, MEM_RESERVE | MEM_COMMIT | more, PAGE_READWRITE) };
        if start.is_null() {
            let error = io::Error::last_os_error();
            return Err(if more == 0 { error } else { large_page_error(&error) });
        }
        Ok(Region { start: start.cast(), bytes: total, skip: spec.align })
    }

    /// Returns false: no memory is that of a file.
    pub(crate) fn has_lost_pages(&self) -> bool {
        false
    }

    /// Returns the address of the first slot.
    pub(crate) fn base(&self) -> *mut u8 {
        // SAFETY: the allocation is `skip` bytes longer than the requested size.
        unsafe { self.start.add(self.skip) }
    }

    pub(crate) fn lock(&self) -> io::Result<()> {
        // SAFETY: the range is the allocation of this region.
        check(unsafe { VirtualLock(self.start.cast(), self.bytes) })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: this region allocated the range and is its only owner.
        unsafe { VirtualFree(self.start.cast(), 0, MEM_RELEASE) };
    }
}

fn large_page_size() -> io::Result<usize> {
    // SAFETY: no arguments.
    match unsafe { GetLargePageMinimum() } {
        0 => Err(unsupported("memory of large pages")),
        bytes => Ok(bytes),
    }
}

fn large_page_error(error: &io::Error) -> io::Error {
    let text = format!(
        "no large pages for the I/O buffers: {error}; the user needs the right \"Lock pages in memory\" (secpol.msc)"
    );
    io::Error::new(error.kind(), text)
}

/// Enables a privilege that the user has.
pub(crate) fn enable_privilege(name: &str) -> io::Result<()> {
    let name = wide(name)?;
    let mut token = std::ptr::null_mut();
    // SAFETY: the call returns a new handle. The pseudo handle is always valid.
    check(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &mut token) })?;
    // SAFETY: the handle is new and has no other owner.
    let token = unsafe { owned(token) }?;
    let mut id = LUID { LowPart: 0, HighPart: 0 };
    // SAFETY: the name is a string with a final NUL, and the call fills the structure.
    check(unsafe { LookupPrivilegeValueW(std::ptr::null(), name.as_ptr(), &mut id) })?;
    let privilege = LUID_AND_ATTRIBUTES { Luid: id, Attributes: SE_PRIVILEGE_ENABLED };
    let privileges = TOKEN_PRIVILEGES { PrivilegeCount: 1, Privileges: [privilege] };
    let handle = std::os::windows::io::AsRawHandle::as_raw_handle(&token);
    let null = std::ptr::null_mut();
    // SAFETY: the call reads one privilege. It need not return the previous state.
    check(unsafe { AdjustTokenPrivileges(handle, 0, &privileges, 0, null, null.cast()) })?;
    // SAFETY: no arguments. The call succeeds also if the user does not have the privilege.
    match unsafe { GetLastError() } {
        ERROR_NOT_ALL_ASSIGNED => Err(io::Error::from_raw_os_error(ERROR_NOT_ALL_ASSIGNED as i32)),
        _ => Ok(()),
    }
}

/// Returns the system's page size in bytes.
pub fn page_size() -> usize {
    let mut info = SYSTEM_INFO::default();
    // SAFETY: the call fills the structure.
    unsafe { GetSystemInfo(&mut info) };
    (info.dwPageSize as usize).max(4096)
}
