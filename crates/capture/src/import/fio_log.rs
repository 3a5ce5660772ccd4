//! Logs of fio: I/Os without completions.

use std::io::BufRead;

use iolog::{Action, BadEntry, Place, Steps};
use plan::{Ddir, ReplayRules};

use super::error::ImportError;
use crate::io::{Flags, Io, Operation, SECTOR_BYTES};

pub struct FioLog<R> {
    steps: Steps<R>,
    at_ns: u64,
    ios: u64,
}

impl<R: BufRead> FioLog<R> {
    pub fn new(input: R) -> Result<FioLog<R>, ImportError> {
        Ok(FioLog { steps: Steps::new(input, &ReplayRules::default(), true)?, at_ns: 0, ios: 0 })
    }

    pub fn next_io(&mut self) -> Result<Option<Io>, ImportError> {
        loop {
            let step = self.steps.next()?;
            if let Some((place, why)) = self.steps.ignored().first {
                return Err(error(place, why));
            }
            let Some(step) = step else {
                return if self.ios > 1 && self.at_ns == 0 { Err(ImportError::NoTimes) } else { Ok(None) };
            };
            self.at_ns = self.at_ns.saturating_add(step.delay_ns);
            let operation = match step.action {
                Action::Io(Ddir::Read) => Operation::Read,
                Action::Io(Ddir::Write) => Operation::Write,
                Action::Io(Ddir::Trim) => Operation::Discard,
                Action::Fsync | Action::Fdatasync => Operation::Flush,
                Action::Add | Action::Open | Action::Close => continue,
                Action::Wait => {
                    self.at_ns = self.at_ns.max(step.offset.saturating_mul(1_000_000));
                    continue;
                }
            };
            self.ios += 1;
            let sectors = u64::from(step.bytes).div_ceil(SECTOR_BYTES) as u32;
            return Ok(Some(Io {
                start_ns: self.at_ns,
                operation,
                flags: Flags::default(),
                sector: step.offset / SECTOR_BYTES,
                sectors: if operation == Operation::Flush { 0 } else { sectors },
                inserted_ns: None,
                issued_ns: None,
                completed_ns: None,
                program: None,
            }));
        }
    }
}

fn error(place: Place, why: BadEntry) -> ImportError {
    let what = match why {
        BadEntry::Fields => "it is no entry of this version of the log",
        BadEntry::Action => "its action is unknown",
        BadEntry::File => "no line before it adds its file",
        BadEntry::Wait => "a log of version 3 has no waits",
        BadEntry::Range => "its I/O has no bytes or is beyond the largest offset",
        BadEntry::Incomplete => "the log ends within it",
    };
    match place {
        Place::Line(line) => ImportError::Line { line, what },
        Place::Record(record) => ImportError::Record { record, what },
    }
}
