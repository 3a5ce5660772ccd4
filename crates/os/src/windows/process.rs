//! Process and threads: resource usage, priorities, ids, terminal.

use std::cell::Cell;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree, VirtualLock,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetCurrentThreadId, GetProcessWorkingSetSize, GetThreadTimes,
    SetProcessWorkingSetSize,
};

use super::handle::{check, unsupported};
use crate::process::Usage;

/// Returns this thread's usage since its start. Windows counts no context switches and page faults per thread: they are 0, as in
/// fio's reports on Windows.
pub fn thread_usage() -> Usage {
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut made, mut ended, mut kernel, mut user) = (zero, zero, zero, zero);
    // SAFETY: the call fills the four structures. The pseudo handle is always valid.
    unsafe { GetThreadTimes(GetCurrentThread(), &mut made, &mut ended, &mut kernel, &mut user) };
    let ns = |time: FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    Usage { user_ns: ns(user), system_ns: ns(kernel), ..Usage::default() }
}

/// Returns an error: Windows has no nice values.
///
/// # Errors
/// Always.
pub fn set_nice(_nice: i32) -> io::Result<()> {
    Err(unsupported("a nice value"))
}

/// Real-time priority of a thread. Windows has no `SCHED_FIFO`.
pub struct RealtimePriority(());

impl RealtimePriority {
    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn take() -> io::Result<Self> {
        Err(unsupported("a real-time priority of a thread"))
    }
}

/// Returns an error: a thread has the user of its process.
///
/// # Errors
/// Always.
pub fn set_thread_user(_user: u32) -> io::Result<()> {
    Err(unsupported("a user per thread"))
}

/// Returns an error: a thread has the groups of its process.
///
/// # Errors
/// Always.
pub fn set_thread_group(_group: u32) -> io::Result<()> {
    Err(unsupported("a group per thread"))
}

thread_local! {
    static IO_PRIORITY: Cell<u16> = const { Cell::new(0) };
}

/// Sets the I/O priority of the files that this thread attaches to a backend from now on.
///
/// # Errors
/// None.
pub fn set_io_priority(priority: u16) -> io::Result<()> {
    IO_PRIORITY.set(priority);
    Ok(())
}

/// Returns the I/O priority of this thread, as in `ioprio_set(2)`. 0 is the default.
pub(super) fn io_priority() -> u16 {
    IO_PRIORITY.get()
}

/// Memory locked into RAM, so that less is left for the file cache. It is freed on drop.
pub struct LockedMemory {
    address: *mut core::ffi::c_void,
}

impl LockedMemory {
    /// Allocates and locks memory. Raises the working set of the process for it.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let (mut least, mut most) = (0, 0);
        // SAFETY: the call fills both numbers. The pseudo handle is always valid.
        check(unsafe { GetProcessWorkingSetSize(GetCurrentProcess(), &mut least, &mut most) })?;
        // SAFETY: as above.
        check(unsafe { SetProcessWorkingSetSize(GetCurrentProcess(), least + bytes, most + bytes) })?;
        // SAFETY: a new allocation at an address of the system's choice.
        let address = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
        if address.is_null() {
            return Err(io::Error::last_os_error());
        }
        let memory = LockedMemory { address };
        // SAFETY: the range is the new allocation.
        check(unsafe { VirtualLock(address, bytes) })?;
        Ok(memory)
    }
}

impl Drop for LockedMemory {
    fn drop(&mut self) {
        // SAFETY: this value owns the allocation.
        unsafe { VirtualFree(self.address, 0, MEM_RELEASE) };
    }
}

// SAFETY: only this value uses the memory, and it is never read or written.
unsafe impl Send for LockedMemory {}

/// Fills a slice with random bytes of the system.
///
/// # Errors
/// Returns an error if the system has none.
pub fn random_bytes(bytes: &mut [u8]) -> io::Result<()> {
    let (none, count) = (std::ptr::null_mut(), bytes.len() as u32);
    // SAFETY: the call fills `count` bytes of the slice.
    let status = unsafe { BCryptGenRandom(none, bytes.as_mut_ptr(), count, BCRYPT_USE_SYSTEM_PREFERRED_RNG) };
    if status >= 0 { Ok(()) } else { Err(super::errno::error(super::errno::of_status(status))) }
}

/// Ends a child process.
///
/// # Errors
/// Returns the error of the system call.
pub fn terminate(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}

/// Returns a process that runs a command with `cmd.exe`.
pub fn shell(command: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut process = Command::new("cmd");
    // The command has its own quotes.
    process.arg("/C").raw_arg(command);
    process
}

/// Returns the folder that HOME names.
pub fn home_folder() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Returns the system's id of this thread.
pub fn thread_id() -> u32 {
    // SAFETY: no arguments.
    unsafe { GetCurrentThreadId() }
}

/// Does nothing: sleeps use timers of high resolution, which have no slack.
///
/// # Errors
/// None.
pub fn set_timer_slack(_slack_ns: u64) -> io::Result<()> {
    Ok(())
}

/// Returns the number of handles that a process can have.
///
/// # Errors
/// None.
pub fn raise_open_file_limit() -> io::Result<u64> {
    /// "Kernel Objects" of the Windows documentation: the limit per process.
    const HANDLES_MAX: u64 = 1 << 24;
    Ok(HANDLES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_thread_uses_time() {
        let before = thread_usage();
        let start = std::time::Instant::now();
        let mut used = Usage::default();
        while used.user_ns + used.system_ns < 5_000_000 && start.elapsed().as_secs() < 240 {
            used = thread_usage().since(&before);
        }
        assert!(used.user_ns + used.system_ns >= 5_000_000, "{used:?}");
        assert!(thread_id() > 0);
    }
}
