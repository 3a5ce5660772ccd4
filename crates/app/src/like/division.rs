//! The parts of a log that the hosts of a fleet replay together: each I/O is in one of them, at its own time.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use ::capture::Streams;
use iolog::{Action, LogError, Reader, write};
use plan::{Ddir, PerDdir};

use super::log::{FILE, log_failed};

/// The parts are sent in pieces of this size, of all hosts together.
const PIECE_BYTES: usize = 4 << 20;

/// How a log is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// Each host has all of it.
    Whole,
    /// The I/Os go to the hosts in turn.
    InTurn,
    /// As in turn. An I/O that begins where another one of its direction ended stays on the host of that one.
    ByStream,
}

/// Chooses the host of each entry.
struct Divider {
    division: Division,
    next: usize,
    streams: PerDdir<Streams<usize>>,
    /// Host of the last write. A flush is about the writes before it.
    last_writer: usize,
    /// I/Os of each host.
    ios: Vec<u64>,
}

impl Divider {
    fn new(division: Division, hosts: usize) -> Divider {
        Divider { division, next: 0, streams: PerDdir::default(), last_writer: 0, ios: vec![0; hosts] }
    }

    /// Returns the host of an entry; `None` is all.
    fn host(&mut self, action: Action, offset: u64, bytes: u32) -> Option<usize> {
        if self.division == Division::Whole {
            return None;
        }
        match action {
            Action::Io(ddir) => {
                let end = offset.saturating_add(u64::from(bytes));
                let next = self.next;
                let is_by_stream = self.division == Division::ByStream;
                let known = is_by_stream.then(|| self.streams[ddir].add(offset, end, next)).flatten();
                let host = known.unwrap_or_else(|| {
                    self.next = (next + 1) % self.ios.len().max(1);
                    next
                });
                if ddir == Ddir::Write {
                    self.last_writer = host;
                }
                self.ios[host] += 1;
                Some(host)
            }
            Action::Fsync | Action::Fdatasync => Some(self.last_writer),
            Action::Add | Action::Open | Action::Close | Action::Wait => None,
        }
    }
}

/// Divides a log among hosts. Passes pieces of the parts to `send`, by host. Returns the I/Os of each host.
///
/// # Errors
/// The log cannot be read, or `send` fails.
pub fn divide(
    log: &Path,
    division: Division,
    hosts: usize,
    mut send: impl FnMut(Vec<String>) -> Result<(), String>,
) -> Result<Vec<u64>, String> {
    let failed = |error: LogError| match error {
        LogError::Io(error) => log_failed(error),
        LogError::NotALog | LogError::BadRecord { .. } => log_failed(io::ErrorKind::InvalidData.into()),
    };
    let file = File::open(log).map_err(|error| failed(error.into()))?;
    let mut entries = Reader::new(BufReader::new(file), true).map_err(failed)?;
    let mut divider = Divider::new(division, hosts);
    let mut parts = vec![write::header().into_bytes(); hosts];
    let texts = |parts: &mut Vec<Vec<u8>>| {
        let text = |part: &mut Vec<u8>| String::from_utf8_lossy(&std::mem::take(part)).into_owned();
        parts.iter_mut().map(text).collect()
    };
    while let Some(found) = entries.next().map_err(failed)? {
        let (Some(entry), Some(time_ns)) = (found.entry, found.time_ns) else { continue };
        let host = divider.host(entry.action, entry.offset, entry.bytes);
        let of_host = parts.iter_mut().enumerate().filter(|(rank, _)| host.is_none_or(|host| host == *rank));
        of_host.for_each(|(_, part)| {
            write::line(part, time_ns / 1000, FILE, entry.action, entry.offset, entry.bytes);
        });
        if parts.iter().map(Vec::len).sum::<usize>() >= PIECE_BYTES {
            send(texts(&mut parts))?;
        }
    }
    send(texts(&mut parts))?;
    Ok(divider.ios)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Line = (u64, Action, u64, u32);

    /// Divides a log among hosts. Returns the lines of each part.
    fn divided(lines: &[Line], division: Division, hosts: usize) -> (Vec<Vec<Line>>, Vec<u64>) {
        let mut text = write::header().into_bytes();
        [(1, Action::Add, 0, 0), (1, Action::Open, 0, 0)].iter().chain(lines).for_each(
            |(time_us, action, offset, bytes)| write::line(&mut text, *time_us, FILE, *action, *offset, *bytes),
        );
        let path =
            std::env::temp_dir().join(format!("fathom-division-{division:?}-{}-{}", lines.len(), std::process::id()));
        std::fs::write(&path, text).unwrap();
        let mut parts = vec![String::new(); hosts];
        let ios = divide(&path, division, hosts, |texts| {
            parts.iter_mut().zip(texts).for_each(|(part, text)| part.push_str(&text));
            Ok(())
        });
        std::fs::remove_file(&path).unwrap();
        let lines = |part: &String| {
            let mut entries = Reader::new(part.as_bytes(), true).unwrap();
            let mut lines = Vec::new();
            while let Some(found) = entries.next().unwrap() {
                let entry = found.entry.unwrap();
                lines.push((found.time_ns.unwrap() / 1000, entry.action, entry.offset, entry.bytes));
            }
            assert_eq!(lines.drain(..2).map(|line| line.1).collect::<Vec<_>>(), [Action::Add, Action::Open]);
            lines
        };
        (parts.iter().map(lines).collect(), ios.unwrap())
    }

    const READ: Action = Action::Io(Ddir::Read);
    const WRITE: Action = Action::Io(Ddir::Write);

    #[test]
    fn streams_stay_whole_and_other_ios_go_to_the_hosts_in_turn() {
        // Two streams of reads, a write at the end of one of them, and single reads.
        let lines = [
            (10, READ, 0, 4096),
            (20, READ, 1 << 20, 8192),
            (30, READ, 4096, 4096),
            (31, READ, (1 << 20) + 8192, 8192),
            (40, WRITE, 8192, 512),
            (50, READ, 8192, 4096),
            (60, READ, 5 << 20, 512),
        ];
        let (parts, ios) = divided(&lines, Division::ByStream, 2);
        assert_eq!(parts[0], [lines[0], lines[2], lines[4], lines[5]]);
        assert_eq!(parts[1], [lines[1], lines[3], lines[6]]);
        assert_eq!(ios, [4, 3]);
    }

    #[test]
    fn each_line_of_a_long_log_is_in_one_part_at_its_time() {
        let line = |nth: u64| match nth % 5 {
            0 => (1 + nth * 7, Action::Fsync, 0, 0),
            1 | 2 => (1 + nth * 7, WRITE, nth * 7919 % 10_000 * 4096, 4096),
            _ => (1 + nth * 7, READ, nth * 104_729 % 10_000 * 4096, 4096),
        };
        let lines: Vec<Line> = (0..300_000).map(line).collect();
        let (parts, ios) = divided(&lines, Division::ByStream, 3);
        let mut all: Vec<Line> = parts.iter().flatten().copied().collect();
        all.sort_by_key(|line| line.0);
        assert!(all == lines, "the times differ, so that no line is there twice");
        assert_eq!(ios.iter().sum::<u64>(), 240_000);
        assert!(ios.iter().all(|ios| (79_000..81_000).contains(ios)), "{ios:?}");
    }

    #[test]
    fn a_flush_is_on_the_host_of_the_last_write() {
        let flush = |time_us| (time_us, Action::Fsync, 0, 0);
        let lines = [flush(1), (2, READ, 0, 512), (3, WRITE, 0, 512), (4, READ, 4096, 512), flush(5)];
        let (parts, _) = divided(&lines, Division::ByStream, 2);
        assert_eq!(parts, [vec![lines[0], lines[1], lines[3]], vec![lines[2], lines[4]]]);
    }

    #[test]
    fn a_fill_goes_to_all_hosts_or_in_turn() {
        let lines: Vec<Line> = (0..4).map(|nth| (1, WRITE, nth << 20, 1 << 20)).collect();
        assert_eq!(divided(&lines, Division::Whole, 2).0, [lines.clone(), lines.clone()]);
        let parts = [vec![lines[0], lines[2]], vec![lines[1], lines[3]]];
        assert_eq!(divided(&lines, Division::InTurn, 2).0, parts);
    }
}
