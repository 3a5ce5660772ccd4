//! Log entries, and the chunks that carry them to the writer.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use plan::Ddir;

use super::destination::{Destination, Kind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// One I/O. The value is its submission latency.
    Submitted,
    /// One I/O. The values are its completion latency and its total latency.
    Completed,
    /// A window of a log.
    Window(Kind),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub kind: EntryKind,
    pub ddir: Ddir,
    /// 0 is the priority of the worker.
    pub prio: u16,
    pub time_ms: u64,
    pub value: u64,
    pub second_value: u64,
    pub bytes: u64,
    pub offset: u64,
    pub issue_ns: u64,
}

/// Content of a log for one entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logged {
    /// The entry itself.
    Window,
    Io {
        value: u64,
        issue_ns: u64,
    },
}

impl Entry {
    /// Returns the content of a log of this kind for the entry. `each_io`: the log has a line for each I/O.
    #[inline]
    pub fn logged(&self, kind: Kind, each_io: bool) -> Option<Logged> {
        Some(match (self.kind, kind) {
            (EntryKind::Window(of), _) if of == kind => Logged::Window,
            (EntryKind::Submitted, Kind::Slat) => Logged::Io { value: self.value, issue_ns: self.issue_ns },
            (EntryKind::Completed, _) if !each_io => return None,
            (EntryKind::Completed, Kind::Clat) => Logged::Io { value: self.value, issue_ns: self.issue_ns },
            (EntryKind::Completed, Kind::Lat) => Logged::Io { value: self.second_value, issue_ns: 0 },
            (EntryKind::Completed, Kind::Bandwidth) => {
                Logged::Io { value: kib_per_s(self.bytes, self.value), issue_ns: 0 }
            }
            (EntryKind::Completed, Kind::Iops) => Logged::Io { value: 1, issue_ns: 0 },
            _ => return None,
        })
    }

    /// Returns an entry for a window. It has values and no size or offset.
    pub fn window(kind: Kind, ddir: Ddir, time_ms: u64, value: u64, second_value: u64) -> Self {
        Entry {
            kind: EntryKind::Window(kind),
            ddir,
            prio: 0,
            time_ms,
            value,
            second_value,
            bytes: 0,
            offset: 0,
            issue_ns: 0,
        }
    }

    /// Adds the start of the log to the time.
    pub fn starting_at(mut self, start_ms: u64) -> Self {
        self.time_ms += start_ms;
        self
    }
}

/// Entries of one worker, with their destination.
pub struct Chunk {
    pub entries: Vec<Entry>,
    pub destination: Arc<Destination>,
    /// Returns the memory to the worker.
    pub back: SyncSender<Chunk>,
}

impl Chunk {
    /// Returns the memory to the worker.
    pub fn recycle(mut self) {
        self.entries.clear();
        let back = self.back.clone();
        // If the worker has ended, the chunk is dropped.
        drop(back.try_send(self));
    }
}

/// Returns the bandwidth of a single I/O over its own latency.
fn kib_per_s(bytes: u64, ns: u64) -> u64 {
    // An I/O has fewer than 2^32 bytes, so this does not overflow.
    bytes.saturating_mul(1_000_000_000).checked_div(ns.saturating_mul(1024)).unwrap_or(0)
}
