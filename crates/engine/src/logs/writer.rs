//! The thread that formats and writes the log files.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use record::LogFault;

use super::batch::LogBatch;
use super::compressed;
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
    handle: JoinHandle<Vec<LogError>>,
}

impl LogWriter {
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

    /// Waits until all entries are in the files. Returns the errors: files that are not complete, each once.
    pub fn finish(self) -> Vec<LogError> {
        let thread = self.thread.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(Thread { batches, handle }) = thread else { return Vec::new() };
        // `join` reports a thread that has ended.
        drop(batches.send(LogBatch::End));
        handle.join().unwrap_or_else(|_| vec![LogError::without_source(LogFault::ThreadEnded)])
    }
}

fn write_all(batches: &Receiver<LogBatch>) -> Vec<LogError> {
    let mut failed = Vec::new();
    let mut lines = Lines::default();
    while let Ok(batch) = batches.recv() {
        // Continues after an error: the workers must not block, and other files may be on another disk.
        match batch {
            LogBatch::Entries(chunk) => write_entries(&mut lines, chunk, &mut failed),
            LogBatch::Histogram(snapshot) => add_error(write_histogram(&mut lines, &snapshot), &mut failed),
            LogBatch::Lines(block) => add_error(block.write(), &mut failed),
            LogBatch::End => break,
        }
    }
    failed
}

/// Adds an error. The first error of a file counts.
fn add_error(written: Result<(), LogError>, failed: &mut Vec<LogError>) {
    failed.extend(written.err().filter(|error| failed.iter().all(|known| known.fault != error.fault)));
}

fn write_entries(lines: &mut Lines, chunk: Chunk, failed: &mut Vec<LogError>) {
    for kind in Kind::ALL {
        let Some(file) = chunk.destination.file(kind) else { continue };
        if file.is_compressed {
            let stream = compressed::stream(kind, &chunk.destination, &chunk.entries);
            if !stream.is_empty() {
                add_error(file.append(&stream), failed);
            }
            continue;
        }
        lines.fill(kind, &chunk.destination, &chunk.entries);
        if !lines.as_bytes().is_empty() {
            add_error(file.append(lines.as_bytes()), failed);
        }
    }
    chunk.recycle();
}

fn write_histogram(lines: &mut Lines, snapshot: &Snapshot) -> Result<(), LogError> {
    lines.fill_histogram(snapshot);
    snapshot.destination.file(Kind::ClatHistogram).map_or(Ok(()), |file| file.append(lines.as_bytes()))
}
