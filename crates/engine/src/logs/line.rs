//! Formats the lines of log files. A run can have millions of lines, so columns that neighbouring lines share are formatted
//! once.

use iolog::samples::SampleColumns;
use plan::Ddir;
use record::Histogram;

use super::destination::{Destination, Kind};
use super::entry::{Entry, Logged};
use super::snapshot::Snapshot;

/// Maximum size of a column: a separator and the digits of `u64::MAX`.
const COLUMN_BYTES: usize = 2 + 20;
/// At most seven columns, and room for the copies of whole blocks.
const LINE_BYTES: usize = 8 * COLUMN_BYTES;
const REAL_TIME_CLASS: u16 = 1;

/// Lines of one file, in reusable memory.
#[derive(Default)]
pub struct Lines {
    bytes: Vec<u8>,
    len: usize,
}

impl Lines {
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Clears the lines and reserves `room` bytes.
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

    /// Appends a block. Copying its fixed capacity is faster than copying its length.
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

    /// Formats the lines of one kind of log.
    pub fn fill(&mut self, kind: Kind, destination: &Destination, entries: &[Entry]) {
        self.restart((entries.len() + 1) * LINE_BYTES);
        let each_io = destination.file(kind).is_some_and(|file| file.each_io);
        let mut common = CommonColumns::new(destination);
        for entry in entries {
            match entry.logged(kind, each_io) {
                Some(Logged::Window) => self.push_window(entry, destination.columns),
                Some(Logged::Io { value, issue_ns }) => self.push_io(entry, value, issue_ns, &mut common),
                None => {}
            }
        }
    }

    #[inline]
    fn push_io(&mut self, entry: &Entry, value: u64, issue_ns: u64, common: &mut CommonColumns) {
        common.take(entry);
        self.push_block(&common.head);
        self.push_number(value);
        self.push_block(&common.middle);
        if common.columns.offset {
            self.push_column(entry.offset);
        }
        self.push_block(&common.prio);
        if common.columns.issue_time {
            self.push_column(issue_ns);
        }
        self.push(b"\n");
    }

    fn push_window(&mut self, entry: &Entry, columns: SampleColumns) {
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

    /// Formats the line of a histogram. The coarseness says how many bins a column adds up.
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

/// A text of at most `N` bytes.
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

fn prio_column(prio: u16, columns: SampleColumns) -> Block<8> {
    if columns.priority {
        Block::new(&format!(", 0x{prio:04x}"))
    } else {
        Block::new(if prio >> 13 == REAL_TIME_CLASS { ", 1" } else { ", 0" })
    }
}

/// Columns that are usually equal in consecutive lines: time, direction, size and priority.
struct CommonColumns {
    columns: SampleColumns,
    /// Priority of the worker.
    worker_prio: u16,
    /// Priority of the last entry, and its column.
    entry_prio: u16,
    prio: Block<8>,
    time_ms: u64,
    head: Block<24>,
    ddir: Ddir,
    bytes: u64,
    /// The columns between value and offset.
    middle: Block<32>,
}

impl CommonColumns {
    fn new(destination: &Destination) -> Self {
        let columns = destination.columns;
        let prio = prio_column(destination.prio, columns);
        let mut common = CommonColumns {
            columns,
            worker_prio: destination.prio,
            entry_prio: 0,
            prio,
            time_ms: 0,
            head: Block::new("0, "),
            ddir: Ddir::Read,
            bytes: 0,
            middle: Block::new(""),
        };
        common.set_middle(Ddir::Read, 0);
        common
    }

    #[inline]
    fn take(&mut self, entry: &Entry) {
        if entry.time_ms != self.time_ms {
            self.time_ms = entry.time_ms;
            self.head = Block::new(&format!("{}, ", entry.time_ms));
        }
        if entry.prio != self.entry_prio {
            self.entry_prio = entry.prio;
            let prio = if entry.prio == 0 { self.worker_prio } else { entry.prio };
            self.prio = prio_column(prio, self.columns);
        }
        if (entry.ddir, entry.bytes) != (self.ddir, self.bytes) {
            self.set_middle(entry.ddir, entry.bytes);
        }
    }

    fn set_middle(&mut self, ddir: Ddir, bytes: u64) {
        // A single I/O has an empty second value.
        let second = if self.columns.second_value { ", 0" } else { "" };
        (self.ddir, self.bytes) = (ddir, bytes);
        self.middle = Block::new(&format!("{second}, {}, {bytes}", ddir as u8));
    }
}
