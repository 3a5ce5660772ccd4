//! The interface of a backend.

use std::fmt;
use std::io;
use std::time::Duration;

use super::config::EngineKind;
use super::op::{Completion, Op};
use crate::file::File;
use ::io::Mapping;

/// A worker's interface to the kernel. It stays on that worker's thread.
pub trait Backend {
    /// Makes file `index` usable in operations: registers or maps it if the engine does that. The backend keeps the
    /// descriptor open, so its number cannot be reused during an operation.
    ///
    /// # Errors
    /// Returns `InvalidInput` if `index` is beyond the file table, `WouldBlock` if the peer is not connected yet, otherwise
    /// the error of the system call.
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()>;

    /// Attaches a file that is mapped into memory. Its operations are copies, and `submit` completes them. Only the
    /// mmap engine and configurations with `maps_too` support this.
    ///
    /// # Errors
    /// Returns `InvalidInput` if the backend cannot map files or `index` is beyond the file table, otherwise the error
    /// of the system call.
    fn map(&mut self, _index: u32, _file: &File, _mapping: Mapping) -> io::Result<()> {
        Err(misuse("this backend cannot map files"))
    }

    /// Sets whether reads compare the slot's data with that of the device. Only NVMe commands of io_uring_cmd support this.
    fn compare_reads(&mut self, _compares: bool) {}

    /// Cancels operations that wait for a peer. They complete with `ECANCELED`.
    fn cancel(&mut self) {}

    /// Returns the number of datagrams that did not arrive.
    fn lost(&self) -> u64 {
        0
    }

    /// Ends the use of file `index`.
    ///
    /// # Errors
    /// Returns `InvalidInput` if no file is attached at `index` or it has operations in flight, otherwise the error of
    /// the system call.
    fn detach(&mut self, index: u32) -> io::Result<()>;

    /// Submits operations and returns how many, from the first on. 0 means that none fit now: reap first. Synchronous
    /// backends complete them here. The result of an operation, also an error, comes only through [`reap`].
    ///
    /// [`reap`]: Backend::reap
    ///
    /// # Errors
    /// Returns an error for misuse: a slot or file that does not exist, a slot in flight, more bytes than the slot has.
    /// Returns the error of the system call if the backend is broken.
    fn submit(&mut self, ops: &[Op]) -> io::Result<usize>;

    /// Appends at most `max` completions to `out`. Takes those that need no system call first. If these are fewer than
    /// `min`, it waits for the rest for at most `timeout`. It never waits for more than are in flight. A signal does
    /// not end the wait.
    ///
    /// # Errors
    /// Returns an error if the backend is broken.
    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()>;

    /// Returns whether kernel worker threads run the operations on the CPUs of the caller, without waiting for a
    /// device.
    fn runs_on_kernel_workers(&self) -> bool {
        false
    }

    /// Returns whether `submit` runs this operation to its end, although the backend is asynchronous. Such an operation is
    /// submitted and timed alone.
    fn runs_in_submit(&self, _op: &Op) -> bool {
        false
    }

    /// Returns whether `submit` completes its operations. Operations are then submitted and timed one by one.
    fn is_synchronous(&self) -> bool;
}

/// Reason why a backend cannot be opened.
#[derive(Debug)]
pub struct BackendError {
    pub engine: EngineKind,
    /// What is missing.
    pub what: String,
    pub source: Option<io::Error>,
}

impl BackendError {
    /// Returns the error of an engine that is missing `what`.
    pub fn new(engine: EngineKind, what: impl Into<String>) -> Self {
        BackendError { engine, what: what.into(), source: None }
    }

    /// Returns the same with the error that caused it.
    pub fn caused(engine: EngineKind, what: impl Into<String>, source: io::Error) -> Self {
        BackendError { engine, what: what.into(), source: Some(source) }
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ioengine={}: {}", self.engine, self.what)?;
        match &self.source {
            Some(source) => write!(f, " ({})", crate::errno::reason(source)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for BackendError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// Starts operations in order, up to the first that cannot be started. Returns the number of started ones.
///
/// # Errors
/// The first operation cannot be started.
#[inline]
pub fn start_in_order(ops: &[Op], mut start: impl FnMut(&Op) -> io::Result<()>) -> io::Result<usize> {
    for (at, op) in ops.iter().enumerate() {
        match start(op) {
            Ok(()) => {}
            Err(_) if at > 0 => return Ok(at),
            Err(error) => return Err(error),
        }
    }
    Ok(ops.len())
}

/// Returns the error of a wrong call of a backend.
#[cold]
pub fn misuse(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
