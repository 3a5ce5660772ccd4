//! Traces in the CSV form of MSR Cambridge (SNIA IOTTA): time, host, disk, type, offset, size, response time.
//!
//! Times are in units of 100 ns; the first is counted from 1601 (FILETIME of Windows).

use std::io::BufRead;

use super::error::ImportError;
use super::lines::Lines;
use super::order::{Entry, Ordered};
use crate::io::{Flags, Io, Operation, SECTOR_BYTES};

const NS_PER_UNIT: u64 = 100;
/// 1970-01-01, in units of 100 ns since 1601-01-01.
const UNIX_EPOCH: u64 = 116_444_736_000_000_000;
const UNITS_PER_MS: u64 = 10_000;
pub struct Msr<R> {
    entries: Entries<R>,
    order: Ordered<Io>,
    /// Time of the first I/O, in units since 1601.
    first: Option<u64>,
}

/// The I/Os in the order of the lines.
struct Entries<R> {
    lines: Lines<R>,
    /// Host and disk.
    disk: Option<(String, String)>,
}

impl<R: BufRead> Msr<R> {
    pub fn new(lines: Lines<R>) -> Result<Msr<R>, ImportError> {
        Ok(Msr { entries: Entries { lines, disk: None }, order: Ordered::default(), first: None })
    }

    /// Returns the time of the first I/O, in ms since 1970.
    pub fn started_unix_ms(&self) -> Option<u64> {
        Some(self.first?.saturating_sub(UNIX_EPOCH) / UNITS_PER_MS)
    }

    pub fn next_io(&mut self) -> Result<Option<Io>, ImportError> {
        let entries = &mut self.entries;
        let next = self.order.next(|| entries.next(), |line, what| ImportError::Line { line, what })?;
        Ok(next.map(|Entry { at, value, .. }| {
            let first = *self.first.get_or_insert(at);
            Io { start_ns: (at - first).saturating_mul(NS_PER_UNIT), ..value }
        }))
    }
}

impl<R: BufRead> Entries<R> {
    fn next(&mut self) -> Result<Option<Entry<Io>>, ImportError> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if line.is_empty() {
                continue;
            }
            let parsed = parse(line).map(|(fields, line)| ((fields.0.to_owned(), fields.1.to_owned()), line));
            let (disk, (at, operation, sector, sectors, response)) = parsed.map_err(|what| self.lines.error(what))?;
            if *self.disk.get_or_insert_with(|| disk.clone()) != disk {
                return Err(self.lines.error("it is of another disk than those before; import one disk at a time"));
            }
            let io = Io {
                start_ns: 0,
                operation,
                flags: Flags::default(),
                sector,
                sectors,
                inserted_ns: None,
                issued_ns: None,
                completed_ns: Some(response.saturating_mul(NS_PER_UNIT)),
                program: None,
            };
            return Ok(Some(Entry { at, number: self.lines.number, value: io }));
        }
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
