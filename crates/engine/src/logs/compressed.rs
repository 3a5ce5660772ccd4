//! Compressed logs (`log_store_compressed`).

use iolog::samples::{Sample, compress};

use super::destination::{Destination, Kind};
use super::entry::{Entry, Logged};

/// Returns the lines of one kind of log as a zlib stream of fio's samples. Empty if there are none.
pub fn stream(kind: Kind, destination: &Destination, entries: &[Entry]) -> Vec<u8> {
    let each_io = destination.file(kind).is_some_and(|file| file.each_io);
    let mut samples = entries.iter().filter_map(|entry| sample(entry, kind, destination, each_io)).peekable();
    if samples.peek().is_none() {
        return Vec::new();
    }
    compress(samples, destination.columns)
}

fn sample(entry: &Entry, kind: Kind, destination: &Destination, each_io: bool) -> Option<Sample> {
    let (time_ms, direction) = (entry.time_ms, entry.ddir as u8);
    Some(match entry.logged(kind, each_io)? {
        Logged::Window => {
            let (value, second_value) = (entry.value, entry.second_value);
            Sample { time_ms, value, second_value, direction, ..Sample::default() }
        }
        Logged::Io { value, issue_ns } => {
            let priority = if entry.prio == 0 { destination.prio } else { entry.prio };
            let (bytes, offset) = (entry.bytes, entry.offset);
            Sample { time_ms, value, second_value: 0, direction, priority, bytes, offset, issue_ns }
        }
    })
}
