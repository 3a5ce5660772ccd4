//! Calls on files of fathom's own: reports, records, the history. A file system that does not respond must not keep a run from
//! ending after a stop signal.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Longest wait after a stop signal. A disk that was measured at full load can need a second for a flush.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Returns whether a signal has requested the end. A command without signal handlers has none.
static IS_STOPPING: OnceLock<fn() -> bool> = OnceLock::new();

/// Limits the waits from now on, once `is_stopping` returns true.
pub fn limit_waits(is_stopping: fn() -> bool) {
    IS_STOPPING.get_or_init(|| is_stopping);
}

/// Runs a call on a thread of its own and waits for it, after a stop signal at most [`PATIENCE`]. The thread then stays in the
/// kernel until the process ends. A command without signal handlers makes the call itself: a signal ends it.
///
/// # Errors
/// The error of the call, or the call did not complete.
pub fn wait<T: Send + 'static>(call: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    let Some(is_stopping) = IS_STOPPING.get() else { return call() };
    let (sender, outcome) = mpsc::channel();
    Builder::new().name("file".into()).spawn(move || drop(sender.send(call())))?;
    let mut give_up = None;
    loop {
        match outcome.recv_timeout(POLL_INTERVAL) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the thread of the call ended early")),
            Err(RecvTimeoutError::Timeout) if !is_stopping() => {}
            Err(RecvTimeoutError::Timeout) => {
                if Instant::now() >= *give_up.get_or_insert_with(|| Instant::now() + PATIENCE) {
                    return Err(io::Error::other("the file system does not respond"));
                }
            }
        }
    }
}
