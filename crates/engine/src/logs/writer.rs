//! The thread that turns entries into lines of files.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::destination::Kind;
use super::entry::Chunk;
use super::histogram::Snapshot;
use super::line::Lines;

/// Lots on their way; the memory in them is bounded by the workers' chunks.
const LOTS: usize = 1024;

/// What a worker hands over.
pub enum Lot {
    Entries(Chunk),
    Histogram(Snapshot),
    /// Nothing comes after this.
    End,
}

/// Writes the logs of all workers. Its thread starts with the first worker that logs anything.
#[derive(Default)]
pub struct LogWriter {
    thread: Mutex<Option<Thread>>,
}

struct Thread {
    lots: SyncSender<Lot>,
    handle: JoinHandle<io::Result<()>>,
}

impl LogWriter {
    pub fn start() -> Self {
        LogWriter::default()
    }

    pub(super) fn sender(&self) -> io::Result<SyncSender<Lot>> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = &*thread {
            return Ok(thread.lots.clone());
        }
        let (lots, receiver) = sync_channel(LOTS);
        let handle = Builder::new().name("fathom-logs".into()).spawn(move || write_all(&receiver))?;
        *thread = Some(Thread { lots: lots.clone(), handle });
        Ok(lots)
    }

    /// Waits until everything handed over is in the files. Returns the first error there was with any of them.
    pub fn finish(self) -> io::Result<()> {
        let thread = self.thread.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(Thread { lots, handle }) = thread else { return Ok(()) };
        // A thread that is gone is reported by the join.
        drop(lots.send(Lot::End));
        handle.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes the logs ended early")))
    }
}

fn write_all(lots: &Receiver<Lot>) -> io::Result<()> {
    let mut outcome = Ok(());
    let mut lines = Lines::default();
    while let Ok(lot) = lots.recv() {
        let written = match lot {
            Lot::Entries(chunk) => write_entries(&mut lines, chunk),
            Lot::Histogram(snapshot) => write_histogram(&mut lines, &snapshot),
            Lot::End => break,
        };
        // Goes on after an error: the workers must not wait for ever, and other files may be on another disk.
        outcome = outcome.and(written);
    }
    outcome
}

fn write_entries(lines: &mut Lines, chunk: Chunk) -> io::Result<()> {
    let mut outcome = Ok(());
    for kind in Kind::ALL {
        let Some(file) = chunk.destination.file(kind) else { continue };
        lines.fill(kind, &chunk.destination, &chunk.entries);
        if !lines.as_bytes().is_empty() {
            outcome = outcome.and(file.append(lines.as_bytes()));
        }
    }
    chunk.give_back();
    outcome
}

fn write_histogram(lines: &mut Lines, snapshot: &Snapshot) -> io::Result<()> {
    lines.fill_histogram(snapshot);
    snapshot.destination.file(Kind::ClatHistogram).map_or(Ok(()), |file| file.append(lines.as_bytes()))
}
