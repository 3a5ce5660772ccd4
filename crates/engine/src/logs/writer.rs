//! The thread that formats and writes the log files.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use record::LogFault;

use super::batch::LogBatch;
use super::destination::Kind;
use super::entry::Chunk;
use super::error::LogError;
use super::line::Lines;
use super::snapshot::Snapshot;

/// Capacity of the channel. The workers' chunks bound the memory.
const BATCHES: usize = 1024;

/// Writes the logs of all workers. Its thread starts with the first worker that has a log.
#[derive(Default)]
pub struct LogWriter {
    thread: Mutex<Option<Thread>>,
}

struct Thread {
    batches: SyncSender<LogBatch>,
    handle: JoinHandle<Result<(), LogError>>,
}

impl LogWriter {
    pub fn start() -> Self {
        LogWriter::default()
    }

    pub(super) fn sender(&self) -> io::Result<SyncSender<LogBatch>> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = &*thread {
            return Ok(thread.batches.clone());
        }
        let (batches, receiver) = sync_channel(BATCHES);
        let handle = Builder::new().name("fathom-logs".into()).spawn(move || write_all(&receiver))?;
        *thread = Some(Thread { batches: batches.clone(), handle });
        Ok(batches)
    }

    /// Waits until all entries are in the files.
    ///
    /// # Errors
    /// Returns the first error of any file.
    pub fn finish(self) -> Result<(), LogError> {
        let thread = self.thread.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(Thread { batches, handle }) = thread else { return Ok(()) };
        // `join` reports a thread that has ended.
        drop(batches.send(LogBatch::End));
        handle.join().unwrap_or_else(|_| Err(LogError::without_source(LogFault::ThreadEnded)))
    }
}

fn write_all(batches: &Receiver<LogBatch>) -> Result<(), LogError> {
    let mut outcome = Ok(());
    let mut lines = Lines::default();
    while let Ok(batch) = batches.recv() {
        let written = match batch {
            LogBatch::Entries(chunk) => write_entries(&mut lines, chunk),
            LogBatch::Histogram(snapshot) => write_histogram(&mut lines, &snapshot),
            LogBatch::End => break,
        };
        // Continues after an error: the workers must not block, and other files may be on another disk.
        outcome = outcome.and(written);
    }
    outcome
}

fn write_entries(lines: &mut Lines, chunk: Chunk) -> Result<(), LogError> {
    let mut outcome = Ok(());
    for kind in Kind::ALL {
        let Some(file) = chunk.destination.file(kind) else { continue };
        lines.fill(kind, &chunk.destination, &chunk.entries);
        if !lines.as_bytes().is_empty() {
            outcome = outcome.and(file.append(lines.as_bytes()));
        }
    }
    chunk.recycle();
    outcome
}

fn write_histogram(lines: &mut Lines, snapshot: &Snapshot) -> Result<(), LogError> {
    lines.fill_histogram(snapshot);
    snapshot.destination.file(Kind::ClatHistogram).map_or(Ok(()), |file| file.append(lines.as_bytes()))
}
