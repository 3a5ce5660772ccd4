//! Limits of the memory of this process.

use std::io;

use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use crate::memory::limits::UsedMemory;
use crate::windows::handle::check;

fn status() -> io::Result<MEMORYSTATUSEX> {
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: the call fills the structure, whose size is in it.
    check(unsafe { GlobalMemoryStatusEx(&mut status) })?;
    Ok(status)
}

/// Returns the machine's memory in bytes.
///
/// # Errors
/// Returns the error of the call.
pub fn total() -> io::Result<u64> {
    Ok(status()?.ullTotalPhys)
}

/// Returns the size of the address space in bytes.
pub fn address_space() -> Option<u64> {
    status().ok().map(|status| status.ullTotalVirtual)
}

/// Returns the limit of private memory in bytes: the memory that the system can still commit, and what this process has.
pub fn data() -> Option<u64> {
    status().ok().map(|status| status.ullAvailPageFile.saturating_add(used().data_bytes))
}

/// Returns the memory that this process uses. 0 if the system does not report it.
pub fn used() -> UsedMemory {
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let bytes = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the call fills the structure. If it fails, the counters stay 0.
    unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &mut counters, bytes) };
    let address_space = status().map_or(0, |status| status.ullTotalVirtual.saturating_sub(status.ullAvailVirtual));
    UsedMemory {
        resident_bytes: counters.WorkingSetSize as u64,
        address_space_bytes: address_space,
        data_bytes: counters.PagefileUsage as u64,
    }
}

/// Does nothing: all threads allocate from the heap of the process.
pub fn use_one_arena() {}
