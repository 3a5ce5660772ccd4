//! Named events, by which programs wait for each other: DiskSpd's `-y` switches. They are those of Windows, so that programs other
//! than this one can set them, too.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, WAIT_FAILED, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    CreateEventW, EVENT_MODIFY_STATE, OpenEventW, SYNCHRONIZATION_SYNCHRONIZE, SetEvent, WaitForSingleObject,
};

use super::handle::{check, owned, wide};

/// Interval at which a wait calls `stop`.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// An event that this program holds.
#[derive(Debug)]
pub struct Event(OwnedHandle);

impl Event {
    /// Opens the event of that name. Creates it, not set, if it does not exist.
    ///
    /// # Errors
    /// Returns an error for an empty name, and the error of the call.
    pub fn create(name: &str) -> io::Result<Self> {
        let name = checked(name)?;
        // SAFETY: the name is a string with a final NUL. The handle is new.
        unsafe { owned(CreateEventW(std::ptr::null(), 1, 0, name.as_ptr())) }.map(Event)
    }

    /// Opens the event of that name. Returns `None` if no program holds it.
    ///
    /// # Errors
    /// As [`create`](Event::create).
    pub fn open(name: &str) -> io::Result<Option<Self>> {
        let name = checked(name)?;
        let access = EVENT_MODIFY_STATE | SYNCHRONIZATION_SYNCHRONIZE;
        // SAFETY: the name is a string with a final NUL. The handle is new.
        match unsafe { owned(OpenEventW(access, 0, name.as_ptr())) } {
            Err(error) if error.raw_os_error() == Some(ERROR_FILE_NOT_FOUND as i32) => Ok(None),
            found => found.map(|handle| Some(Event(handle))),
        }
    }

    /// Sets the event. It stays set.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn set(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        check(unsafe { SetEvent(self.0.as_raw_handle()) })
    }

    /// Returns whether the event is set.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn is_set(&self) -> io::Result<bool> {
        self.wait_once(Duration::ZERO)
    }

    /// Waits until the event is set and returns true. Returns false if `stop` returns true first: it is called every
    /// 50 ms.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn wait(&self, mut stop: impl FnMut() -> bool) -> io::Result<bool> {
        while !self.is_set()? {
            if stop() {
                return Ok(false);
            }
            self.wait_once(POLL_INTERVAL)?;
        }
        Ok(true)
    }

    /// Waits like [`wait`](Event::wait), for at most `time`.
    ///
    /// # Errors
    /// As [`wait`](Event::wait).
    pub fn wait_timeout(&self, time: Duration) -> io::Result<bool> {
        let start = Instant::now();
        self.wait(|| start.elapsed() >= time)
    }

    fn wait_once(&self, time: Duration) -> io::Result<bool> {
        // SAFETY: the handle is open.
        match unsafe { WaitForSingleObject(self.0.as_raw_handle(), time.as_millis() as u32) } {
            WAIT_OBJECT_0 => Ok(true),
            WAIT_FAILED => Err(io::Error::last_os_error()),
            _ => Ok(false),
        }
    }
}

fn checked(name: &str) -> io::Result<Vec<u16>> {
    if name.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "event: the name is empty"));
    }
    wide(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_event_stays_set_until_the_last_holder_ends() {
        let name = format!("fathom-test-{}", std::process::id());
        assert!(Event::open(&name).unwrap().is_none());
        let one = Event::create(&name).unwrap();
        assert!(!one.wait_timeout(Duration::from_millis(10)).unwrap());
        Event::open(&name).unwrap().unwrap().set().unwrap();
        assert!(one.is_set().unwrap() && one.wait(|| false).unwrap());
        drop(one);
        assert!(Event::open(&name).unwrap().is_none());
        assert!(Event::create("").is_err());
    }
}
