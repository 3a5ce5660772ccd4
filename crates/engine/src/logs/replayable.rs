//! The log of a worker's I/Os as it issues them, which can be replayed (`write_iolog`).

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use iolog::{Action, write};
use os::io::{Kind, Op};
use plan::{Ddir, Worker};
use record::LogFault;
use targets::{Existing, GuardedFile, NamedBy, OutputGuard};

use super::batch::LogBatch;
use super::error::LogError;
use super::line_block::LineBlock;
use super::writer::LogWriter;
use crate::target::Target;

/// Size of a block of lines. It has room for a line with the longest path.
const BLOCK_BYTES: usize = 64 << 10;
/// A block with less room than this is written.
const LINE_BYTES: usize = 8 << 10;
const BLOCKS: usize = 4;

/// The log of one worker, owned by its thread.
pub struct ReplayLog {
    file: GuardedFile,
    path: String,
    names: Vec<String>,
    /// Time of the first I/O. Times in the log count from it.
    start_ns: Option<u64>,
    lines: Vec<u8>,
    returned: Receiver<Vec<u8>>,
    back: SyncSender<Vec<u8>>,
    batches: SyncSender<LogBatch>,
}

impl ReplayLog {
    /// Opens the log of a worker. As in fio, existing lines are kept. Returns `None` if the worker has no log.
    ///
    /// # Errors
    /// The file cannot be created, the output guard refuses it, or the writer's thread cannot be started.
    pub fn open(worker: &Worker, writer: &LogWriter, guard: &mut OutputGuard) -> Result<Option<Self>, LogError> {
        let Some(path) = &worker.measure.logs.replayable else { return Ok(None) };
        let made = GuardedFile::create(Path::new(path), Existing::Append, NamedBy::User, guard);
        let file = made.map_err(|error| LogError::of_output(path, error))?;
        let batches = writer.sender().map_err(|error| LogError::new(LogFault::Thread, &error))?;
        let (back, returned) = sync_channel(BLOCKS);
        for _ in 1..BLOCKS {
            drop(back.try_send(Vec::with_capacity(BLOCK_BYTES)));
        }
        let lines = Vec::with_capacity(BLOCK_BYTES);
        Ok(Some(ReplayLog {
            file,
            path: path.clone(),
            names: Vec::new(),
            start_ns: None,
            lines,
            returned,
            back,
            batches,
        }))
    }

    /// Writes the header and the names of the targets.
    pub fn begin(&mut self, targets: &[Target]) {
        self.names = targets.iter().map(|target| target.path.display().to_string()).collect();
        self.lines.extend_from_slice(write::header().as_bytes());
        for file in 0..crate::number::index(self.names.len()) {
            self.line(0, file, Action::Add, (0, 0));
        }
    }

    /// Logs that a file is opened, closed or synced as a whole.
    pub fn file(&mut self, file: u32, action: Action, now_ns: u64) {
        self.line(now_ns, file, action, (0, 0));
    }

    pub fn closed_all(&mut self, files: &[u32], now_ns: u64) {
        files.iter().for_each(|&file| self.file(file, Action::Close, now_ns));
    }

    /// Logs an I/O that the kernel has accepted.
    #[inline]
    pub fn issued(&mut self, op: &Op, now_ns: u64) {
        let action = match op.kind {
            Kind::Read => Action::Io(Ddir::Read),
            Kind::Write => Action::Io(Ddir::Write),
            Kind::Trim => Action::Io(Ddir::Trim),
            Kind::Fsync => Action::Fsync,
            Kind::Fdatasync => Action::Fdatasync,
            // A log has no name for it: fio writes one that it cannot read.
            Kind::SyncFileRange => return,
        };
        self.line(now_ns, op.file, action, (op.offset, op.len));
    }

    fn line(&mut self, now_ns: u64, file: u32, action: Action, (offset, bytes): (u64, u32)) {
        let start_ns = if action == Action::Add { now_ns } else { *self.start_ns.get_or_insert(now_ns) };
        let time_us = now_ns.saturating_sub(start_ns) / 1000;
        write::line(&mut self.lines, time_us, &self.names[file as usize], action, offset, bytes);
        if self.lines.len() > BLOCK_BYTES - LINE_BYTES {
            self.next_block();
        }
    }

    /// Gives the lines to the writer. Waits for it if all blocks are full.
    fn next_block(&mut self) {
        let lines = match self.returned.recv() {
            Ok(spare) => std::mem::replace(&mut self.lines, spare),
            Err(_) => return,
        };
        self.send(lines);
    }

    fn send(&mut self, lines: Vec<u8>) {
        let block = LineBlock { file: self.file.clone(), path: self.path.clone(), lines, back: self.back.clone() };
        // The writer ends early only with an error, and the run reports that.
        drop(self.batches.send(LogBatch::Lines(block)));
    }

    /// Writes the last lines.
    pub fn finish(mut self) {
        let lines = std::mem::take(&mut self.lines);
        self.send(lines);
    }
}
