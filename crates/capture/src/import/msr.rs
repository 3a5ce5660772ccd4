//! Traces in the CSV form of MSR Cambridge (SNIA IOTTA): time, host, disk, type, offset, size, response time.
//!
//! Times are in units of 100 ns; the first is counted from 1601 (FILETIME of Windows).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::BufRead;

use super::error::ImportError;
use super::lines::Lines;
use crate::io::{Flags, Io, Operation, SECTOR_BYTES};

const NS_PER_UNIT: u64 = 100;
/// 1970-01-01, in units of 100 ns since 1601-01-01.
const UNIX_EPOCH: u64 = 116_444_736_000_000_000;
const UNITS_PER_MS: u64 = 10_000;
/// I/Os that are read ahead: the lines are nearly in the order of their times.
const AHEAD: usize = 1 << 12;

/// Start, number of the line, operation, sector, sectors and response time of an I/O, in the order of comparison.
type Line = (u64, u64, Operation, u64, u32, u64);

pub struct Msr<R> {
    lines: Lines<R>,
    /// Host and disk.
    disk: Option<(String, String)>,
    ahead: BinaryHeap<Reverse<Line>>,
    first: Option<u64>,
    last: u64,
}

impl<R: BufRead> Msr<R> {
    pub fn new(lines: Lines<R>) -> Result<Msr<R>, ImportError> {
        Ok(Msr { lines, disk: None, ahead: BinaryHeap::new(), first: None, last: 0 })
    }

    /// Returns the time of the first I/O, in ms since 1970.
    pub fn started_unix_ms(&self) -> Option<u64> {
        Some(self.first?.saturating_sub(UNIX_EPOCH) / UNITS_PER_MS)
    }

    pub fn next_io(&mut self) -> Result<Option<Io>, ImportError> {
        while self.ahead.len() < AHEAD {
            let Some(line) = self.lines.next()? else { break };
            if line.is_empty() {
                continue;
            }
            let parsed = parse(line).map(|(fields, line)| ((fields.0.to_owned(), fields.1.to_owned()), line));
            let (disk, (start, operation, sector, sectors, response)) =
                parsed.map_err(|what| self.lines.error(what))?;
            if *self.disk.get_or_insert_with(|| disk.clone()) != disk {
                return Err(self.lines.error("it is of another disk than those before; import one disk at a time"));
            }
            self.ahead.push(Reverse((start, self.lines.number, operation, sector, sectors, response)));
        }
        let Some(Reverse((start, number, operation, sector, sectors, response))) = self.ahead.pop() else {
            return Ok(None);
        };
        if start < self.last {
            return Err(ImportError::Line { line: number, what: "it is more than 4096 lines after its time" });
        }
        self.last = start;
        let first = *self.first.get_or_insert(start);
        Ok(Some(Io {
            start_ns: (start - first).saturating_mul(NS_PER_UNIT),
            operation,
            flags: Flags::default(),
            sector,
            sectors,
            inserted_ns: None,
            issued_ns: None,
            completed_ns: Some(response.saturating_mul(NS_PER_UNIT)),
            program: None,
        }))
    }
}

impl Msr<()> {
    /// Returns true if a line has the form.
    pub fn begins(line: &str) -> bool {
        parse(line).is_ok()
    }
}

/// Host and disk of a line, and its I/O.
type Fields<'a> = ((&'a str, &'a str), (u64, Operation, u64, u32, u64));

fn parse(line: &str) -> Result<Fields<'_>, &'static str> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [time, host, disk, kind, offset, size, response] = fields.as_slice() else {
        return Err("it does not have seven fields: time, host, disk, type, offset, size, response time");
    };
    let number = |text: &str, what: &'static str| text.parse::<u64>().map_err(|_| what);
    let start = number(time, "the time is not a number")?;
    let operation = match kind.to_ascii_lowercase().as_str() {
        "read" => Operation::Read,
        "write" => Operation::Write,
        _ => return Err("its type is neither Read nor Write"),
    };
    let offset = number(offset, "the offset is not a number")?;
    let size = number(size, "the size is not a number")?;
    let response = number(response, "the response time is not a number")?;
    let sectors = u32::try_from(size.div_ceil(SECTOR_BYTES)).map_err(|_| "its size is too large")?;
    Ok(((host, disk), (start, operation, offset / SECTOR_BYTES, sectors, response)))
}
