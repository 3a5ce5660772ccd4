//! The messages of fio's protocol that open and end a link.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use super::address::Address;
use super::socket;

/// Magic number of a message, followed by its command, both with 32 bits.
const MAGIC: u32 = 0x6c69_6e6b;
const OPEN: u32 = 0x98;
const CLOSE: u32 = 0x89;
/// Bytes of a message.
const BYTES: usize = 8;
/// Longest wait for space for the last message.
const END_WAIT: Duration = Duration::from_millis(100);

/// The state of a file.
pub(super) enum Link {
    Closed,
    Opening(OwnedFd),
    Open(OwnedFd),
}

/// Returns true if the `received` bytes at `data` are the message that ends a link.
pub(super) fn is_end(data: *const u8, received: usize) -> bool {
    if received != BYTES {
        return false;
    }
    // SAFETY: this number of bytes was received at `data`.
    let message = unsafe { std::ptr::read_unaligned(data.cast::<[u8; BYTES]>()) };
    message == end()
}

fn end() -> [u8; BYTES] {
    message(MAGIC.to_le_bytes(), CLOSE.to_le_bytes())
}

fn message(magic: [u8; 4], command: [u8; 4]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..4].copy_from_slice(&magic);
    bytes[4..].copy_from_slice(&command);
    bytes
}

/// Sends the message that ends a link. An error is ignored: the other end may have ended first.
pub(super) fn announce_end(fd: i32, to: Option<&Address>) {
    let bytes = end();
    if socket::wait(fd, libc::POLLOUT, END_WAIT).is_ok_and(|is_ready| is_ready) {
        let _ = match to {
            Some(to) => socket::send_to(fd, bytes.as_ptr(), bytes.len(), to),
            None => socket::send(fd, bytes.as_ptr(), bytes.len(), 0),
        };
    }
}

/// Sends the message that opens a link of datagrams. It has the byte order of the network, unlike the message at the end.
pub(super) fn announce_start(fd: i32, to: Option<&Address>) -> io::Result<()> {
    let bytes = message(MAGIC.to_be_bytes(), OPEN.to_be_bytes());
    let Some(to) = to else { return Err(io::ErrorKind::AddrNotAvailable.into()) };
    socket::send_to(fd, bytes.as_ptr(), bytes.len(), to).map(drop).map_err(io::Error::from_raw_os_error)
}

/// Waits for the message that opens a link of datagrams. Returns its sender, or `WouldBlock` after the timeout.
pub(super) fn await_start(fd: i32, timeout: Duration) -> io::Result<Address> {
    if !socket::wait(fd, libc::POLLIN, timeout)? {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let mut bytes = [0; BYTES];
    let received = socket::receive_from(fd, bytes.as_mut_ptr(), bytes.len());
    let (received, from) = received.map_err(io::Error::from_raw_os_error)?;
    if received != BYTES || bytes != message(MAGIC.to_be_bytes(), OPEN.to_be_bytes()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the first datagram does not open a link"));
    }
    Ok(from)
}
