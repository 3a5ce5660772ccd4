//! Binary traces of blktrace.
//!
//! Actions: `enum blktrace_act` and `enum blktrace_cat` of `linux/blktrace_api.h`.

use std::io::BufRead;

use iolog::{BinaryLog, Record};

use super::error::ImportError;
use super::events::{Events, Traced};
use crate::event::{Event, Kind};
use crate::io::{Flags, Operation, SECTOR_BYTES};

/// Categories, in the upper half of an action.
const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const SYNC: u32 = 1 << 3;
const PASSED_THROUGH: u32 = 1 << 9;
const READ_AHEAD: u32 = 1 << 11;
const METADATA: u32 = 1 << 12;
const DISCARD: u32 = 1 << 13;
const FORCED: u32 = 1 << 15;

pub struct Blktrace<R> {
    log: BinaryLog,
    input: R,
    device: Option<u32>,
}

impl<R: BufRead> Blktrace<R> {
    pub fn new(log: BinaryLog, input: R) -> Blktrace<R> {
        Blktrace { log, input, device: None }
    }
}

impl<R: BufRead> Events for Blktrace<R> {
    fn next(&mut self) -> Result<Option<(Traced, Event)>, ImportError> {
        while let Some(record) = self.log.next_record(&mut self.input)? {
            let Some(traced) = traced(&record) else { continue };
            if *self.device.get_or_insert(record.device) != record.device {
                let what = "it is of another device than those before; import one device at a time";
                return Err(ImportError::Record { record: self.log.position(), what });
            }
            return Ok(Some((traced, event(&record))));
        }
        Ok(None)
    }

    fn number(&self) -> u64 {
        self.log.position()
    }

    fn error(record: u64, what: &'static str) -> ImportError {
        ImportError::Record { record, what }
    }
}

fn traced(record: &Record) -> Option<Traced> {
    Some(match record.what() {
        1 => Traced::Queued,
        2 => Traced::Other(Kind::BackMerge),
        3 => Traced::Other(Kind::FrontMerge),
        4 => Traced::Requested,
        6 => Traced::Other(Kind::Requeue),
        7 => Traced::Other(Kind::Issue),
        8 => Traced::Other(Kind::Complete),
        12 => Traced::Other(Kind::Insert),
        13 => Traced::Other(Kind::Split { next: 0 }),
        _ => return None,
    })
}

fn event(record: &Record) -> Event {
    let category = record.action >> 16;
    let has = |bit: u32| category & bit != 0;
    let sectors = (u64::from(record.bytes) / SECTOR_BYTES) as u32;
    let operation = match () {
        () if has(PASSED_THROUGH) => Operation::Other,
        () if has(DISCARD) => Operation::Discard,
        () if has(FLUSH) && sectors == 0 => Operation::Flush,
        () if has(WRITE) => Operation::Write,
        () => Operation::Read,
    };
    let flags = [
        (FORCED, Flags::FORCED),
        (SYNC, Flags::SYNC),
        (METADATA, Flags::METADATA),
        (READ_AHEAD, Flags::READ_AHEAD),
        (FLUSH, Flags::FLUSH_BEFORE),
    ];
    let flags = flags.iter().filter(|(bit, _)| has(*bit)).fold(Flags::default(), |all, (_, flag)| all.with(*flag));
    let flags = if record.error == 0 { flags } else { flags.with(Flags::FAILED) };
    Event { at_ns: record.time_ns, kind: Kind::Insert, thread: None, operation, flags, sector: record.sector, sectors }
}
