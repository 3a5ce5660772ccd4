//! Standard output as the program was started with it. The Rust runtime opens `/dev/null` in place of a closed stream before
//! `main`, and writes to it succeed.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static IS_OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns whether standard output was closed at the start of the process.
pub fn is_output_closed() -> bool {
    IS_OUTPUT_CLOSED.load(Relaxed)
}

extern "C" fn look() {
    // SAFETY: the call reads the flags of a descriptor and changes nothing.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    IS_OUTPUT_CLOSED.store(flags == -1, Relaxed);
}

// SAFETY: the C library calls the functions of this section once, in the only thread, before the Rust runtime starts. `look`
// uses nothing of the runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_START: extern "C" fn() = look;
