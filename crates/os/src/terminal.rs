//! Input of the terminal that the process reads keys from.

pub use crate::system::terminal::TerminalInput;

/// The result of a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// Number of bytes that were read.
    Bytes(usize),
    /// No key was pressed in time.
    None,
    /// The terminal is gone. No read will return a key again.
    HungUp,
}
