//! The signals that ask a run to end (SIGINT, SIGTERM, SIGHUP), as a flag to look at and a wait that they cut short; and
//! SIGUSR1, which asks how it goes.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::file::check;

const ASKED: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// How often one of the signals came, and which came last.
static COUNT: AtomicU32 = AtomicU32::new(0);
static LAST: AtomicI32 = AtomicI32::new(0);
/// Somebody wants to know how it goes.
static STATUS_ASKED: AtomicBool = AtomicBool::new(false);
/// The descriptor that wakes the waiters; -1 before there is one.
static WAKER: AtomicI32 = AtomicI32::new(-1);

/// The process's handling of the signals. There is one; it stays till the end.
#[derive(Clone, Copy, Debug)]
pub struct Interrupts(());

impl Interrupts {
    /// Takes the signals over. May be called again.
    pub fn install() -> io::Result<Self> {
        static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
        let install = || install_once().map_err(|error| error.raw_os_error().unwrap_or(libc::EINVAL));
        INSTALLED.get_or_init(install).map_err(io::Error::from_raw_os_error)?;
        Ok(Interrupts(()))
    }

    /// How many signals came. Cheap enough for a worker's loop.
    #[inline]
    pub fn count(&self) -> u32 {
        COUNT.load(Ordering::Relaxed)
    }

    /// The last signal that came.
    pub fn last(&self) -> Option<i32> {
        Some(LAST.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// True once for each time that SIGUSR1 asked how it goes, or for several that came together.
    pub fn take_status_request(&self) -> bool {
        STATUS_ASKED.swap(false, Ordering::Relaxed)
    }

    /// Waits until more than `seen` signals have come, but not longer than `timeout`; true if they have.
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
            // Rounded up, so that the last millisecond isn't spun away.
            let ms = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
            let mut waker = libc::pollfd { fd: WAKER.load(Ordering::Relaxed), events: libc::POLLIN, revents: 0 };
            // Once a signal has been seen the descriptor stays readable: a second one only ends a sleep early by the
            // handler's interruption of it.
            let descriptors = libc::nfds_t::from(seen == 0);
            // SAFETY: one structure, or none to be looked at.
            unsafe { libc::poll(&mut waker, descriptors, ms.min(if seen == 0 { i32::MAX } else { 50 })) };
        }
    }
}

fn install_once() -> io::Result<()> {
    // SAFETY: no pointers.
    let waker = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
    WAKER.store(waker, Ordering::Relaxed);
    for signal in ASKED {
        // SAFETY: an action is plain numbers; all zeroes is one.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: asks for the present action.
        check(unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) })?;
        // A hang-up that the parent had ignored (nohup) stays ignored. The others are taken over as by fio: scripts start
        // jobs in the background, where shells ignore SIGINT, and end them with it.
        if signal == libc::SIGHUP && action.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        handle(signal, action, note)?;
    }
    // SAFETY: an action is plain numbers; all zeroes is one.
    handle(libc::SIGUSR1, unsafe { std::mem::zeroed() }, note_status)
}

fn handle(signal: libc::c_int, mut action: libc::sigaction, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the handlers touch atomics and make at most one write.
    check(unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) }).map(drop)
}

extern "C" fn note_status(_: libc::c_int) {
    STATUS_ASKED.store(true, Ordering::Relaxed);
}

extern "C" fn note(signal: libc::c_int) {
    LAST.store(signal, Ordering::Relaxed);
    COUNT.fetch_add(1, Ordering::Relaxed);
    let one: u64 = 1;
    // SAFETY: errno is this thread's and is put back, so that the interrupted code doesn't see it change.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(WAKER.load(Ordering::Relaxed), (&raw const one).cast(), size_of::<u64>());
        *libc::__errno_location() = errno;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_raises_the_flag_and_wakes_who_waits_even_if_the_parent_had_ignored_it() {
        const LONG: Duration = Duration::from_secs(600);
        // SAFETY: no pointers; nothing else in this process handles the signal.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
        let interrupts = Interrupts::install().unwrap();
        let start = Instant::now();
        assert!(!interrupts.wait(0, Duration::from_millis(20)));
        assert!(start.elapsed() >= Duration::from_millis(20));
        for (round, signal) in [(0, libc::SIGINT), (1, libc::SIGTERM)] {
            let waiter = std::thread::spawn(move || interrupts.wait(round, LONG));
            std::thread::sleep(Duration::from_millis(20));
            // SAFETY: no pointers; the process handles this signal.
            unsafe { libc::kill(libc::getpid(), signal) };
            assert!(waiter.join().unwrap());
            assert_eq!(interrupts.count(), round + 1);
        }
        assert_eq!(interrupts.last(), Some(libc::SIGTERM));
        assert!(start.elapsed() < LONG, "a signal ends a wait");
    }
}
