//! Messages of bytes between the processes of a fleet, one per host.
//!
//! There are no collective calls: a host that is lost in one keeps all others waiting. Rank 0 sends to each host.

mod mpi;
mod threads;

pub use mpi::{MpiLink, is_launched};
pub use threads::{ThreadLink, threads};

/// The connection of a process to the others. No call waits, except [`Link::disconnect`].
pub trait Link {
    /// Returns the number of this process. Rank 0 leads.
    fn rank(&self) -> usize;
    /// Returns the number of processes.
    fn size(&self) -> usize;
    /// Returns the name and version of what connects them.
    fn name(&self) -> String;
    /// Starts to send a message.
    ///
    /// # Errors
    /// The connection failed.
    fn send(&mut self, to: usize, message: &[u8]) -> Result<(), LinkError>;
    /// Returns the next message and the rank of its sender. `None` if there is none yet. Messages of one sender keep their order.
    ///
    /// # Errors
    /// The connection failed.
    fn try_recv(&mut self) -> Result<Option<(usize, Vec<u8>)>, LinkError>;
    /// Disconnects, and waits until all processes disconnect. After 3 s the process exits with `exit_code`.
    ///
    /// # Errors
    /// The connection failed.
    fn disconnect(self: Box<Self>, exit_code: u8) -> Result<(), LinkError>;
    /// Ends all processes.
    fn abort(self: Box<Self>);
}

/// Why processes cannot communicate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct LinkError(pub String);
