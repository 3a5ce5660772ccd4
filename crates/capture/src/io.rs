//! One I/O of a device.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a sector in the kernel's events, independent of the device's sector size.
pub const SECTOR_BYTES: u64 = 512;

/// Where I/Os are seen.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Requests, after merges and splits: the device has a queue.
    Requests,
    /// Bios, as submitted: the device has no queue, such as device-mapper, MD and zram.
    Bios,
}

/// What an I/O does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    Read,
    Write,
    Discard,
    Flush,
    /// Commands of zones, and commands that programs pass through to the device.
    Other,
}

impl Operation {
    pub const ALL: [Operation; 5] =
        [Operation::Read, Operation::Write, Operation::Discard, Operation::Flush, Operation::Other];

    /// Returns the position in [`Operation::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Properties of an I/O, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(pub u8);

impl Flags {
    /// The device stores the data before it completes the write.
    pub const FORCED: Flags = Flags(1);
    pub const SYNC: Flags = Flags(2);
    pub const METADATA: Flags = Flags(4);
    pub const READ_AHEAD: Flags = Flags(8);
    /// The device flushes its cache before the write.
    pub const FLUSH_BEFORE: Flags = Flags(16);
    /// The device returned an error.
    pub const FAILED: Flags = Flags(32);

    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// An I/O and the times of its stages. A time is `None` if the stage does not exist or was not seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Io {
    /// Since the start of the capture.
    pub start_ns: u64,
    pub operation: Operation,
    pub flags: Flags,
    /// First sector of 512 bytes.
    pub sector: u64,
    pub sectors: u32,
    /// From the start to the insertion into the queue of the scheduler.
    pub inserted_ns: Option<u64>,
    /// From the start to the issue to the device.
    pub issued_ns: Option<u64>,
    /// From the start to the completion. `None`: the capture ended first.
    pub completed_ns: Option<u64>,
    /// Index of the submitting program in the names of the capture.
    pub program: Option<u32>,
}

impl Io {
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * SECTOR_BYTES
    }

    /// Returns the first sector after the I/O.
    pub fn end(&self) -> u64 {
        self.sector.wrapping_add(u64::from(self.sectors))
    }

    /// Returns the time in the device. Without an issue, the time since the start.
    pub fn device_ns(&self) -> Option<u64> {
        Some(self.completed_ns?.saturating_sub(self.issued_ns.unwrap_or(0)))
    }
}
