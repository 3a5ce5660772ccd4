//! The lines of log files.

use record::Histogram;

use super::destination::{Columns, Destination, Kind};
use super::entry::{Entry, What};
use super::histogram::Snapshot;

/// Adds the lines that `entries` mean for the log of one kind.
pub fn push_lines(out: &mut Vec<u8>, kind: Kind, destination: &Destination, entries: &[Entry]) {
    let each_io = destination.file(kind).is_some_and(|file| file.each_io);
    for entry in entries {
        match entry.what {
            What::Window(of) if of == kind => push_line(out, entry, entry.value, 0, destination.columns),
            What::Submitted if kind == Kind::Slat => {
                push_io(out, entry, entry.value, entry.issue_ns, destination);
            }
            What::Completed if each_io => match kind {
                Kind::Clat => push_io(out, entry, entry.value, entry.issue_ns, destination),
                Kind::Lat => push_io(out, entry, entry.second_value, 0, destination),
                Kind::Bandwidth => push_io(out, entry, kib_per_s(entry.bytes, entry.value), 0, destination),
                Kind::Iops => push_io(out, entry, 1, 0, destination),
                Kind::Slat | Kind::ClatHistogram => {}
            },
            _ => {}
        }
    }
}

/// Bandwidth of a single I/O, as if there had been nothing beside it.
fn kib_per_s(bytes: u64, ns: u64) -> u64 {
    if ns == 0 { 0 } else { (u128::from(bytes) * 1_000_000_000 / 1024 / u128::from(ns)) as u64 }
}

fn push_io(out: &mut Vec<u8>, entry: &Entry, value: u64, issue_ns: u64, destination: &Destination) {
    let entry = Entry { second_value: 0, issue_ns, ..*entry };
    push_line(out, &entry, value, destination.prio, destination.columns);
}

fn push_line(out: &mut Vec<u8>, entry: &Entry, value: u64, prio: u16, columns: Columns) {
    push_number(out, entry.time_ms);
    push_column(out, value);
    if columns.second_value {
        push_column(out, entry.second_value);
    }
    out.extend_from_slice(&[b',', b' ', b'0' + entry.ddir as u8]);
    push_column(out, entry.bytes);
    if columns.offset {
        push_column(out, entry.offset);
    }
    if columns.prio {
        out.extend_from_slice(format!(", 0x{prio:04x}").as_bytes());
    } else {
        const REAL_TIME: u16 = 1;
        push_column(out, u64::from(prio >> 13 == REAL_TIME));
    }
    if columns.issue_time {
        push_column(out, entry.issue_ns);
    }
    out.push(b'\n');
}

/// Adds the line of a histogram, neighbouring bins added up as the coarseness says.
pub fn push_histogram(out: &mut Vec<u8>, snapshot: &Snapshot) {
    let Some(histogram) = &snapshot.histogram else { return };
    let bins_per_column = snapshot.destination.bins_per_column;
    push_number(out, snapshot.time_ms);
    push_column(out, snapshot.ddir as u64);
    push_column(out, snapshot.bytes);
    for first in (0..Histogram::FIO_BINS).step_by(bins_per_column) {
        let bins = first..first + bins_per_column;
        push_column(out, bins.map(|index| histogram.fio_bin(index)).sum());
    }
    out.push(b'\n');
}

fn push_column(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(b", ");
    push_number(out, value);
}

/// Decimal digits: written here because lines are made by the million and formatting macros take most of the time.
fn push_number(out: &mut Vec<u8>, mut value: u64) {
    const DIGITS: usize = 20;
    let mut digits = [0; DIGITS];
    let mut at = DIGITS;
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
