//! Signals of the process. A signal that requests the end stops the active run and all later ones.

use std::thread::Builder;
use std::time::Duration;

use engine::{StopKind, StopRequest};
use os::signal::Interrupts;

use crate::file_call;

static STOP: StopRequest = StopRequest::new();

/// Installs the handlers.
///
/// # Errors
/// The handlers cannot be installed, or their thread cannot be created.
pub fn install() -> Result<Interrupts, String> {
    let interrupts = Interrupts::install()
        .map_err(|error| format!("signals cannot be handled: {}", units::errno::reason(&error)))?;
    // The flag is set at once, even while other threads lay out a file.
    let wait = move || {
        while !interrupts.wait(0, Duration::MAX) {}
        stop();
    };
    file_call::limit_waits(is_stopping);
    let started = Builder::new().name("signals".into()).spawn(wait);
    started.map_err(|error| {
        format!("a thread cannot be created: {}; use a larger `ulimit -u`", units::errno::reason(&error))
    })?;
    Ok(interrupts)
}

/// Stops the active run, as a signal does.
pub fn stop() {
    STOP.make(StopKind::Interrupt);
}

/// Ends the active run as if its jobs were done: I/Os in flight complete.
pub fn finish() {
    STOP.make(StopKind::Finish);
}

/// Returns whether the active run must end.
pub fn is_stopping() -> bool {
    STOP.is_made()
}

/// Returns the request that a run checks.
pub fn stop_request() -> &'static StopRequest {
    &STOP
}
