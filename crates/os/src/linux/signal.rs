//! Handling of signals: SIGINT, SIGTERM and SIGHUP stop a run, SIGUSR1 requests its status.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::time::Timespec;

use crate::linux::file::check;
pub use crate::unix::Deferred;
use crate::unix::STOP_SIGNALS;

/// Number of received stop signals, and the last one.
static COUNT: AtomicU32 = AtomicU32::new(0);
static LAST: AtomicI32 = AtomicI32::new(0);
/// True after SIGUSR1.
static STATUS_REQUESTED: AtomicBool = AtomicBool::new(false);
/// The eventfd that wakes waiting threads.
static WAKER: OnceLock<OwnedFd> = OnceLock::new();

/// The process's signal handling. It stays installed until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Interrupts(());

impl Interrupts {
    /// Installs the handlers, once per process.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn install() -> io::Result<Self> {
        static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
        let install = || install_once().map_err(|error| error.raw_os_error().unwrap_or(libc::EINVAL));
        INSTALLED.get_or_init(install).map_err(io::Error::from_raw_os_error)?;
        Ok(Interrupts(()))
    }

    /// Returns the number of received stop signals. It is cheap enough for a worker's loop.
    #[inline]
    pub fn count(&self) -> u32 {
        COUNT.load(Ordering::Relaxed)
    }

    /// Returns the last stop signal.
    pub fn last(&self) -> Option<i32> {
        Some(LAST.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// Returns true once after SIGUSR1. Several signals before the call count once.
    pub fn take_status_request(&self) -> bool {
        STATUS_REQUESTED.swap(false, Ordering::Relaxed)
    }

    /// Waits until more than `seen` stop signals have come, for at most `timeout`. Returns whether they have.
    pub fn wait(&self, seen: u32, timeout: Duration) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        loop {
            if self.count() > seen {
                return true;
            }
            let left = deadline.map_or(timeout, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return false;
            }
            // After the first signal the eventfd stays readable, so it is not polled. A further signal ends the sleep
            // early by interrupting it.
            let mut waker = WAKER.get().filter(|_| seen == 0).map(|waker| PollFd::new(waker, PollFlags::IN));
            let time = if seen == 0 { left } else { left.min(Duration::from_millis(50)) };
            let _ = poll(waker.as_mut_slice(), Timespec::try_from(time).ok().as_ref());
        }
    }
}

/// Sends SIGINT to this thread, as Ctrl-C does to the process.
pub fn interrupt() {
    // SAFETY: no pointers.
    unsafe { libc::raise(libc::SIGINT) };
}

fn install_once() -> io::Result<()> {
    let waker = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    WAKER.get_or_init(|| waker);
    for signal in STOP_SIGNALS {
        // SAFETY: all-zero bytes are a valid `sigaction`.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: reads the current action.
        check(unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) })?;
        // SIGHUP stays ignored if the parent ignored it (nohup). The others are handled in any case, as by fio: shells
        // ignore SIGINT in background jobs, and scripts use it to stop them.
        if signal == libc::SIGHUP && action.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        handle(signal, action, note)?;
    }
    // SAFETY: all-zero bytes are a valid `sigaction`.
    handle(libc::SIGUSR1, unsafe { std::mem::zeroed() }, note_status)
}

/// Makes a write beyond RLIMIT_FSIZE (`ulimit -f`) an error: EFBIG. Without a handler, SIGXFSZ ends the process. Programs that
/// this process starts have the default action again.
///
/// # Errors
/// Returns the error of the system call.
pub fn handle_file_size_limit() -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sigaction`.
    handle(libc::SIGXFSZ, unsafe { std::mem::zeroed() }, ignore)
}

extern "C" fn ignore(_: libc::c_int) {}

fn handle(signal: libc::c_int, mut action: libc::sigaction, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the handlers access only atomics and make at most one write.
    check(unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) }).map(drop)
}

extern "C" fn note_status(_: libc::c_int) {
    STATUS_REQUESTED.store(true, Ordering::Relaxed);
}

extern "C" fn note(signal: libc::c_int) {
    LAST.store(signal, Ordering::Relaxed);
    COUNT.fetch_add(1, Ordering::Relaxed);
    let Some(waker) = WAKER.get() else { return };
    let one: u64 = 1;
    // SAFETY: errno belongs to this thread and is restored, so the interrupted code does not see a change.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(waker.as_raw_fd(), (&raw const one).cast(), size_of::<u64>());
        *libc::__errno_location() = errno;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signal_is_counted_and_ends_waits_also_if_the_parent_ignored_it() {
        const LONG: Duration = Duration::from_secs(600);
        // SAFETY: no pointers. No other code in this process handles the signal.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
        let interrupts = Interrupts::install().unwrap();
        let start = Instant::now();
        assert!(!interrupts.wait(0, Duration::from_millis(20)));
        assert!(start.elapsed() >= Duration::from_millis(20));
        for (round, signal) in [(0, libc::SIGINT), (1, libc::SIGTERM)] {
            let waiter = std::thread::spawn(move || interrupts.wait(round, LONG));
            std::thread::sleep(Duration::from_millis(20));
            // SAFETY: no pointers. The process handles this signal.
            unsafe { libc::kill(libc::getpid(), signal) };
            assert!(waiter.join().unwrap());
            assert_eq!(interrupts.count(), round + 1);
        }
        assert_eq!(interrupts.last(), Some(libc::SIGTERM));
        assert!(start.elapsed() < LONG, "a signal ends a wait");
    }
}
