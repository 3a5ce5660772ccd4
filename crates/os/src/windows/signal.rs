//! Handling of Ctrl-C, Ctrl-Break and the end of the console or session: they stop a run.

use std::io;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use super::handle::check;

/// Numbers of the signals that do the same on other systems.
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Number of received events, and the signal of the last one.
static COUNT: AtomicU32 = AtomicU32::new(0);
static LAST: AtomicI32 = AtomicI32::new(0);
static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();
/// Held for reading while events are deferred.
static DEFERRED: RwLock<()> = RwLock::new(());

/// The process's handling of console events. It stays installed until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Interrupts(());

impl Interrupts {
    /// Installs the handler, once per process.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn install() -> io::Result<Self> {
        static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
        install(&INSTALLED, note)?;
        Ok(Interrupts(()))
    }

    /// Returns the number of received events. It is cheap enough for a worker's loop.
    #[inline]
    pub fn count(&self) -> u32 {
        COUNT.load(Relaxed)
    }

    /// Returns the number of the signal that the last event corresponds to.
    pub fn last(&self) -> Option<i32> {
        Some(LAST.load(Relaxed)).filter(|signal| *signal != 0)
    }

    /// Returns false: no console event requests the status of a run.
    pub fn take_status_request(&self) -> bool {
        false
    }

    /// Waits until more than `seen` events have come, for at most `timeout`. Returns whether they have.
    pub fn wait(&self, seen: u32, timeout: Duration) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        let mut lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.count() > seen {
                return true;
            }
            let left = deadline.map_or(timeout, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return false;
            }
            lock = CHANGED.wait_timeout(lock, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Does what Ctrl-C does.
pub fn interrupt() {
    // SAFETY: the handler accesses only atomics and locks.
    unsafe { note(CTRL_C_EVENT) };
}

/// Defers console events until it is dropped. They end the process or call the handler then.
#[derive(Debug)]
pub struct Deferred {
    /// A handler runs on a thread of its own, and waits for this lock.
    _lock: RwLockReadGuard<'static, ()>,
}

impl Deferred {
    /// Starts to defer events.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn new() -> io::Result<Self> {
        static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
        install(&INSTALLED, wait_for_deferred)?;
        Ok(Deferred { _lock: DEFERRED.read().unwrap_or_else(PoisonError::into_inner) })
    }
}

/// Does nothing: Windows has no limit on the size of a process's files.
///
/// # Errors
/// None.
pub fn handle_file_size_limit() -> io::Result<()> {
    Ok(())
}

fn install(once: &OnceLock<Result<(), i32>>, handler: unsafe extern "system" fn(u32) -> BOOL) -> io::Result<()> {
    let install = || {
        // SAFETY: the handler is a function that lives as long as the process.
        check(unsafe { SetConsoleCtrlHandler(Some(handler), 1) }).map_err(|error| error.raw_os_error().unwrap_or(0))
    };
    once.get_or_init(install).map_err(io::Error::from_raw_os_error)
}

fn wait_until_not_deferred() {
    drop(DEFERRED.write().unwrap_or_else(PoisonError::into_inner));
}

/// Passes the event on once it is no longer deferred.
unsafe extern "system" fn wait_for_deferred(_: u32) -> BOOL {
    wait_until_not_deferred();
    0
}

/// Counts the event. Windows calls it on a thread of its own.
unsafe extern "system" fn note(event: u32) -> BOOL {
    wait_until_not_deferred();
    let is_key = matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT);
    LAST.store(if is_key { SIGINT } else { SIGTERM }, Relaxed);
    {
        let _lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        COUNT.fetch_add(1, Relaxed);
    }
    CHANGED.notify_all();
    if !is_key {
        // The process ends when this function returns. The run needs time to stop and report.
        std::thread::sleep(Duration::from_secs(5));
    }
    1
}
