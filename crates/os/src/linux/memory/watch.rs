//! Mapped files whose pages can be missing.
//!
//! A read error, a removed device, a full file system or a truncated file under a mapping raises SIGBUS, whose default
//! action ends the process. In a watched mapping the handler replaces the missing page by an empty one, and the access
//! continues. Its data is then invalid, and the owner of the mapping reports that.
//!
//! All mappings of files are watched: those of `mmap`, `libpmem` and `dev-dax`, and buffers in a file. The others need no
//! watch: anonymous memory has no file, huge pages without a file are taken before the run (`region`), the memory of rings is the kernel's, and the mapping for `mincore` is never accessed.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, compiler_fence};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::page_size;

/// A watched mapping.
pub(crate) struct Watch(&'static Entry);

/// An entry of the list that the handler reads. It is never freed, but used again.
struct Entry {
    start: AtomicUsize,
    /// 0 if the entry is not used.
    end: AtomicUsize,
    has_lost_pages: AtomicBool,
    next: Option<&'static Entry>,
}

static FIRST: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());
/// Held while an entry is taken.
static TAKING: Mutex<()> = Mutex::new(());

/// The previous signal action, and the page size.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

impl Watch {
    /// Watches the `bytes` bytes at `start`.
    ///
    /// # Errors
    /// The handler of SIGBUS cannot be installed.
    ///
    /// # Safety
    /// The range is a mapping of the caller until this is dropped.
    pub(crate) unsafe fn new(start: *mut u8, bytes: usize) -> Result<Self, i32> {
        install()?;
        let _taking = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries().find(|entry| entry.end.load(Ordering::Acquire) == 0).unwrap_or_else(|| {
            let entry = Entry {
                start: AtomicUsize::new(0),
                end: AtomicUsize::new(0),
                has_lost_pages: AtomicBool::new(false),
                next: entries().next(),
            };
            let entry: &'static Entry = Box::leak(Box::new(entry));
            FIRST.store(ptr::from_ref(entry).cast_mut(), Ordering::Release);
            entry
        });
        entry.has_lost_pages.store(false, Ordering::Relaxed);
        entry.start.store(start as usize, Ordering::Relaxed);
        entry.end.store(start as usize + bytes, Ordering::Release);
        Ok(Watch(entry))
    }

    /// Returns true if a page was missing at an access to the mapping by this thread, or by one that has synchronized with
    /// it.
    #[inline]
    pub(crate) fn has_lost_pages(&self) -> bool {
        // The handler runs between two instructions: the compiler must not move an access behind this.
        compiler_fence(Ordering::SeqCst);
        self.0.has_lost_pages.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.end.store(0, Ordering::Release);
    }
}

fn entries() -> impl Iterator<Item = &'static Entry> {
    // SAFETY: the pointer is null or that of an entry, which is never freed.
    let first = unsafe { FIRST.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |entry| entry.next)
}

/// Installs the handler once per process.
fn install() -> Result<(), i32> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    *INSTALLED.get_or_init(install_once)
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

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some((before, page)) = BEFORE.get() else { return };
    // SAFETY: the kernel passes a valid structure to a handler with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let range = |entry: &Entry| entry.start.load(Ordering::Relaxed)..entry.end.load(Ordering::Acquire);
    let Some(entry) = entries().find(|entry| range(entry).contains(&address)) else {
        return call_previous(before, signal, info, context);
    };
    let whole = range(entry);
    // A mapping of huge pages, or of a device with an alignment of its own, can only be replaced as a whole.
    if !(replace(address / page * page, *page) || replace(whole.start, whole.len())) {
        return call_previous(before, signal, info, context);
    }
    entry.has_lost_pages.store(true, Ordering::Relaxed);
}

/// Maps empty memory over part of a watched mapping. Returns false on failure.
fn replace(start: usize, bytes: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: the range lies in a watched mapping. Its owner keeps it mapped, and its data is lost anyway.
    let address =
        unsafe { libc::mmap(start as *mut libc::c_void, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    address != libc::MAP_FAILED
}

/// Calls the previous action for a SIGBUS outside the watched mappings.
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
