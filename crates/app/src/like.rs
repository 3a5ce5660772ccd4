//! The load of a capture on another target: the busiest part of it, with offsets that fit the target, as a log that is replayed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ::capture::{Direction, Extents, Figures, Fit, Flags, Io, Layer, Operation, Placed};
use assessment::LikeFit;
use iolog::{Action, write};
use plan::{Ddir, PerDdir};

use crate::capture;
use crate::command_error::CommandError;

/// Name of the file in the lines of the log. All I/Os go to the target of the replay.
const FILE: &str = "captured";
/// Lines are written in pieces of this size.
const PIECE_BYTES: usize = 1 << 16;

/// A capture, and the parts of the disk that it uses.
pub struct CapturedLoad {
    path: String,
    pub figures: Figures,
    extents: Extents,
}

/// The part of a capture that is replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub from_ns: u64,
    pub length_ns: u64,
}

/// The log of a part of a capture, and of the writes that fill its places. They are removed at the end.
pub struct Logs {
    pub load: TemporaryLog,
    pub fill: TemporaryLog,
    /// Reads, writes and discards in the part.
    pub ios: u64,
    /// I/Os that are larger than the target.
    pub left_out: u64,
    pub fit: LikeFit,
}

impl CapturedLoad {
    /// Reads a capture.
    ///
    /// # Errors
    /// The file cannot be read, has no reads, writes or discards, or decides nothing.
    pub fn read(path: &str) -> Result<CapturedLoad, CommandError> {
        let mut extents: Option<Extents> = None;
        let figures = capture::load_each(path, |head, io| {
            let base = head.partition.as_ref().map_or(0, |partition| partition.first_sector);
            if ddir(io).is_some() {
                extents.get_or_insert_with(|| Extents::new(base)).add(io);
            }
        })?;
        let Some(extents) = extents else {
            return Err(format!("{path} has no reads, writes or discards").into());
        };
        if !figures.is_conclusive {
            let help = "`fathom capture show` has the reason; capture the load again";
            return Err(format!("{path} is INCONCLUSIVE: its load is not complete\nhelp: {help}").into());
        }
        Ok(CapturedLoad { path: path.to_owned(), figures, extents })
    }

    /// Returns the captured 99th percentile by direction, from submission to completion.
    pub fn p99_ns(&self) -> PerDdir<Option<u64>> {
        PerDdir(self.directions().map(|direction| Some(direction?.whole?.p99_ns)))
    }

    /// Returns `value` for each direction with I/Os.
    pub fn each(&self, value: u64) -> PerDdir<Option<u64>> {
        PerDdir(self.directions().map(|direction| direction.map(|_| value)))
    }

    fn directions(&self) -> [Option<&Direction>; 3] {
        [self.figures.read.as_ref(), self.figures.write.as_ref(), self.figures.discard.as_ref()]
    }

    /// Returns true if the load changes data.
    pub fn writes(&self) -> bool {
        self.figures.write.is_some() || self.figures.discard.is_some()
    }

    /// Returns the bytes of the parts with I/Os.
    pub fn touched_bytes(&self) -> u64 {
        self.extents.touched_bytes()
    }

    /// Returns the busiest part of at most this length, by the number of its I/Os.
    pub fn busiest(&self, length_ns: u64) -> Part {
        let Figures { duration_ns, interval_ns, over_time, .. } = &self.figures;
        if *duration_ns <= length_ns {
            return Part { from_ns: 0, length_ns: *duration_ns };
        }
        let width = usize::try_from((length_ns / interval_ns).max(1)).unwrap_or(usize::MAX).min(over_time.len());
        let ios = |at: usize| -> u64 {
            over_time[at..at + width].iter().map(|of| of.reads + of.writes + of.discards + of.flushes).sum()
        };
        // Of equal ones the first.
        let first = (0..=over_time.len() - width).rev().max_by_key(|at| ios(*at)).unwrap_or(0);
        let from_ns = (first as u64 * interval_ns).min(duration_ns - length_ns);
        Part { from_ns, length_ns }
    }

    /// Writes the logs for a target with `span_bytes` from its start to its end, room for `room_bytes` and a block size.
    ///
    /// # Errors
    /// The capture cannot be read again, or a log cannot be written.
    pub fn logs(self, part: Part, span_bytes: u64, room_bytes: u64, block_bytes: u64) -> Result<Logs, CommandError> {
        let placed = self.extents.place_on(span_bytes, room_bytes);
        let failed = |error: &io::Error| format!("temporary log: {}", units::errno::reason(error));
        let mut log = LogWriter::new("load").map_err(|error| failed(&error))?;
        let (mut ios, mut left_out) = (0, 0);
        let mut outcome = Ok(());
        capture::load_each(&self.path, |head, io| {
            let Some(at_ns) = io.start_ns.checked_sub(part.from_ns).filter(|at_ns| *at_ns < part.length_ns) else {
                return;
            };
            match log.io(at_ns, io, head.layer, &placed, block_bytes) {
                Ok(Written::Io) => ios += 1,
                Ok(Written::Sync | Written::Nothing) => {}
                Ok(Written::TooLarge) => left_out += 1,
                Err(error) => outcome = Err(error),
            }
        })?;
        outcome.map_err(|error| failed(&error))?;
        let load = log.finish().map_err(|error| failed(&error))?;
        let fill = fill_log(&placed).map_err(|error| failed(&error))?;
        let fit = match placed.fit() {
            Fit::Kept => LikeFit::Kept,
            Fit::Packed => LikeFit::Packed,
            Fit::Wrapped => LikeFit::Wrapped,
        };
        Ok(Logs { load, fill, ios, left_out, fit })
    }
}

/// Returns the direction of an I/O with data.
fn ddir(io: &Io) -> Option<Ddir> {
    match io.operation {
        Operation::Read => Some(Ddir::Read),
        Operation::Write => Some(Ddir::Write),
        Operation::Discard => Some(Ddir::Trim),
        Operation::Flush | Operation::Other => None,
    }
    .filter(|_| io.sectors > 0)
}

fn fill_log(placed: &Placed) -> io::Result<TemporaryLog> {
    let mut log = LogWriter::new("fill")?;
    for (offset, bytes) in placed.parts() {
        log.line(0, Action::Io(Ddir::Write), offset, bytes)?;
    }
    log.finish()
}

/// What an I/O of a capture is in a log.
enum Written {
    Io,
    Sync,
    TooLarge,
    /// Commands other than reads, writes, discards and flushes.
    Nothing,
}

/// Writes a log.
struct LogWriter {
    to: BufWriter<File>,
    log: TemporaryLog,
    lines: Vec<u8>,
}

impl LogWriter {
    fn new(name: &str) -> io::Result<LogWriter> {
        let (log, file) = TemporaryLog::create(name)?;
        let mut writer = LogWriter { to: BufWriter::new(file), log, lines: write::header().into_bytes() };
        writer.line(0, Action::Add, 0, 0)?;
        writer.line(0, Action::Open, 0, 0)?;
        Ok(writer)
    }

    fn line(&mut self, at_ns: u64, action: Action, offset: u64, bytes: u32) -> io::Result<()> {
        // The first time of a log counts only if it is above 0.
        write::line(&mut self.lines, at_ns / 1000 + 1, FILE, action, offset, bytes);
        if self.lines.len() >= PIECE_BYTES {
            self.to.write_all(&self.lines)?;
            self.lines.clear();
        }
        Ok(())
    }

    fn io(&mut self, at_ns: u64, io: &Io, layer: Layer, placed: &Placed, block_bytes: u64) -> io::Result<Written> {
        // A device with a queue has the flush before a write as an I/O of its own.
        let flushes_before = layer == Layer::Bios && io.flags.has(Flags::FLUSH_BEFORE);
        if io.operation == Operation::Flush || flushes_before {
            self.line(at_ns, Action::Fsync, 0, 0)?;
        }
        let Some(ddir) = ddir(io) else {
            return Ok(if io.operation == Operation::Flush { Written::Sync } else { Written::Nothing });
        };
        let Some((offset, bytes)) = placed.place(io, block_bytes) else { return Ok(Written::TooLarge) };
        self.line(at_ns, Action::Io(ddir), offset, bytes)?;
        Ok(Written::Io)
    }

    fn finish(mut self) -> io::Result<TemporaryLog> {
        self.to.write_all(&self.lines)?;
        self.to.flush()?;
        Ok(self.log)
    }
}

/// A log in the folder for temporary files. It is removed when it is dropped.
pub struct TemporaryLog(PathBuf);

impl TemporaryLog {
    #[expect(clippy::disallowed_methods, reason = "a new file of a name of its own, which only this user can open")]
    fn create(name: &str) -> io::Result<(TemporaryLog, File)> {
        let mut random = [0; 8];
        os::process::random_bytes(&mut random)?;
        let name = format!("fathom-like-{:016x}.{name}", u64::from_ne_bytes(random));
        let path = std::env::temp_dir().join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok((TemporaryLog(path), file))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryLog {
    #[expect(clippy::disallowed_methods, reason = "the file is of this process")]
    fn drop(&mut self) {
        // Nothing is lost if it stays.
        let _ = std::fs::remove_file(&self.0);
    }
}
