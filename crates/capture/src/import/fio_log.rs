//! Logs of fio: I/Os without completions.

use std::io::BufRead;

use iolog::{Action, BadEntry, Found, Place, Reader};
use plan::Ddir;

use super::error::ImportError;
use super::order::{Entry, Ordered};
use crate::io::{Flags, Io, Operation, SECTOR_BYTES};

/// Threads of one run write to its log nearly in the order of their times. fio appends: a time that is earlier by more is that of
/// another run.
const BACK_NS_MAX: u64 = 1_000_000_000;

pub struct FioLog<R> {
    entries: Entries<R>,
    order: Ordered<Io>,
    /// Time of the first I/O, which is time 0.
    first_ns: Option<u64>,
    ios: u64,
}

/// The I/Os in the order of the log.
struct Entries<R> {
    reader: Reader<R>,
    /// Index of the file of the I/Os.
    file: Option<u32>,
    /// Latest time so far.
    latest_ns: u64,
    /// Time of the last wait of a log without times.
    waited_ns: u64,
}

impl<R: BufRead> FioLog<R> {
    pub fn new(input: R) -> Result<FioLog<R>, ImportError> {
        let entries = Entries { reader: Reader::new(input, true)?, file: None, latest_ns: 0, waited_ns: 0 };
        Ok(FioLog { entries, order: Ordered::default(), first_ns: None, ios: 0 })
    }

    pub fn next_io(&mut self) -> Result<Option<Io>, ImportError> {
        let entries = &mut self.entries;
        let next = self.order.next(|| entries.next(), |line, what| ImportError::Line { line, what })?;
        let Some(Entry { at, value: io, .. }) = next else {
            let has_no_times = self.ios > 1 && self.first_ns == Some(self.entries.latest_ns);
            return if has_no_times { Err(ImportError::NoTimes) } else { Ok(None) };
        };
        self.ios += 1;
        let first_ns = *self.first_ns.get_or_insert(at);
        Ok(Some(Io { start_ns: at - first_ns, ..io }))
    }
}

impl<R: BufRead> Entries<R> {
    fn next(&mut self) -> Result<Option<Entry<Io>>, ImportError> {
        loop {
            let found = self.reader.next()?;
            if let Some((place, why)) = self.reader.ignored.first {
                return Err(error(place, bad(why)));
            }
            let Some(found) = found else { return Ok(None) };
            if let Some(entry) = self.io(&found)? {
                return Ok(Some(entry));
            }
        }
    }

    /// Returns the I/O of an entry, at its time in the log; `None` of an entry that is no I/O.
    fn io(&mut self, found: &Found) -> Result<Option<Entry<Io>>, ImportError> {
        let Some(entry) = found.entry else { return Ok(None) };
        let operation = match entry.action {
            Action::Io(Ddir::Read) => Operation::Read,
            Action::Io(Ddir::Write) => Operation::Write,
            Action::Io(Ddir::Trim) => Operation::Discard,
            Action::Fsync | Action::Fdatasync => Operation::Flush,
            Action::Add | Action::Open | Action::Close => return Ok(None),
            Action::Wait => {
                self.waited_ns = self.waited_ns.max(entry.offset.saturating_mul(1_000_000));
                return Ok(None);
            }
        };
        let at = found.time_ns.unwrap_or(self.waited_ns);
        let place = self.reader.position();
        if at.saturating_add(BACK_NS_MAX) < self.latest_ns {
            return Err(error(
                place,
                "its time is more than 1 s before that of an earlier line; import one run at a time",
            ));
        }
        if *self.file.get_or_insert(entry.file) != entry.file {
            return Err(error(place, "it is of another file than those before; import one file at a time"));
        }
        self.latest_ns = self.latest_ns.max(at);
        let sectors = u64::from(entry.bytes).div_ceil(SECTOR_BYTES) as u32;
        let io = Io {
            start_ns: at,
            operation,
            flags: Flags::default(),
            sector: entry.offset / SECTOR_BYTES,
            sectors: if operation == Operation::Flush { 0 } else { sectors },
            inserted_ns: None,
            issued_ns: None,
            completed_ns: None,
            program: None,
        };
        let (Place::Line(number) | Place::Record(number)) = place;
        Ok(Some(Entry { at, number, value: io }))
    }
}

fn bad(why: BadEntry) -> &'static str {
    match why {
        BadEntry::Fields => "it is no entry of this version of the log",
        BadEntry::Action => "its action is unknown",
        BadEntry::File => "no line before it adds its file",
        BadEntry::Wait => "a log of version 3 has no waits",
        BadEntry::Range => "its I/O has no bytes or is beyond the largest offset",
        BadEntry::Incomplete => "the log ends within it",
    }
}

fn error(place: Place, what: &'static str) -> ImportError {
    match place {
        Place::Line(line) => ImportError::Line { line, what },
        Place::Record(record) => ImportError::Record { record, what },
    }
}
