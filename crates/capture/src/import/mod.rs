//! I/Os of a capture, or of a trace or log of another program.

mod blktrace;
mod error;
mod events;
mod fio_log;
mod lines;
mod msr;
mod order;

use std::io::BufRead;

use iolog::BinaryLog;

use crate::document::{Device, End, Facts, Head, MAGIC, Origin};
use crate::io::{Io, Layer};
use crate::lives::Changes;
use crate::reader::{ReadError, Reader};
use blktrace::Blktrace;
pub use error::ImportError;
use events::EventIos;
use fio_log::FioLog;
use lines::{Blkparse, Lines};
use msr::Msr;

/// Beginning of the logs of fio.
const FIO: &[u8] = b"fio version ";

/// Byte order mark, which some programs of Windows write before a text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// I/Os in the order of their starts.
pub struct Source<R: BufRead> {
    head: Head,
    ios: Ios<R>,
    /// Of an import: entries, and the end of the last I/O.
    ios_read: u64,
    end_ns: u64,
}

enum Ios<R: BufRead> {
    Capture(Reader<R>),
    Blktrace(EventIos<Blktrace<R>>),
    Blkparse(EventIos<Blkparse<R>>),
    Fio(FioLog<R>),
    Msr(Msr<R>),
}

impl<R: BufRead> Source<R> {
    /// Finds the format of an input. `name` is its name, for imports.
    ///
    /// # Errors
    /// The input cannot be read, or has none of the formats.
    pub fn new(mut input: R, name: &str) -> Result<Source<R>, ImportError> {
        if input.fill_buf()?.starts_with(MARK) {
            input.consume(MARK.len());
        }
        let beginning = input.fill_buf()?;
        let format = MAGIC.split('/').next().unwrap_or_default();
        if beginning.starts_with(format.as_bytes()) {
            let (head, reader) = Reader::new(input).map_err(ImportError::Capture)?;
            return Ok(Source { head, ios: Ios::Capture(reader), ios_read: 0, end_ns: 0 });
        }
        let (origin, ios, layer) = if let Some(log) = BinaryLog::of(beginning) {
            let ios = EventIos::new(Blktrace::new(log, input))?;
            let layer = ios.layer();
            (Origin::Blktrace, Ios::Blktrace(ios), layer)
        } else if beginning.starts_with(FIO) {
            (Origin::Fio, Ios::Fio(FioLog::new(input)?), Layer::Bios)
        } else {
            let mut lines = Lines::new(input);
            let first = lines.first()?;
            if Msr::begins(first) {
                (Origin::Msr, Ios::Msr(Msr::new(lines)?), Layer::Bios)
            } else if Blkparse::<R>::begins(first) {
                let ios = EventIos::new(Blkparse::new(lines))?;
                let layer = ios.layer();
                (Origin::Blkparse, Ios::Blkparse(ios), layer)
            } else {
                return Err(ImportError::Unknown);
            }
        };
        Ok(Source { head: head(name, origin, layer), ios, ios_read: 0, end_ns: 0 })
    }

    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the next I/O; `None` after the last one.
    ///
    /// # Errors
    /// The input fails, ends early or is not valid.
    pub fn next_io(&mut self) -> Result<Option<Io>, ImportError> {
        let io = match &mut self.ios {
            Ios::Capture(reader) => return reader.next_io().map_err(ImportError::Capture),
            Ios::Blktrace(ios) => ios.next_io()?,
            Ios::Blkparse(ios) => ios.next_io()?,
            Ios::Fio(log) => log.next_io()?,
            Ios::Msr(msr) => msr.next_io()?,
        };
        if let Some(io) = &io {
            self.ios_read += 1;
            self.end_ns = self.end_ns.max(io.start_ns.saturating_add(io.completed_ns.unwrap_or(1)));
        }
        Ok(io)
    }

    /// Returns head and facts after [`Source::next_io`] has returned `None`.
    ///
    /// # Errors
    /// The capture is not complete, or an import has no I/Os.
    pub fn finish(self) -> Result<(Head, Facts), ImportError> {
        let mut head = self.head;
        let (changes, started_unix_ms) = match self.ios {
            Ios::Capture(reader) => {
                let facts = reader.into_facts().ok_or(ImportError::Capture(ReadError::Incomplete))?;
                return Ok((head, facts));
            }
            Ios::Blktrace(ios) => (ios.changes(), None),
            Ios::Blkparse(ios) => (ios.changes(), None),
            Ios::Fio(_) => (Changes::default(), None),
            Ios::Msr(msr) => (Changes::default(), msr.started_unix_ms()),
        };
        if self.ios_read == 0 {
            return Err(ImportError::Empty);
        }
        head.started_unix_ms = started_unix_ms;
        let facts = Facts {
            end: End::Time,
            duration_ns: self.end_ns.max(1),
            events: self.ios_read,
            lost_events: 0,
            unreadable: 0,
            changes,
            cpu_ns: 0,
            programs: Vec::new(),
            left_out: None,
        };
        Ok((head, facts))
    }
}

/// Returns the head of an import. The disk is not known.
fn head(name: &str, origin: Origin, layer: Layer) -> Head {
    Head {
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        target: name.into(),
        device: Device { name: name.into(), ..Device::default() },
        partition: None,
        layer,
        started_unix_ms: None,
        utc_offset_s: 0,
        has_names: false,
        origin,
    }
}

#[cfg(test)]
mod tests;
