//! Histograms of completion latency over windows of time (`write_hist_log`, `log_hist_msec`).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use plan::{Ddir, Worker};
use record::Histogram;

use super::batch::LogBatch;
use super::destination::Destination;
use super::io::{LoggedIo, NS_PER_MS};
use super::snapshot::Snapshot;

/// Number of histograms of a worker in addition to those being filled.
const SPARE: usize = 2;

pub struct HistogramLog {
    window_ns: u64,
    windows: [Window; 3],
    returned: Receiver<Box<Histogram>>,
    back: SyncSender<Box<Histogram>>,
    destination: Arc<Destination>,
    batches: SyncSender<LogBatch>,
}

#[derive(Default)]
struct Window {
    /// The first window starts with the first I/O of its direction.
    start_ns: Option<u64>,
    histogram: Box<Histogram>,
}

impl HistogramLog {
    pub fn new(worker: &Worker, destination: &Arc<Destination>, batches: SyncSender<LogBatch>) -> Self {
        let (back, returned) = sync_channel(SPARE + Ddir::ALL.len());
        for _ in 0..SPARE {
            // The channel has room and its receiver exists.
            drop(back.try_send(Box::default()));
        }
        HistogramLog {
            window_ns: worker.measure.logs.histogram_ms.saturating_mul(NS_PER_MS),
            windows: Default::default(),
            returned,
            back,
            destination: Arc::clone(destination),
            batches,
        }
    }

    pub fn restart(&mut self) {
        for window in &mut self.windows {
            window.start_ns = None;
            window.histogram.clear();
        }
    }

    /// Adds a latency. As in fio the first latency after a window's end is part of that window and ends it. Returns false
    /// if the writer has ended.
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
        self.send(time_ms, io)
    }

    fn send(&mut self, time_ms: u64, io: &LoggedIo) -> bool {
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
        self.batches.send(LogBatch::Histogram(snapshot)).is_ok()
    }
}
