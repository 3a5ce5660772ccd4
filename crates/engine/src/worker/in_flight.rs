//! The I/Os in flight of a worker, by buffer slot.

use std::collections::VecDeque;

use os::io::Op;
use plan::Ddir;

/// Category of an I/O in the statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Data(Ddir),
    Sync,
}

/// `file` of a free slot.
const NO_FILE: u32 = u32::MAX;

/// An I/O in flight.
#[derive(Clone, Copy, Debug)]
pub struct InFlightIo {
    pub purpose: Purpose,
    /// I/O priority as the kernel encodes it. 0 is the priority of the worker.
    pub ioprio: u16,
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// Bytes transferred so far. It is above 0 after a short transfer.
    pub done: u32,
    /// Creation time. For later I/Os of an automatic batch: the time at which the I/O before it was accepted.
    pub start_ns: u64,
    /// Time at which the kernel accepted the last submission. For a synchronous engine: the start of the call.
    pub issue_ns: u64,
}

impl InFlightIo {
    /// Returns the I/O of an operation that is about to be submitted.
    #[inline(always)]
    pub fn of(op: &Op, purpose: Purpose, start_ns: u64) -> Self {
        let Op { ioprio, file, offset, len, .. } = *op;
        InFlightIo { purpose, ioprio, file, offset, len, done: 0, start_ns, issue_ns: start_ns }
    }
}

/// The table of slots. Nothing is allocated after its creation.
pub struct InFlight {
    table: Vec<InFlightIo>,
    free: FreeSlots,
}

/// The free slots, in the order of use.
enum FreeSlots {
    /// The slot freed last is used first: its buffer is still in the CPU's cache.
    LastFreed(Vec<u32>),
    /// The slot that has been free longest is used first, so that all are used.
    RoundRobin(VecDeque<u32>),
}

impl InFlight {
    /// Slots are used from 0, round robin or the one freed last first.
    pub fn new(depth: u32, round_robin: bool) -> Self {
        let empty = InFlightIo {
            purpose: Purpose::Sync,
            ioprio: 0,
            file: NO_FILE,
            offset: 0,
            len: 0,
            done: 0,
            start_ns: 0,
            issue_ns: 0,
        };
        let free = if round_robin {
            FreeSlots::RoundRobin((0..depth).collect())
        } else {
            FreeSlots::LastFreed((0..depth).rev().collect())
        };
        InFlight { table: vec![empty; depth as usize], free }
    }

    /// Returns the largest number of I/Os in flight.
    #[inline]
    pub fn slots(&self) -> u32 {
        crate::number::index(self.table.len())
    }

    /// Returns the number of I/Os in flight.
    #[inline]
    pub fn count(&self) -> u32 {
        let free = match &self.free {
            FreeSlots::LastFreed(slots) => slots.len(),
            FreeSlots::RoundRobin(slots) => slots.len(),
        };
        crate::number::index(self.table.len() - free)
    }

    /// Takes a free slot.
    #[inline]
    pub fn take_slot(&mut self) -> Option<u32> {
        match &mut self.free {
            FreeSlots::LastFreed(slots) => slots.pop(),
            FreeSlots::RoundRobin(slots) => slots.pop_front(),
        }
    }

    /// Returns a slot that was taken and not used. It is the next to be taken.
    pub fn return_unused(&mut self, slot: u32) {
        match &mut self.free {
            FreeSlots::LastFreed(slots) => slots.push(slot),
            FreeSlots::RoundRobin(slots) => slots.push_front(slot),
        }
    }

    /// Returns true if an I/O on that file is in flight.
    pub fn any_on(&self, file: u32) -> bool {
        self.table.iter().any(|io| io.file == file)
    }

    /// Returns true if an I/O on bytes of that range of a file is in flight.
    pub fn overlaps(&self, file: u32, offset: u64, length: u64) -> bool {
        let end = offset.saturating_add(length);
        self.table.iter().any(|io| io.file == file && io.offset < end && offset < io.offset + u64::from(io.len))
    }

    /// Frees the slot of a completed I/O.
    #[inline]
    pub fn free(&mut self, slot: u32) {
        self.table[slot as usize].file = NO_FILE;
        match &mut self.free {
            FreeSlots::LastFreed(slots) => slots.push(slot),
            FreeSlots::RoundRobin(slots) => slots.push_back(slot),
        }
    }
}

impl std::ops::Index<u32> for InFlight {
    type Output = InFlightIo;
    #[inline]
    fn index(&self, slot: u32) -> &InFlightIo {
        &self.table[slot as usize]
    }
}

impl std::ops::IndexMut<u32> for InFlight {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut InFlightIo {
        &mut self.table[slot as usize]
    }
}
