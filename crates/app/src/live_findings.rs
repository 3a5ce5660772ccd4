//! Findings of a run while it is active, for the full-screen view.
//!
//! A thread of its own judges copies of the record: the coordinator only makes the copy.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};

use assessment::Severity;
use live::Notes;
use record::Record;
use report::wording;

/// Interval between two copies of the record.
const EVERY_NS: u64 = 2_000_000_000;
/// Added per worker: a copy contains the histograms of all workers.
const EVERY_PER_WORKER_NS: u64 = 20_000_000;

/// Judges the active run at intervals.
pub struct LiveFindings {
    records: Sender<Box<Record>>,
    is_busy: Arc<AtomicBool>,
    next_ns: u64,
}

impl LiveFindings {
    /// Starts the thread. It ends when this is dropped.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(notes: Notes) -> io::Result<Self> {
        let (records, received) = channel::<Box<Record>>();
        let is_busy = Arc::<AtomicBool>::default();
        let judges = Arc::clone(&is_busy);
        std::thread::Builder::new().name("findings".to_owned()).spawn(move || {
            for record in received {
                notes.set_findings(texts(&record));
                judges.store(false, Relaxed);
            }
        })?;
        Ok(LiveFindings { records, is_busy, next_ns: 0 })
    }

    /// Judges the record if it is time and the last one is judged.
    pub fn judge(&mut self, record: &Record, now_ns: u64) {
        if now_ns < self.next_ns || self.is_busy.load(Relaxed) {
            return;
        }
        let is_first = self.next_ns == 0;
        self.next_ns = now_ns + EVERY_NS + EVERY_PER_WORKER_NS * record.workers.len() as u64;
        // The first figures of a run are of too short a time.
        if !is_first {
            self.is_busy.store(true, Relaxed);
            // Without the thread there are no findings until the end.
            let _ = self.records.send(Box::new(record.clone()));
        }
    }

    /// Starts a run.
    pub fn begin(&mut self) {
        self.next_ns = 0;
    }
}

/// Returns the findings above severity `Info` in words.
pub fn texts(record: &Record) -> Vec<String> {
    let findings = judge::findings(record);
    findings.iter().filter(|finding| finding.severity > Severity::Info).map(wording::message).collect()
}
