//! Copies from and to mapped files that survive a page that can't be had.
//!
//! A read error, a device that went away or a file cut short under a mapping reaches the process as SIGBUS, which
//! would take the whole run with it. While a copy is guarded, the handler puts an empty page where the file's was and
//! lets the copy go on; what it copied is then worth nothing, and the caller is told.

use std::cell::Cell;
use std::io;
use std::ptr;
use std::sync::OnceLock;

use crate::memory::page_size;

/// A mapping being copied from or to by this thread, and whether a page of it was missing.
#[derive(Clone, Copy)]
struct Guard {
    start: usize,
    end: usize,
    missed: bool,
}

const NO_GUARD: Guard = Guard { start: 0, end: 0, missed: false };

thread_local! {
    // Made at compile time and without a destructor, so a handler may reach it at any moment.
    static GUARD: Cell<Guard> = const { Cell::new(NO_GUARD) };
}

/// What handled the signal before, and the page's size.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

/// Installs the handler, once in the process.
pub(super) fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    INSTALLED.get_or_init(install_once).map_err(io::Error::from_raw_os_error)
}

fn install_once() -> Result<(), i32> {
    let errno = || io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
    // SAFETY: an action is plain numbers; all zeroes is one.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: asks for the present action.
    if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut before) } != 0 {
        return Err(errno());
    }
    // The handler finds what it needs before it can run for the first time.
    BEFORE.get_or_init(|| (before, page_size()));
    // SAFETY: as above.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handle as *const () as usize;
    // On the thread's alternate stack, where it has one: the handler before this one may be the guard of the stack.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
    // SAFETY: the handler calls only what a handler may: mmap, sigaction.
    match unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(errno()),
    }
}

/// Runs `copy`, which touches the mapping; false if a page of it couldn't be had.
pub(super) fn guarded(start: *mut u8, bytes: usize, copy: impl FnOnce()) -> bool {
    GUARD.set(Guard { start: start as usize, end: start as usize + bytes, missed: false });
    // The handler runs on this thread between two instructions: the compiler must not move the copy out of here.
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    copy();
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    !GUARD.replace(NO_GUARD).missed
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some((before, page)) = BEFORE.get() else { return };
    // SAFETY: the kernel hands a valid structure to a handler with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let guard = GUARD.get();
    if address < guard.start || address >= guard.end {
        return pass_on(before, signal, info, context);
    }
    // SAFETY: the page lies in the guarded mapping, which is in use by this very thread and by no other.
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
        return pass_on(before, signal, info, context);
    }
    GUARD.set(Guard { missed: true, ..guard });
}

/// Not ours: what was there before takes it.
fn pass_on(before: &libc::sigaction, signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
        // The faulting instruction runs again, and then the default ends the process.
        // SAFETY: puts an earlier action back.
        unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
        return;
    }
    if before.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: with this flag the earlier action is a function of these arguments.
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
            unsafe { std::mem::transmute(before.sa_sigaction) };
        handler(signal, info, context);
    } else {
        // SAFETY: without it, of the signal's number alone.
        let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(before.sa_sigaction) };
        handler(signal);
    }
}
