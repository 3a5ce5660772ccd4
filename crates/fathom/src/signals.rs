//! Signals of the process. A signal that requests the end stops the active run and all later ones.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use os::signal::Interrupts;

/// Set when the run must end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Installs the handlers.
///
/// # Errors
/// The handlers cannot be installed.
pub fn install() -> Result<Interrupts, String> {
    let interrupts = Interrupts::install()
        .map_err(|error| format!("signals cannot be handled: {}", units::errno::reason(&error)))?;
    // The flag is set at once, even while other threads lay out a file.
    std::thread::spawn(move || {
        while !interrupts.wait(0, Duration::MAX) {}
        stop();
    });
    Ok(interrupts)
}

/// Stops the active run, as a signal does.
pub fn stop() {
    STOP.store(true, Relaxed);
}

/// Returns the flag that a run checks.
pub fn stop_flag() -> &'static AtomicBool {
    &STOP
}
