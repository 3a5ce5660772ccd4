//! Histograms of completion latency over windows of time (`write_hist_log`, `log_hist_msec`).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use plan::{Ddir, Worker};
use record::Histogram;

use super::destination::Destination;
use super::writer::Lot;
use super::{LoggedIo, NS_PER_MS};

/// Histograms of a worker beyond those that are being filled.
const SPARE: usize = 2;

/// A window's histogram on its way to the writer. Its memory goes back to the worker when it is dropped.
pub struct Snapshot {
    pub time_ms: u64,
    pub ddir: Ddir,
    /// Size of the I/O that ended the window.
    pub bytes: u64,
    pub histogram: Option<Box<Histogram>>,
    pub destination: Arc<Destination>,
    back: SyncSender<Box<Histogram>>,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(mut histogram) = self.histogram.take() {
            histogram.clear();
            // A worker that has ended wants nothing back.
            drop(self.back.try_send(histogram));
        }
    }
}

pub struct HistogramLog {
    window_ns: u64,
    windows: [Window; 3],
    returned: Receiver<Box<Histogram>>,
    back: SyncSender<Box<Histogram>>,
    destination: Arc<Destination>,
    lots: SyncSender<Lot>,
}

#[derive(Default)]
struct Window {
    /// The first I/O of a direction begins its first window.
    start_ns: Option<u64>,
    histogram: Box<Histogram>,
}

impl HistogramLog {
    pub fn new(worker: &Worker, destination: &Arc<Destination>, lots: SyncSender<Lot>) -> Self {
        let (back, returned) = sync_channel(SPARE + Ddir::ALL.len());
        for _ in 0..SPARE {
            // There is room, and the receiver is here.
            drop(back.try_send(Box::default()));
        }
        HistogramLog {
            window_ns: worker.measure.logs.histogram_ms.saturating_mul(NS_PER_MS),
            windows: Default::default(),
            returned,
            back,
            destination: Arc::clone(destination),
            lots,
        }
    }

    pub fn restart(&mut self) {
        for window in &mut self.windows {
            window.start_ns = None;
            window.histogram.clear();
        }
    }

    /// Adds a latency; the first one after a window's end still counts in it and ends it, as in fio. False when there
    /// is no writer any more.
    #[inline]
    pub fn add(&mut self, since_start_ns: u64, time_ms: u64, io: &LoggedIo) -> bool {
        let window = &mut self.windows[io.ddir as usize];
        window.histogram.record(io.clat_ns);
        let start_ns = *window.start_ns.get_or_insert(since_start_ns);
        let spent_ns = since_start_ns.saturating_sub(start_ns);
        if spent_ns < self.window_ns {
            return true;
        }
        window.start_ns = Some(start_ns + spent_ns / self.window_ns * self.window_ns);
        self.hand_over(time_ms, io)
    }

    fn hand_over(&mut self, time_ms: u64, io: &LoggedIo) -> bool {
        let Ok(empty) = self.returned.recv() else { return false };
        let window = &mut self.windows[io.ddir as usize];
        let snapshot = Snapshot {
            time_ms,
            ddir: io.ddir,
            bytes: u64::from(io.bytes),
            histogram: Some(std::mem::replace(&mut window.histogram, empty)),
            destination: Arc::clone(&self.destination),
            back: self.back.clone(),
        };
        self.lots.send(Lot::Histogram(snapshot)).is_ok()
    }
}
