//! Real-time priority for tests on a busy machine.

use std::process::{Child, Command};
use std::sync::OnceLock;

use crate::shell;

/// Returns whether this process may use real-time priority.
pub fn can_use_realtime_priority() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| shell("chrt -r 10 true").is_ok())
}

/// Gives the threads of a process a real-time priority, if permitted.
pub(crate) fn raise_priority(child: &Child) {
    if can_use_realtime_priority() {
        drop(Command::new("chrt").args(["-a", "-r", "-p", "10", &child.id().to_string()]).output());
    }
}

/// Gives this thread a real-time priority above that of the runs, if permitted. Threads that it starts inherit it.
pub fn use_realtime_priority() {
    let thread = std::fs::read_link("/proc/thread-self").ok();
    let id = thread.as_deref().and_then(|thread| thread.file_name()?.to_str());
    if let Some(id) = id.filter(|_| can_use_realtime_priority()) {
        drop(shell(&format!("chrt -r -p 20 {id}")));
    }
}
