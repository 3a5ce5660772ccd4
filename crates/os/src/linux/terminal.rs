//! Input of the terminal that the process reads keys from.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use crate::terminal::Input;

/// The input of the terminal.
pub struct TerminalInput(File);

impl TerminalInput {
    /// Opens standard input if it is a terminal, else the controlling terminal.
    ///
    /// # Errors
    /// The process has neither.
    pub fn open() -> io::Result<Self> {
        let stdin = io::stdin();
        match stdin.is_terminal() {
            true => Ok(TerminalInput(File::from(stdin.as_fd().try_clone_to_owned()?))),
            false => File::open("/dev/tty").map(TerminalInput),
        }
    }

    /// Waits for keys and reads them. A signal ends the wait.
    pub fn read(&self, wait: Duration, bytes: &mut [u8]) -> Input {
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let wait_ms = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: the pointer is to one pollfd.
        if unsafe { libc::poll(&mut poll, 1, wait_ms) } <= 0 {
            return Input::None;
        }
        if poll.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) != 0 {
            return Input::HungUp;
        }
        match (&self.0).read(bytes) {
            Ok(0) => Input::HungUp,
            Ok(count) => Input::Bytes(count),
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => Input::None,
            Err(_) => Input::HungUp,
        }
    }
}
