//! The load of a capture on another target: the busiest part of it, with offsets that fit the target, as a log that is replayed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use ::capture::{Direction, Extents, Figures, Fit, Flags, Head, Io, Layer, Operation, Placed, Space};
use assessment::LikeFit;
use iolog::{Action, write};
use plan::{Ddir, PerDdir};

use crate::capture;
use crate::command_error::CommandError;
use crate::temporary_file::TemporaryFile;

/// Name of the file in the lines of the log. All I/Os go to the target of the replay.
const FILE: &str = "captured";
/// Lines are written in pieces of this size.
const PIECE_BYTES: usize = 1 << 16;

const SECOND_NS: u64 = 1_000_000_000;

/// A capture.
pub struct CapturedLoad {
    path: String,
    pub figures: Figures,
    /// Reads, writes and discards by the second of their start.
    ios_by_second: BTreeMap<u64, u64>,
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
    /// Discards that the target cannot do.
    pub discards_left_out: u64,
    /// Size of the parts of the target that have I/Os.
    pub touched_bytes: u64,
    pub fit: LikeFit,
}

impl CapturedLoad {
    /// Reads a capture.
    ///
    /// # Errors
    /// The file cannot be read, has no reads, writes or discards, or decides nothing.
    pub fn read(path: &str) -> Result<CapturedLoad, CommandError> {
        let mut ios_by_second = BTreeMap::new();
        let figures = capture::load_each(path, |_, io| {
            if ddir(io).is_some() {
                *ios_by_second.entry(io.start_ns / SECOND_NS).or_default() += 1;
            }
        })?;
        if ios_by_second.is_empty() {
            return Err(format!("{path} has no reads, writes or discards").into());
        }
        if !figures.is_conclusive {
            let help = "`fathom capture show` has the reason; capture the load again";
            return Err(format!("{path} is INCONCLUSIVE: its load is not complete\nhelp: {help}").into());
        }
        Ok(CapturedLoad { path: path.to_owned(), figures, ios_by_second })
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

    /// Returns the busiest part of at most this length, by the number of its I/Os. It begins with a second in which I/Os start.
    pub fn busiest(&self, length_ns: u64) -> Part {
        let duration_ns = self.figures.duration_ns;
        if duration_ns <= length_ns {
            return Part { from_ns: 0, length_ns: duration_ns };
        }
        let second = busiest_second(&self.ios_by_second, (length_ns / SECOND_NS).max(1));
        Part { from_ns: second.saturating_mul(SECOND_NS).min(duration_ns - length_ns), length_ns }
    }

    /// Writes the logs of a part for a target, which can discard or not.
    ///
    /// # Errors
    /// The capture cannot be read again, or a log cannot be written.
    pub fn logs(&self, part: Part, space: &Space, can_discard: bool) -> Result<Logs, CommandError> {
        let failed = |error: io::Error| format!("temporary log: {}", units::errno::reason(&error));
        let is_replayed = |io: &Io| can_discard || io.operation != Operation::Discard;
        let mut extents: Option<Extents> = None;
        let mut discards_left_out = 0;
        self.each_in(part, |head, _, io| {
            if !is_replayed(io) {
                discards_left_out += 1;
            } else if ddir(io).is_some() {
                let base = head.partition.as_ref().map_or(0, |partition| partition.first_sector);
                extents.get_or_insert_with(|| Extents::new(base)).add(io);
            }
        })?;
        let Some(extents) = extents else {
            return Err(format!("{} has no I/Os that the target can do", self.path).into());
        };
        let touched_bytes = extents.touched_bytes();
        let placed = extents.place_on(space);
        let mut log = LogWriter::new("load").map_err(failed)?;
        let (mut ios, mut left_out) = (0, 0);
        let mut outcome = Ok(());
        self.each_in(part, |head, at_ns, io| match is_replayed(io).then(|| log.io(at_ns, io, head.layer, &placed)) {
            Some(Ok(Written::Io)) => ios += 1,
            Some(Ok(Written::Sync | Written::Nothing)) | None => {}
            Some(Ok(Written::TooLarge)) => left_out += 1,
            Some(Err(error)) => outcome = Err(error),
        })?;
        outcome.map_err(failed)?;
        let load = log.finish().map_err(failed)?;
        let fill = fill_log(&placed).map_err(failed)?;
        let fit = match placed.fit() {
            Fit::Kept => LikeFit::Kept,
            Fit::Packed => LikeFit::Packed,
            Fit::Wrapped => LikeFit::Wrapped,
        };
        Ok(Logs { load, fill, ios, left_out, discards_left_out, touched_bytes, fit })
    }

    /// Passes each I/O of a part to a function, with its time since the start of the part.
    fn each_in(&self, part: Part, mut each: impl FnMut(&Head, u64, &Io)) -> Result<(), CommandError> {
        let each_io = |head: &Head, io: &Io| {
            if let Some(at_ns) = io.start_ns.checked_sub(part.from_ns).filter(|at_ns| *at_ns < part.length_ns) {
                each(head, at_ns, io);
            }
        };
        capture::load_each(&self.path, each_io).map(drop)
    }
}

/// Returns the first second of the time of `seconds` in which most I/Os start.
fn busiest_second(ios_by_second: &BTreeMap<u64, u64>, seconds: u64) -> u64 {
    let (mut first, mut ios, mut most) = (ios_by_second.iter(), 0, (0, 0));
    let mut from = first.next();
    for (second, started) in ios_by_second {
        ios += started;
        while let Some((_, begun)) = from.filter(|(begin, _)| *begin + seconds <= *second) {
            (ios, from) = (ios - begun, first.next());
        }
        if ios > most.0 {
            most = (ios, from.map_or(0, |(begin, _)| *begin));
        }
    }
    most.1
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

    fn io(&mut self, at_ns: u64, io: &Io, layer: Layer, placed: &Placed) -> io::Result<Written> {
        // A device with a queue has the flush before a write as an I/O of its own.
        let flushes_before = layer == Layer::Bios && io.flags.has(Flags::FLUSH_BEFORE);
        if io.operation == Operation::Flush || flushes_before {
            self.line(at_ns, Action::Fsync, 0, 0)?;
        }
        let Some(ddir) = ddir(io) else {
            return Ok(if io.operation == Operation::Flush { Written::Sync } else { Written::Nothing });
        };
        let Some((offset, bytes)) = placed.place(io) else { return Ok(Written::TooLarge) };
        self.line(at_ns, Action::Io(ddir), offset, bytes)?;
        Ok(Written::Io)
    }

    fn finish(mut self) -> io::Result<TemporaryLog> {
        self.to.write_all(&self.lines)?;
        self.to.flush()?;
        Ok(self.log)
    }
}

/// A log in the folder for temporary files. It is removed when it is dropped, and after SIGKILL by the next run.
pub struct TemporaryLog {
    file: TemporaryFile,
    /// Locked while the log is used.
    _locked: File,
}

impl TemporaryLog {
    fn create(name: &str) -> io::Result<(TemporaryLog, File)> {
        let file = TemporaryFile::beside(&std::env::temp_dir().join(format!("like.{name}")))?;
        let writer = file.create_new()?;
        Ok((TemporaryLog { _locked: writer.try_clone()?, file }, writer))
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

impl Drop for TemporaryLog {
    fn drop(&mut self) {
        self.file.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_part_of_a_long_capture_is_found_to_the_second() {
        let mut ios: BTreeMap<u64, u64> = (0..7200).step_by(60).map(|second| (second, 1)).collect();
        ios.extend((604_700..604_740).map(|second| (second, 50)));
        ios.insert(700_000, 100);
        assert_eq!([60, 1, 1_000_000].map(|seconds| busiest_second(&ios, seconds)), [604_700, 700_000, 0]);
    }
}
