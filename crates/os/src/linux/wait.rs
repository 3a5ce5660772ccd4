//! Waits for descriptors.

use std::io;
use std::time::{Duration, Instant};

use crate::linux::file::check;
use crate::linux::number::timespec;

/// Returns the events that a library waits for, in the type of `poll(2)`. They are bits below 16.
pub fn events_of(events: libc::c_int) -> libc::c_short {
    libc::c_short::try_from(events).unwrap_or(0)
}

/// Waits until the descriptor has one of the events. Returns those that it has, 0 after the timeout.
///
/// # Errors
/// Returns the error of the system call.
pub fn wait_for_events(fd: i32, events: libc::c_short, timeout: Duration) -> io::Result<libc::c_short> {
    let mut polled = [libc::pollfd { fd, events, revents: 0 }];
    wait_for_any(&mut polled, timeout)?;
    Ok(polled[0].revents)
}

/// Waits until a descriptor has one of its events, or for the timeout.
///
/// # Errors
/// Returns the error of the system call.
pub fn wait_for_any(polled: &mut [libc::pollfd], timeout: Duration) -> io::Result<()> {
    let start = Instant::now();
    loop {
        let left = timeout.saturating_sub(start.elapsed());
        let limit = timespec(left);
        let count = polled.len() as libc::nfds_t;
        // SAFETY: the pointers are to live values, the first to this number of them.
        match check(unsafe { libc::ppoll(polled.as_mut_ptr(), count, &limit, std::ptr::null()) }) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
