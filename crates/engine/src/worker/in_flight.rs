//! The I/Os in flight of a worker, by buffer slot.

use std::collections::VecDeque;

use os::io::{Completion, Kind, Op};
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
    pub times: Times,
}

/// Times from which the latencies of an I/O count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Creation time. For later I/Os of an automatic batch: the time at which the I/O before it was accepted.
    pub start_ns: u64,
    /// Time at which the kernel accepted the last submission. For a synchronous engine: the start of the call.
    pub issue_ns: u64,
}

impl Times {
    /// Returns the completion latency of an I/O that completes at `now_ns`.
    #[inline(always)]
    pub fn clat_ns(self, now_ns: u64) -> u64 {
        now_ns - self.issue_ns
    }

    /// Returns its total latency.
    #[inline(always)]
    pub fn lat_ns(self, now_ns: u64) -> u64 {
        now_ns - self.start_ns
    }
}

impl InFlightIo {
    /// Returns the I/O of an operation that is about to be submitted.
    #[inline(always)]
    pub fn of(op: &Op, purpose: Purpose, start_ns: u64) -> Self {
        let Op { ioprio, file, offset, len, .. } = *op;
        let times = Times { start_ns, issue_ns: start_ns };
        InFlightIo { purpose, ioprio, file, offset, len, done: 0, times }
    }
}

/// The table of slots. Nothing is allocated after its creation.
pub struct InFlight {
    table: Vec<InFlightIo>,
    free: FreeSlots,
    count: u32,
}

/// The free slots, in the order of use.
enum FreeSlots {
    /// The slot freed last is used first: its buffer is still in the CPU's cache. The first `count` of `slots` are free.
    LastFreed { slots: Box<[u32]>, count: usize },
    /// The slot that has been free longest is used first, so that all are used.
    RoundRobin(VecDeque<u32>),
}

impl FreeSlots {
    #[inline(always)]
    fn take(&mut self) -> Option<u32> {
        match self {
            FreeSlots::LastFreed { slots, count } => {
                *count = count.checked_sub(1)?;
                Some(slots[*count])
            }
            FreeSlots::RoundRobin(slots) => slots.pop_front(),
        }
    }

    #[inline(always)]
    fn put(&mut self, slot: u32) {
        match self {
            FreeSlots::LastFreed { slots, count } => {
                slots[*count] = slot;
                *count += 1;
            }
            FreeSlots::RoundRobin(slots) => slots.push_back(slot),
        }
    }
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
            times: Times::default(),
        };
        let free = if round_robin {
            FreeSlots::RoundRobin((0..depth).collect())
        } else {
            FreeSlots::LastFreed { slots: (0..depth).rev().collect(), count: depth as usize }
        };
        InFlight { table: vec![empty; depth as usize], free, count: 0 }
    }

    /// Returns the largest number of I/Os in flight.
    #[inline]
    pub fn slots(&self) -> u32 {
        crate::number::index(self.table.len())
    }

    /// Returns the number of I/Os in flight.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Takes a free slot.
    #[inline]
    pub fn take_slot(&mut self) -> Option<u32> {
        let slot = self.free.take()?;
        self.count += 1;
        Some(slot)
    }

    /// Takes up to `wanted` slots, the last freed at the end. `place` puts I/Os into the table and returns how many slots it used,
    /// from the end. Takes none if slots are used round robin.
    #[inline(always)]
    pub fn place_all(&mut self, wanted: usize, place: impl FnOnce(&[u32], &mut [InFlightIo]) -> usize) -> usize {
        let FreeSlots::LastFreed { slots, count } = &mut self.free else { return 0 };
        let free = &slots[..*count];
        let used = place(&free[free.len().saturating_sub(wanted)..], &mut self.table);
        *count -= used;
        self.count += crate::number::index(used);
        used
    }

    /// Takes the completions of whole I/Os of one direction out of `done`, and frees their slots. Stores their times in `finished`,
    /// as long as it has room. Returns the numbers of I/Os and bytes. Takes none if slots are used round robin.
    // Not inlined: inlining spills registers in the caller, as with the loops over latencies.
    #[inline(never)]
    pub fn finish_whole(&mut self, ddir: Ddir, done: &mut Vec<Completion>, finished: &mut [Times]) -> (usize, u64) {
        let FreeSlots::LastFreed { slots, count } = &mut self.free else { return (0, 0) };
        let (table, slots, completions) = (self.table.as_mut_slice(), &mut slots[*count..], done.as_mut_slice());
        let is_whole = |io: &InFlightIo, completion: &Completion| {
            // Less than the whole is left of an I/O that was short.
            completion.result == Ok(io.len) && io.purpose == Purpose::Data(ddir)
        };
        let (mut whole, mut bytes) = (0, 0);
        for (completion, (times, slot)) in completions.iter().zip(finished.iter_mut().zip(slots.iter_mut())) {
            let io = &mut table[completion.slot as usize];
            if !is_whole(io, completion) {
                break;
            }
            (*times, *slot) = (io.times, completion.slot);
            io.file = NO_FILE;
            bytes += u64::from(io.len);
            whole += 1;
        }
        // Mostly, nothing is left. The loop above is short, because it keeps nothing back.
        let (first_other, mut others) = (whole, 0);
        for at in first_other..completions.len() {
            let completion = completions[at];
            let io = &mut table[completion.slot as usize];
            if is_whole(io, &completion)
                && let (Some(times), Some(slot)) = (finished.get_mut(whole), slots.get_mut(whole))
            {
                (*times, *slot) = (io.times, completion.slot);
                io.file = NO_FILE;
                bytes += u64::from(io.len);
                whole += 1;
            } else {
                completions[others] = completion;
                others += 1;
            }
        }
        *count += whole;
        self.count -= crate::number::index(whole);
        done.truncate(others);
        (whole, bytes)
    }

    /// Returns a slot that was taken and not used. It is the next to be taken.
    pub fn return_unused(&mut self, slot: u32) {
        self.count -= 1;
        match &mut self.free {
            FreeSlots::RoundRobin(slots) => slots.push_front(slot),
            FreeSlots::LastFreed { .. } => self.free.put(slot),
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
        self.free.put(slot);
        self.count -= 1;
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

/// Returns the operation of a direction.
pub fn kind_of(ddir: Ddir) -> Kind {
    match ddir {
        Ddir::Read => Kind::Read,
        Ddir::Write => Kind::Write,
        Ddir::Trim => Kind::Trim,
    }
}
