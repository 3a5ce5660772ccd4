//! Who goes first on a busy machine.

use std::sync::OnceLock;

use crate::shell;

/// Whether processes may be given real-time priority.
pub fn may_go_first() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| shell("chrt -r 10 true").is_ok())
}

/// Gives this thread real-time priority, above that of the runs, where that is allowed; its threads inherit it.
pub fn go_first() {
    let thread = std::fs::read_link("/proc/thread-self").ok();
    let id = thread.as_deref().and_then(|thread| thread.file_name()?.to_str());
    if let Some(id) = id.filter(|_| may_go_first()) {
        drop(shell(&format!("chrt -r -p 20 {id}")));
    }
}
