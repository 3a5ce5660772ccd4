//! The console of Windows sends no signals. Its size is compared at each drawing, and nothing suspends a process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Does nothing.
///
/// # Errors
/// None.
pub(super) fn register(_suspends: &Arc<AtomicBool>, _is_resized: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

/// Does nothing.
///
/// # Errors
/// None.
pub(super) fn suspend() -> io::Result<()> {
    Ok(())
}
