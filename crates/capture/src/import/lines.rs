//! Lines of a text, and the text of blkparse in its default format.

use std::io::{BufRead, Read};

use super::error::ImportError;
use super::events::{Events, Traced};
use crate::event::{Event, Kind, operation};
use crate::io::{Flags, Operation};

/// Longest line, in bytes.
const LINE_MAX: u64 = 4096;
/// First line of the summary at the end of the text of blkparse.
const SUMMARY: &str = "CPU";

/// Lines with their numbers.
pub struct Lines<R> {
    input: R,
    /// Number of the line in `text`, from 1.
    pub number: u64,
    bytes: Vec<u8>,
    /// The same as text. A name of a program can have other bytes.
    text: String,
    /// The line in `text` was read and not returned.
    is_ahead: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, number: 0, bytes: Vec::new(), text: String::new(), is_ahead: false }
    }

    /// Returns the first line. It is returned again by [`Lines::next`].
    pub fn first(&mut self) -> Result<&str, ImportError> {
        self.is_ahead = self.next()?.is_some();
        Ok(self.text.trim())
    }

    /// Returns the next line, without its end. `None` at the end of the input.
    pub fn next(&mut self) -> Result<Option<&str>, ImportError> {
        if !std::mem::take(&mut self.is_ahead) {
            self.bytes.clear();
            self.text.clear();
            if self.input.by_ref().take(LINE_MAX + 1).read_until(b'\n', &mut self.bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.bytes.len() as u64 > LINE_MAX {
                return Err(self.error("it is longer than 4096 bytes"));
            }
            self.text.push_str(&String::from_utf8_lossy(&self.bytes));
        }
        Ok(Some(self.text.trim()))
    }

    pub fn error(&self, what: &'static str) -> ImportError {
        ImportError::Line { line: self.number, what }
    }
}

/// The text of blkparse. A line is: device, CPU, number, time in seconds, process, action, operation, and for I/Os the first
/// sector, `+` and the number of sectors.
pub struct Blkparse<R> {
    lines: Lines<R>,
    device: Option<String>,
}

impl<R: BufRead> Blkparse<R> {
    pub fn new(lines: Lines<R>) -> Blkparse<R> {
        Blkparse { lines, device: None }
    }

    /// Returns true if a line is one of blkparse.
    pub fn begins(line: &str) -> bool {
        let mut fields = line.split_ascii_whitespace();
        let is_device = |field: &str| {
            let parts: Vec<&str> = field.split(',').collect();
            matches!(parts.as_slice(), [major, minor] if is_number(major) && is_number(minor))
        };
        fields.next().is_some_and(is_device) && fields.next().is_some_and(is_number)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl<R: BufRead> Events for Blkparse<R> {
    fn next(&mut self) -> Result<Option<(Traced, Event)>, ImportError> {
        while let Some(line) = self.lines.next()? {
            if line.is_empty() {
                continue;
            }
            // A summary follows the I/Os.
            if line.starts_with(SUMMARY) {
                return Ok(None);
            }
            let found = parse(line);
            let device = line.split_ascii_whitespace().next().unwrap_or_default();
            let is_other = self.device.get_or_insert_with(|| device.to_owned()) != device;
            match found {
                Err(what) => return Err(self.lines.error(what)),
                Ok(Some(_)) if is_other => {
                    return Err(self
                        .lines
                        .error("it is of another device than those before; import one device at a time"));
                }
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
            }
        }
        Ok(None)
    }

    fn number(&self) -> u64 {
        self.lines.number
    }

    fn error(line: u64, what: &'static str) -> ImportError {
        ImportError::Line { line, what }
    }
}

/// Parses a line; `None` for a line that is not about an I/O.
fn parse(line: &str) -> Result<Option<(Traced, Event)>, &'static str> {
    let mut fields = line.split_ascii_whitespace();
    let mut field = || fields.next().ok_or("the line is not in the default format of blkparse");
    let (_device, _cpu, _number, time, _process) = (field()?, field()?, field()?, field()?, field()?);
    let (action, rwbs) = (field()?, field()?);
    let at_ns = nanoseconds(time).ok_or("its fourth field is no time in seconds")?;
    let traced = match action {
        "Q" => Traced::Queued,
        "G" => Traced::Requested,
        "I" => Traced::Other(Kind::Insert),
        "D" => Traced::Other(Kind::Issue),
        "C" => Traced::Other(Kind::Complete),
        "M" => Traced::Other(Kind::BackMerge),
        "F" => Traced::Other(Kind::FrontMerge),
        "R" => Traced::Other(Kind::Requeue),
        "X" => Traced::Other(Kind::Split { next: 0 }),
        _ => return Ok(None),
    };
    let Some((operation, flags)) = operation(rwbs.as_bytes()) else { return Ok(None) };
    let number = |text: Option<&str>| text.map_or(Ok(None), |text| text.parse::<u64>().map(Some));
    let (first, second) = (fields.next(), fields.next());
    // A command that a program passes through has the bytes of the command in parentheses, after the number of its data bytes.
    if [first, second].into_iter().flatten().any(|field| field.starts_with('(')) {
        let event = Event {
            at_ns,
            kind: Kind::Insert,
            thread: None,
            operation: Operation::Other,
            flags,
            sector: 0,
            sectors: 0,
        };
        return Ok(Some((traced, event)));
    }
    // A flush has no sectors.
    let (sector, sectors) = match first.filter(|text| is_number(text)) {
        None => (0, 0),
        Some(_) => {
            let sector = number(first).map_err(|_| "its sector is too large")?.unwrap_or(0);
            let sectors = if second == Some("+") {
                fields
                    .next()
                    .and_then(|text| text.parse::<u32>().ok())
                    .ok_or("it has no number of sectors after `+`")?
            } else {
                0
            };
            (sector, sectors)
        }
    };
    let is_flush = operation == Operation::Write && sectors == 0 && flags.has(Flags::FLUSH_BEFORE);
    let is_failed = action == "C" && fields.next().is_some_and(|error| error != "[0]");
    let flags = if is_failed { flags.with(Flags::FAILED) } else { flags };
    let operation = if is_flush { Operation::Flush } else { operation };
    Ok(Some((traced, Event { at_ns, kind: Kind::Insert, thread: None, operation, flags, sector, sectors })))
}

/// Parses seconds with up to nine digits after the point.
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    if !is_number(whole) || !is_number(part) || part.len() > 9 {
        return None;
    }
    let part_ns = part.parse::<u64>().ok()?.checked_mul(10u64.pow(9 - part.len() as u32))?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part_ns)
}
