//! Input of the terminal that the process reads keys from.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;

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
        let mut polled = [PollFd::new(&self.0, PollFlags::IN)];
        if !poll(&mut polled, Timespec::try_from(wait).ok().as_ref()).is_ok_and(|ready| ready > 0) {
            return Input::None;
        }
        if polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
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
