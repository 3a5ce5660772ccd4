//! A command on its way to the ring.

use super::command::{ENTRY_BYTES, NvmeCommand};

/// The data of an operation, in its slot's buffer.
#[derive(Clone, Copy)]
pub(super) struct DataBuffer {
    start: *mut u8,
    bytes: usize,
}

impl DataBuffer {
    /// # Safety
    /// The `bytes` bytes from `start` on belong to one operation until its completion is reaped, and nothing else uses
    /// them. The device uses them only between submission and completion.
    pub(super) unsafe fn new(start: *mut u8, bytes: usize) -> Self {
        DataBuffer { start, bytes }
    }

    pub(super) fn address(&self) -> u64 {
        self.start as u64
    }

    pub(super) fn bytes(&self) -> &[u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: the contract of `new`.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: the contract of `new`.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

/// A command of a submission queue entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// The kind of command for the driver.
    pub(super) code: u32,
    pub(super) bytes: [u8; ENTRY_BYTES],
    /// The command transfers the operation's data, which can be in a registered buffer.
    pub(super) moves_data: bool,
}

impl Request {
    pub(super) fn new(code: u32, command: &NvmeCommand) -> Self {
        Request { code, bytes: command.bytes(), moves_data: false }
    }

    pub(super) fn with_data(code: u32, command: &NvmeCommand) -> Self {
        Request { moves_data: true, ..Request::new(code, command) }
    }
}
