//! The lines of log files. They are made by the million while the run goes on, so what neighbouring lines have in
//! common is formatted once.

use plan::Ddir;
use record::Histogram;

use super::destination::{Columns, Destination, Kind};
use super::entry::{Entry, What};
use super::histogram::Snapshot;

/// No column is longer than a separator and the digits of `u64::MAX`.
const COLUMN_BYTES: usize = 2 + 20;
/// Seven columns at most, and some room for what is copied in whole blocks.
const LINE_BYTES: usize = 8 * COLUMN_BYTES;
const REAL_TIME_CLASS: u16 = 1;

/// Lines of one file, in memory that is used again and again.
#[derive(Default)]
pub struct Lines {
    bytes: Vec<u8>,
    len: usize,
}

impl Lines {
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Empties the memory and makes room for so many bytes.
    fn restart(&mut self, room: usize) {
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
        self.len = 0;
    }

    #[inline]
    fn push(&mut self, text: &[u8]) {
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    /// Copies the whole block, which is faster than its unknown length, and counts what is text.
    #[inline]
    fn push_block<const N: usize>(&mut self, block: &Block<N>) {
        self.bytes[self.len..self.len + N].copy_from_slice(&block.bytes);
        self.len += block.len;
    }

    #[inline]
    fn push_number(&mut self, mut value: u64) {
        let digits = value.checked_ilog10().unwrap_or(0) as usize + 1;
        let text = &mut self.bytes[self.len..self.len + digits];
        for place in text.iter_mut().rev() {
            *place = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.len += digits;
    }

    #[inline]
    fn push_column(&mut self, value: u64) {
        self.push(b", ");
        self.push_number(value);
    }

    /// The lines that `entries` mean for the log of one kind.
    pub fn fill(&mut self, kind: Kind, destination: &Destination, entries: &[Entry]) {
        self.restart((entries.len() + 1) * LINE_BYTES);
        let each_io = destination.file(kind).is_some_and(|file| file.each_io);
        let mut same = Same::new(destination);
        for entry in entries {
            match entry.what {
                What::Window(of) if of == kind => self.push_window(entry, destination.columns),
                What::Submitted if kind == Kind::Slat => self.push_io(entry, entry.value, entry.issue_ns, &mut same),
                What::Completed if each_io => match kind {
                    Kind::Clat => self.push_io(entry, entry.value, entry.issue_ns, &mut same),
                    Kind::Lat => self.push_io(entry, entry.second_value, 0, &mut same),
                    Kind::Bandwidth => self.push_io(entry, kib_per_s(entry.bytes, entry.value), 0, &mut same),
                    Kind::Iops => self.push_io(entry, 1, 0, &mut same),
                    Kind::Slat | Kind::ClatHistogram => {}
                },
                _ => {}
            }
        }
    }

    #[inline]
    fn push_io(&mut self, entry: &Entry, value: u64, issue_ns: u64, same: &mut Same) {
        same.take(entry);
        self.push_block(&same.head);
        self.push_number(value);
        self.push_block(&same.middle);
        if same.columns.offset {
            self.push_column(entry.offset);
        }
        self.push_block(&same.prio);
        if same.columns.issue_time {
            self.push_column(issue_ns);
        }
        self.push(b"\n");
    }

    fn push_window(&mut self, entry: &Entry, columns: Columns) {
        self.push_number(entry.time_ms);
        self.push_column(entry.value);
        if columns.second_value {
            self.push_column(entry.second_value);
        }
        self.push_column(entry.ddir as u64);
        self.push(b", 0");
        if columns.offset {
            self.push(b", 0");
        }
        self.push(prio_column(0, columns).text());
        if columns.issue_time {
            self.push(b", 0");
        }
        self.push(b"\n");
    }

    /// The line of a histogram, neighbouring bins added up as the coarseness says.
    pub fn fill_histogram(&mut self, snapshot: &Snapshot) {
        self.restart((Histogram::FIO_BINS + 3) * COLUMN_BYTES);
        let Some(histogram) = &snapshot.histogram else { return };
        let bins_per_column = snapshot.destination.bins_per_column;
        self.push_number(snapshot.time_ms);
        self.push_column(snapshot.ddir as u64);
        self.push_column(snapshot.bytes);
        for first in (0..Histogram::FIO_BINS).step_by(bins_per_column) {
            let bins = first..first + bins_per_column;
            self.push_column(bins.map(|index| histogram.fio_bin(index)).sum());
        }
        self.push(b"\n");
    }
}

/// Bandwidth of a single I/O, as if there had been nothing beside it.
fn kib_per_s(bytes: u64, ns: u64) -> u64 {
    // An I/O has less than 2^32 bytes, so this does not overflow.
    bytes.saturating_mul(1_000_000_000).checked_div(ns.saturating_mul(1024)).unwrap_or(0)
}

/// A short text of less than `N` bytes.
struct Block<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Block<N> {
    fn new(text: &str) -> Self {
        let len = text.len().min(N);
        let mut bytes = [0; N];
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Block { bytes, len }
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

fn prio_column(prio: u16, columns: Columns) -> Block<8> {
    if columns.prio {
        Block::new(&format!(", 0x{prio:04x}"))
    } else {
        Block::new(if prio >> 13 == REAL_TIME_CLASS { ", 1" } else { ", 0" })
    }
}

/// What a line has in common with the one before: time, direction and size, as a rule.
struct Same {
    columns: Columns,
    prio: Block<8>,
    time_ms: u64,
    head: Block<24>,
    ddir: Ddir,
    bytes: u64,
    /// The columns between value and offset.
    middle: Block<32>,
}

impl Same {
    fn new(destination: &Destination) -> Self {
        let columns = destination.columns;
        let prio = prio_column(destination.prio, columns);
        let mut same = Same {
            columns,
            prio,
            time_ms: 0,
            head: Block::new("0, "),
            ddir: Ddir::Read,
            bytes: 0,
            middle: Block::new(""),
        };
        same.set_middle(Ddir::Read, 0);
        same
    }

    #[inline]
    fn take(&mut self, entry: &Entry) {
        if entry.time_ms != self.time_ms {
            self.time_ms = entry.time_ms;
            self.head = Block::new(&format!("{}, ", entry.time_ms));
        }
        if (entry.ddir, entry.bytes) != (self.ddir, self.bytes) {
            self.set_middle(entry.ddir, entry.bytes);
        }
    }

    fn set_middle(&mut self, ddir: Ddir, bytes: u64) {
        // A single I/O has no second value, yet its column.
        let second = if self.columns.second_value { ", 0" } else { "" };
        (self.ddir, self.bytes) = (ddir, bytes);
        self.middle = Block::new(&format!("{second}, {}, {bytes}", ddir as u8));
    }
}
