//! The logs of a replay: a part of a capture with offsets that fit the target, and the writes that fill its places.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use ::capture::{Fit, Flags, Io, Layer, Operation, Placed, Space};
use assessment::LikeFit;
use iolog::{Action, write};
use plan::Ddir;
use units::format::size;
use units::untrusted::UntrustedText;

use super::{CapturedLoad, Part, ddir, is_replayed};
use crate::command_error::CommandError;
use crate::temporary_file::TemporaryFile;

/// Name of the file in the lines of the log. All I/Os go to the target of the replay.
pub(super) const FILE: &str = "captured";
/// Lines are written in pieces of this size.
const PIECE_BYTES: usize = 1 << 16;
/// Longest name of an action, the digits of a length, and the characters between the fields of a line.
const OTHER_BYTES: u64 = 8 + 10 + 5;
/// The logs use at most this share of the free space of their folder.
const FREE_SHARE: u64 = 2;

/// The logs. They are removed at the end.
pub struct Logs {
    pub load: TemporaryLog,
    pub fill: TemporaryLog,
    /// Fills the places of discards again. `None` without discards.
    pub refill: Option<TemporaryLog>,
    /// Reads, writes and discards in the part.
    pub ios: u64,
    /// I/Os that are larger than the target.
    pub left_out: u64,
    /// Size of the parts of the target that have I/Os.
    pub touched_bytes: u64,
    pub fit: LikeFit,
}

impl Logs {
    /// Writes the logs of a part for a target.
    ///
    /// # Errors
    /// The folder for temporary files has too little space, the capture cannot be read again, or a log cannot be written.
    pub(super) fn write(captured: &CapturedLoad, part: Part, space: &Space) -> Result<Logs, CommandError> {
        let Part { span, lines, can_discard, extents, .. } = part;
        let touched_bytes = extents.touched_bytes();
        let placed = extents.place_on(space);
        let pieces = [placed.parts().count(), placed.discarded().count()].map(|count| count as u64);
        let all_lines = pieces.iter().fold(lines, |sum, pieces| sum.saturating_add(*pieces));
        check_space(all_lines.saturating_mul(line_bytes(span.length_ns, placed.size_bytes())))?;
        let mut log = LogWriter::new("load").map_err(log_failed)?;
        let (mut ios, mut left_out) = (0, 0);
        let mut outcome = Ok(());
        captured.each_in(span, |head, at_ns, io| {
            if outcome.is_err() || !is_replayed(io, can_discard) {
                return;
            }
            match log.io(at_ns, io, head.layer, &placed) {
                Ok(Written::Io) => ios += 1,
                Ok(Written::Sync | Written::Nothing) => {}
                Ok(Written::TooLarge) => left_out += 1,
                Err(error) => outcome = Err(error),
            }
        })?;
        outcome.map_err(log_failed)?;
        let load = log.finish().map_err(log_failed)?;
        let fill = fill_log("fill", placed.parts()).map_err(log_failed)?;
        let refill = (pieces[1] > 0).then(|| fill_log("refill", placed.discarded())).transpose().map_err(log_failed)?;
        let fit = match placed.fit() {
            Fit::Kept => LikeFit::Kept,
            Fit::Packed => LikeFit::Packed,
            Fit::Wrapped => LikeFit::Wrapped,
        };
        Ok(Logs { load, fill, refill, ios, left_out, touched_bytes, fit })
    }
}

/// Returns the message for a temporary log that cannot be written.
pub fn log_failed(error: io::Error) -> String {
    let folder = std::env::temp_dir();
    format!("temporary log in {}: {}", UntrustedText::from(&folder), units::errno::reason(&error))
}

/// Returns the length of the longest line.
fn line_bytes(length_ns: u64, size_bytes: u64) -> u64 {
    let digits = |number: u64| u64::from(number.checked_ilog10().unwrap_or(0)) + 1;
    digits(length_ns / 1000 + 1) + digits(size_bytes) + FILE.len() as u64 + OTHER_BYTES
}

/// Checks that the logs do not fill the folder for temporary files.
fn check_space(bytes: u64) -> Result<(), CommandError> {
    let folder = std::env::temp_dir();
    let Some(space) = os::file::space(&folder).map_err(log_failed)? else { return Ok(()) };
    if bytes <= space.free_bytes / FREE_SHARE {
        return Ok(());
    }
    let (folder, free, needed) = (UntrustedText::from(&folder), size(space.free_bytes), size(bytes));
    Err(format!(
        "the log of the replay needs up to {needed} in {folder}, which has {free} free (at most half of it is used)\n\
         help: replay a shorter part (--runtime), or set TMPDIR to a folder with more space"
    )
    .into())
}

fn fill_log(name: &str, pieces: impl Iterator<Item = (u64, u32)>) -> io::Result<TemporaryLog> {
    let mut log = LogWriter::new(name)?;
    for (offset, bytes) in pieces {
        log.line(0, Action::Io(Ddir::Write), offset, bytes)?;
    }
    log.finish()
}

/// Returns the number of lines of an I/O.
pub fn lines(io: &Io, layer: Layer) -> u64 {
    u64::from(has_sync(io, layer)) + u64::from(ddir(io).is_some())
}

/// Returns true if the I/O is a flush, or has one before it: a device with a queue has that one as an I/O of its own.
fn has_sync(io: &Io, layer: Layer) -> bool {
    io.operation == Operation::Flush || layer == Layer::Bios && io.flags.has(Flags::FLUSH_BEFORE)
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
    log: TemporaryLog,
    lines: Vec<u8>,
}

impl LogWriter {
    fn new(name: &str) -> io::Result<LogWriter> {
        let mut writer = LogWriter { log: TemporaryLog::create(name)?, lines: write::header().into_bytes() };
        writer.line(0, Action::Add, 0, 0)?;
        writer.line(0, Action::Open, 0, 0)?;
        Ok(writer)
    }

    fn line(&mut self, at_ns: u64, action: Action, offset: u64, bytes: u32) -> io::Result<()> {
        // The first time of a log counts only if it is above 0.
        write::line(&mut self.lines, at_ns / 1000 + 1, FILE, action, offset, bytes);
        if self.lines.len() >= PIECE_BYTES {
            self.log.add(&self.lines)?;
            self.lines.clear();
        }
        Ok(())
    }

    fn io(&mut self, at_ns: u64, io: &Io, layer: Layer, placed: &Placed) -> io::Result<Written> {
        if has_sync(io, layer) {
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
        self.log.add(&self.lines)?;
        Ok(self.log)
    }
}

/// A log in the folder for temporary files, which other users cannot read. It is removed when it is dropped, and after SIGKILL by
/// the next run.
pub struct TemporaryLog {
    file: TemporaryFile,
    /// Locked while the log is used.
    writer: File,
}

impl TemporaryLog {
    /// Creates a log.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(name: &str) -> io::Result<TemporaryLog> {
        let file = TemporaryFile::beside(&std::env::temp_dir().join(format!("like.{name}")))?;
        Ok(TemporaryLog { writer: file.create_new()?, file })
    }

    /// Adds lines.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        self.writer.write_all(lines)
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
    fn a_log_that_would_fill_the_folder_is_refused_with_its_size() {
        assert!(check_space(1 << 20).is_ok());
        let error = check_space(1 << 60).unwrap_err().to_string();
        assert!(error.contains("needs up to 1,024 PiB") && error.contains("--runtime"), "{error}");
    }

    #[test]
    fn no_line_is_longer_than_expected() {
        let mut line = Vec::new();
        let (length_ns, size_bytes) = (3_600_000_000_000, 1 << 40);
        write::line(&mut line, length_ns / 1000 + 1, FILE, Action::Io(Ddir::Write), size_bytes, u32::MAX);
        assert!(line.len() as u64 <= line_bytes(length_ns, size_bytes), "{line:?}");
    }
}
