//! What each library of a server has to do.

use std::ffi::CString;
use std::io;
use std::time::Duration;

use super::request::Requests;
use os::io::{BackendError, EngineKind, IoResult, Op};

/// A connection to a server.
pub(crate) trait Service {
    /// Opens target `index`. The connection to a disk is open already.
    fn attach(&mut self, _index: usize) -> io::Result<()> {
        Ok(())
    }

    /// Closes target `index`, which is open.
    fn detach(&mut self, _index: usize) -> io::Result<()> {
        Ok(())
    }

    /// Starts an operation on a target that is open. Returns the result of an operation that is complete already, otherwise the
    /// library completes the request of its slot.
    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult>;

    /// Exchanges data with the server until a request completes or the timeout has passed.
    fn progress(&mut self, requests: &Requests, timeout: Duration) -> io::Result<()>;

    /// Returns true if `start` completes each operation.
    fn is_synchronous(&self) -> bool {
        false
    }
}

/// Returns a text for a library.
pub(crate) fn text(engine: EngineKind, text: &str) -> Result<CString, BackendError> {
    CString::new(text).map_err(|_| BackendError::new(engine, "a name has a zero byte"))
}
