//! Watches the paths of the targets during a run, about once per second.
//!
//! It has a thread of its own, so that a path that does not answer does not block the caller.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use crate::lease::Lease;

const INTERVAL: Duration = Duration::from_secs(1);
const STACK_BYTES: usize = 128 * 1024;

/// Watches until it is dropped. The lease has what was found.
pub struct TargetWatch {
    _stop: Sender<()>,
}

impl TargetWatch {
    /// Starts the thread. `None` without a thread: each open is compared, too.
    pub fn start(lease: &Arc<Lease>) -> Option<Self> {
        let (stop, stopped) = channel::<()>();
        let lease = Arc::clone(lease);
        let thread = Builder::new().name("target-watch".to_owned()).stack_size(STACK_BYTES);
        let watch = move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout)
                && lease.targets.compare_all().is_ok()
            {}
        };
        thread.spawn(watch).ok()?;
        Some(TargetWatch { _stop: stop })
    }
}
