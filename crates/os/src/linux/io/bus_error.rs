//! Copies from and to mapped files that survive a missing page.
//!
//! A read error, a removed device or a truncated file under a mapping raises SIGBUS, whose default action ends the
//! process. During a guarded copy the handler replaces the missing page by an empty one, and the copy continues. Its
//! data is then invalid, and the caller gets `false`.

use std::cell::Cell;
use std::io;
use std::ptr;
use std::sync::OnceLock;

use crate::memory::page_size;

/// The mapping of this thread's current copy, and whether a page of it was missing.
#[derive(Clone, Copy)]
struct Guard {
    start: usize,
    end: usize,
    missed: bool,
}

const NO_GUARD: Guard = Guard { start: 0, end: 0, missed: false };

thread_local! {
    // Const-initialized and without a destructor, so a signal handler can use it at any time.
    static GUARD: Cell<Guard> = const { Cell::new(NO_GUARD) };
}

/// The previous signal action, and the page size.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

/// Installs the handler once per process.
pub(super) fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    INSTALLED.get_or_init(install_once).map_err(io::Error::from_raw_os_error)
}

fn install_once() -> Result<(), i32> {
    let errno = || io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
    // SAFETY: all-zero bytes are a valid `sigaction`.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: reads the current action.
    if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut before) } != 0 {
        return Err(errno());
    }
    // The handler needs this value before its first run.
    BEFORE.get_or_init(|| (before, page_size()));
    // SAFETY: all-zero bytes are a valid `sigaction`.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handle as *const () as usize;
    // SA_ONSTACK: the previous handler can be the stack guard's, which needs the alternate stack.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
    // SAFETY: the handler calls only functions that are safe in a handler: mmap, sigaction.
    match unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(errno()),
    }
}

/// Runs `copy`, which accesses the mapping. Returns false if a page was missing.
pub(super) fn guarded(start: *mut u8, bytes: usize, copy: impl FnOnce()) -> bool {
    GUARD.set(Guard { start: start as usize, end: start as usize + bytes, missed: false });
    // The handler runs on this thread between two instructions: the compiler must not move the copy.
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    copy();
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    !GUARD.replace(NO_GUARD).missed
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some((before, page)) = BEFORE.get() else { return };
    // SAFETY: the kernel passes a valid structure to a handler with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let guard = GUARD.get();
    if address < guard.start || address >= guard.end {
        return call_previous(before, signal, info, context);
    }
    // SAFETY: the page lies in the guarded mapping, which only this thread uses.
    let replaced = unsafe {
        libc::mmap(
            (address / page * page) as *mut libc::c_void,
            *page,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    if replaced == libc::MAP_FAILED {
        return call_previous(before, signal, info, context);
    }
    GUARD.set(Guard { missed: true, ..guard });
}

/// Calls the previous action for a SIGBUS outside the guarded mapping.
fn call_previous(
    before: &libc::sigaction,
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
        // SAFETY: restores a previous action. The instruction faults again, and the default action ends the process.
        unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
        return;
    }
    if before.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: with SA_SIGINFO the previous action is a function with these arguments.
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
            unsafe { std::mem::transmute(before.sa_sigaction) };
        handler(signal, info, context);
    } else {
        // SAFETY: without SA_SIGINFO it is a function of the signal's number.
        let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(before.sa_sigaction) };
        handler(signal);
    }
}
