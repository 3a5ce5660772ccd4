//! Signals of the terminal: it was resized, or the user suspends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGTSTP, SIGWINCH};

/// Sets the flags when a signal comes.
///
/// # Errors
/// The handlers cannot be installed.
pub(super) fn register(suspends: &Arc<AtomicBool>, is_resized: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register(SIGTSTP, Arc::clone(suspends))?;
    signal_hook::flag::register(SIGWINCH, Arc::clone(is_resized))?;
    Ok(())
}

/// Stops the process as SIGTSTP does. Returns when it continues.
///
/// # Errors
/// The signal cannot be sent.
pub(super) fn suspend() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(SIGTSTP)
}
