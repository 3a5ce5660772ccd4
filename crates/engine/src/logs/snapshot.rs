//! The histogram of a window.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use plan::Ddir;
use record::Histogram;

use super::destination::Destination;

/// A window's histogram for the writer. Its memory returns to the worker when it is dropped.
pub struct Snapshot {
    pub time_ms: u64,
    pub ddir: Ddir,
    /// Size of the I/O that ended the window, in bytes.
    pub bytes: u64,
    pub histogram: Option<Box<Histogram>>,
    pub destination: Arc<Destination>,
    pub back: SyncSender<Box<Histogram>>,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(mut histogram) = self.histogram.take() {
            histogram.clear();
            // If the worker has ended, the histogram is dropped.
            drop(self.back.try_send(histogram));
        }
    }
}
