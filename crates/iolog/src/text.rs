//! Logs of fio: a header line, and a line per action.
//!
//! Version 2: `FILE ACTION` and `FILE ACTION OFFSET LENGTH`. Version 3 has the time in microseconds before them. The
//! fields are taken from the end of the line, so that names can have blanks.

use std::borrow::Cow;
use std::io::BufRead;

use plan::Ddir;

use super::entry::{Action, Entry, Found, is_addressable};
use super::error::{BadEntry, Ignored, LogError, Place};
use super::files::Files;

pub const HEADERS: [&str; 2] = ["fio version 2 iolog", "fio version 3 iolog"];

/// Longest line. The rest of a longer one is ignored.
const LINE_MAX: usize = 64 << 10;

#[derive(Debug)]
pub struct TextLog {
    has_times: bool,
    line: u64,
    buffer: Vec<u8>,
}

impl TextLog {
    /// Reads the header.
    ///
    /// # Errors
    /// The log has none.
    pub fn open(input: &mut impl BufRead) -> Result<Self, LogError> {
        let mut buffer = Vec::new();
        read_line(input, &mut buffer)?;
        let version = HEADERS.iter().position(|header| buffer.starts_with(header.as_bytes()));
        let version = version.ok_or(LogError::NotALog)?;
        Ok(TextLog { has_times: version == 1, line: 1, buffer })
    }

    /// Returns the number of the last line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the next entry. `None` at the end.
    pub fn next(
        &mut self,
        input: &mut impl BufRead,
        files: &mut Files,
        ignored: &mut Ignored,
    ) -> Result<Option<Found>, LogError> {
        while read_line(input, &mut self.buffer)? {
            self.line += 1;
            let line = String::from_utf8_lossy(&self.buffer);
            // A name that is no text names no file, unless all I/Os go to one target.
            if matches!(line, Cow::Owned(_)) && !files.redirects() {
                ignored.add(Place::Line(self.line), BadEntry::Fields);
                continue;
            }
            let line = line.trim_ascii();
            // fio appends to a log: each run begins with a header.
            if line.is_empty() || HEADERS.contains(&line) {
                continue;
            }
            match parse(line, self.has_times, files) {
                Ok(found) => return Ok(Some(found)),
                Err((time_ns, why)) => {
                    ignored.add(Place::Line(self.line), why);
                    if time_ns.is_some() {
                        return Ok(Some(Found { entry: None, time_ns }));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Reads a line without its end. Returns false at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, LogError> {
    line.clear();
    let mut has_any = false;
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            return Ok(has_any);
        }
        has_any = true;
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        let room = LINE_MAX.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = end.map_or(available.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

type Fault = (Option<u64>, BadEntry);

fn parse(line: &str, has_times: bool, files: &mut Files) -> Result<Found, Fault> {
    let (time_ns, rest) = if has_times {
        let (time, rest) = split_first(line).ok_or((None, BadEntry::Fields))?;
        let time_us: u64 = time.parse().map_err(|_| (None, BadEntry::Fields))?;
        (Some(time_us.saturating_mul(1000)), rest)
    } else {
        (None, line)
    };
    let entry = entry(rest, has_times, files).map_err(|why| (time_ns, why))?;
    Ok(Found { entry: Some(entry), time_ns })
}

fn entry(fields: &str, has_times: bool, files: &mut Files) -> Result<Entry, BadEntry> {
    let Some((name, action, offset, bytes)) = io_fields(fields) else {
        return file_entry(fields, files);
    };
    let action = match action {
        "read" => Action::Io(Ddir::Read),
        "write" => Action::Io(Ddir::Write),
        "trim" => Action::Io(Ddir::Trim),
        "sync" => Action::Fsync,
        "datasync" => Action::Fdatasync,
        "wait" if has_times => return Err(BadEntry::Wait),
        "wait" => return Ok(Entry { action: Action::Wait, file: 0, offset, bytes: 0 }),
        _ => return Err(BadEntry::Action),
    };
    let file = files.find(name).ok_or(BadEntry::File)?;
    let bytes = u32::try_from(bytes).map_err(|_| BadEntry::Range)?;
    if matches!(action, Action::Io(_)) && (bytes == 0 || !is_addressable(offset, bytes)) {
        return Err(BadEntry::Range);
    }
    Ok(Entry { action, file, offset, bytes })
}

fn file_entry(fields: &str, files: &mut Files) -> Result<Entry, BadEntry> {
    let (name, action) = split_last(fields).ok_or(BadEntry::Fields)?;
    let (action, file) = match action {
        "add" => (Action::Add, Some(files.add(name))),
        "open" => (Action::Open, files.find(name)),
        "close" => (Action::Close, files.find(name)),
        _ => return Err(BadEntry::Fields),
    };
    Ok(Entry { action, file: file.ok_or(BadEntry::File)?, offset: 0, bytes: 0 })
}

/// Returns name, action, offset and length of an I/O.
fn io_fields(fields: &str) -> Option<(&str, &str, u64, u64)> {
    let (rest, bytes) = split_last(fields)?;
    let (rest, offset) = split_last(rest)?;
    let (name, action) = split_last(rest)?;
    Some((name, action, offset.parse().ok()?, bytes.parse().ok()?))
}

fn split_first(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once(|letter: char| letter.is_ascii_whitespace())?;
    Some((first, rest.trim_ascii_start()))
}

fn split_last(text: &str) -> Option<(&str, &str)> {
    let (rest, last) = text.rsplit_once(|letter: char| letter.is_ascii_whitespace())?;
    Some((rest.trim_ascii_end(), last))
}
