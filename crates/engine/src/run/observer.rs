//! Receiver of a run's events.

use record::{Event, Message};

use crate::live::Live;

/// Receives events and progress of a run, on the coordinator's thread.
pub trait Observer {
    fn event(&mut self, event: Event);
    fn message(&mut self, message: &Message);
    /// Called at least every [`RunOptions::tick`](super::RunOptions::tick) during the run.
    fn tick(&mut self, live: &Live, now_ns: u64);
    /// Called when all running workers have sent the snapshots of
    /// [`RunOptions::snapshot_every`](super::RunOptions::snapshot_every).
    fn snapshots_taken(&mut self);
}
