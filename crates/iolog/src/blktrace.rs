//! Traces of blktrace, as `blkparse -d` writes them: records of `linux/blktrace_api.h`, in the byte order of the machine
//! that wrote them.

use std::io::{self, BufRead};
use std::ops::Range;

use plan::Ddir;

use super::entry::{Action, Entry, Found, is_addressable};
use super::error::{BadEntry, Ignored, LogError, Place};
use super::files::Files;

/// Upper 24 bits of the first word. The version is below.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
const RECORD_BYTES: usize = 48;
const SECTOR_BYTES: u64 = 512;
/// Fields of a record.
const FIELDS: [Range<usize>; 11] =
    [0..4, 4..8, TIME, 16..24, 24..28, 28..32, 32..36, 36..40, 40..44, 44..46, DATA_LENGTH];
const TIME: Range<usize> = 8..16;
/// Number of bytes of data that follow the record.
const DATA_LENGTH: Range<usize> = 46..48;

/// Bit of the lower half: the id of a control group follows the record.
const OF_CGROUP: u32 = 1 << 8;

/// Lower half of an action: what happened to the request.
const QUEUED: u32 = 1;
const BACK_MERGED: u32 = 2;
const FRONT_MERGED: u32 = 3;
const COMPLETED: u32 = 8;

/// Upper half of an action: categories.
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;

/// Stacked devices have no completions. Larger depths come from them.
const DEPTH_MAX: u32 = 1024;

/// Reads the records of a trace one by one.
#[derive(Debug)]
pub struct BinaryLog {
    is_swapped: bool,
    record: u64,
    depths: Depths,
}

/// A record of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    pub time_ns: u64,
    /// Sector of 512 bytes.
    pub sector: u64,
    pub bytes: u32,
    /// What happened (lower half) to which category of requests (upper half).
    pub action: u32,
    pub device: u32,
    pub error: u16,
}

/// A queued request with all fields of its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RawRecord {
    pub(super) time_ns: u64,
    native: [u8; RECORD_BYTES],
}

impl Record {
    /// Returns what happened (`enum blktrace_act`).
    pub fn what(&self) -> u32 {
        self.action & 0xffff & !OF_CGROUP
    }
}

impl RawRecord {
    /// Returns the bytes of the record, with its time.
    pub(super) fn bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = self.native;
        bytes[TIME].copy_from_slice(&self.time_ns.to_ne_bytes());
        bytes
    }
}

impl BinaryLog {
    /// Returns the reader of an input that begins as a trace does.
    pub fn of(beginning: &[u8]) -> Option<Self> {
        let first = beginning.first_chunk::<4>()?;
        let is_magic = |word: u32| word & 0xffff_ff00 == MAGIC;
        let is_swapped = match (is_magic(u32::from_ne_bytes(*first)), is_magic(u32::from_ne_bytes(*first).swap_bytes()))
        {
            (true, _) => false,
            (false, true) => true,
            (false, false) => return None,
        };
        Some(BinaryLog { is_swapped, record: 0, depths: Depths::default() })
    }

    /// Returns the next queued request. `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read, or has a record of another format.
    pub(super) fn next(
        &mut self,
        input: &mut impl BufRead,
        files: &mut Files,
        ignored: &mut Ignored,
    ) -> Result<Option<Found>, LogError> {
        loop {
            let mut bytes = [0; RECORD_BYTES];
            match read_up_to(input, &mut bytes)? {
                0 => return Ok(None),
                RECORD_BYTES => self.record += 1,
                _ => {
                    ignored.add(Place::Record(self.record + 1), BadEntry::Incomplete);
                    return Ok(None);
                }
            }
            let record = self.parse(&bytes, input)?;
            if record.action & NOTIFY != 0 {
                continue;
            }
            self.depths.count(&record);
            if record.what() != QUEUED {
                continue;
            }
            let entry = entry(&record, files);
            if let Err(why) = entry {
                ignored.add(Place::Record(self.record), why);
            }
            return Ok(Some(Found { entry: entry.ok(), time_ns: Some(record.time_ns) }));
        }
    }

    /// Returns the number of the last record, from 1.
    pub fn position(&self) -> u64 {
        self.record
    }

    /// Returns the next record of a request. `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read, ends within a record, or has a record of another format.
    pub fn next_record(&mut self, input: &mut impl BufRead) -> Result<Option<Record>, LogError> {
        loop {
            let mut bytes = [0; RECORD_BYTES];
            let length = read_up_to(input, &mut bytes)?;
            if length == 0 {
                return Ok(None);
            }
            self.record += 1;
            if length < RECORD_BYTES {
                return Err(LogError::BadRecord { record: self.record });
            }
            let record = self.parse(&bytes, input)?;
            if record.action & NOTIFY == 0 {
                return Ok(Some(record));
            }
        }
    }

    /// Returns the next queued read, write or trim, with all of its fields. `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read, or has a record of another format.
    pub(super) fn next_request(&mut self, input: &mut impl BufRead) -> Result<Option<RawRecord>, LogError> {
        loop {
            let mut bytes = [0; RECORD_BYTES];
            if read_up_to(input, &mut bytes)? < RECORD_BYTES {
                return Ok(None);
            }
            self.record += 1;
            let record = self.parse(&bytes, input)?;
            let is_io = record.action & NOTIFY == 0 && record.action & (READ | WRITE | DISCARD) != 0;
            if is_io && record.what() == QUEUED {
                return Ok(Some(RawRecord { time_ns: record.time_ns, native: self.native(bytes) }));
            }
        }
    }

    /// Returns a record in the byte order of this machine, without data behind it.
    fn native(&self, mut bytes: [u8; RECORD_BYTES]) -> [u8; RECORD_BYTES] {
        if self.is_swapped {
            FIELDS.iter().for_each(|field| bytes[field.clone()].reverse());
        }
        bytes[DATA_LENGTH].fill(0);
        bytes
    }

    /// Parses a record, and skips the data behind it.
    fn parse(&self, bytes: &[u8; RECORD_BYTES], input: &mut impl BufRead) -> Result<Record, LogError> {
        let u16_at = |at: usize| self.order(u16::from_ne_bytes(array(bytes, at)), u16::swap_bytes);
        let u32_at = |at: usize| self.order(u32::from_ne_bytes(array(bytes, at)), u32::swap_bytes);
        let u64_at = |at: usize| self.order(u64::from_ne_bytes(array(bytes, at)), u64::swap_bytes);
        if u32_at(0) != MAGIC | VERSION {
            return Err(LogError::BadRecord { record: self.record });
        }
        skip(input, usize::from(u16_at(46)))?;
        Ok(Record {
            time_ns: u64_at(8),
            sector: u64_at(16),
            bytes: u32_at(24),
            action: u32_at(28),
            device: u32_at(36),
            error: u16_at(44),
        })
    }

    fn order<T>(&self, value: T, swap: fn(T) -> T) -> T {
        if self.is_swapped { swap(value) } else { value }
    }

    /// Returns the largest number of requests that were queued at a time.
    pub(super) fn depth(&self) -> u32 {
        self.depths.largest.into_iter().max().unwrap_or(0).clamp(1, DEPTH_MAX)
    }
}

fn array<const N: usize>(bytes: &[u8; RECORD_BYTES], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

fn entry(record: &Record, files: &mut Files) -> Result<Entry, BadEntry> {
    let action = if record.action & DISCARD != 0 {
        Action::Io(Ddir::Trim)
    } else if record.action & FLUSH != 0 {
        Action::Fsync
    } else if record.action & WRITE != 0 {
        Action::Io(Ddir::Write)
    } else {
        Action::Io(Ddir::Read)
    };
    let file = files.add(&format!("{}:{}", record.device >> 20, record.device & 0xf_ffff));
    if action == Action::Fsync {
        return Ok(Entry { action, file, offset: 0, bytes: 0 });
    }
    let offset = record.sector.checked_mul(SECTOR_BYTES).ok_or(BadEntry::Range)?;
    if record.bytes == 0 || !is_addressable(offset, record.bytes) {
        return Err(BadEntry::Range);
    }
    Ok(Entry { action, file, offset, bytes: record.bytes })
}

/// Queued requests by direction.
#[derive(Debug, Default)]
struct Depths {
    now: [u32; 3],
    largest: [u32; 3],
}

impl Depths {
    fn count(&mut self, record: &Record) {
        let ddir = match record.action {
            action if action & READ != 0 => Ddir::Read,
            action if action & WRITE != 0 => Ddir::Write,
            action if action & DISCARD != 0 => Ddir::Trim,
            _ => return,
        } as usize;
        match record.what() {
            QUEUED => self.now[ddir] = self.now[ddir].saturating_add(1),
            BACK_MERGED | FRONT_MERGED => self.now[ddir] = self.now[ddir].saturating_sub(1),
            COMPLETED => {
                self.largest[ddir] = self.largest[ddir].max(self.now[ddir]);
                self.now[ddir] = 0;
            }
            _ => {}
        }
    }
}

/// Reads until the buffer is full or the input ends. Returns the number of bytes.
fn read_up_to(input: &mut impl BufRead, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Skips bytes, up to the end of the input.
fn skip(input: &mut impl BufRead, mut bytes: usize) -> io::Result<()> {
    while bytes > 0 {
        let available = input.fill_buf()?.len().min(bytes);
        if available == 0 {
            break;
        }
        input.consume(available);
        bytes -= available;
    }
    Ok(())
}
