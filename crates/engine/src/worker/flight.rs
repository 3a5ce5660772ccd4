//! The I/Os of a worker that are under way, by buffer slot.

use std::collections::VecDeque;

use plan::Ddir;

/// What an I/O is for the statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Data(Ddir),
    Sync,
}

/// The file of a slot that is free.
const NO_FILE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub struct Flight {
    pub purpose: Purpose,
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// Bytes moved so far, where the kernel moved less than asked.
    pub done: u32,
    /// When the I/O was made, and when the kernel had it.
    pub start_ns: u64,
    pub issue_ns: u64,
}

/// A table of slots and those that are free. Made once; nothing is allocated after.
pub struct Flights {
    table: Vec<Flight>,
    free: Free,
}

/// The free slots, by the order in which they are taken.
enum Free {
    /// The one freed last: its buffer is still in the processor's cache.
    Latest(Vec<u32>),
    /// The one that has been free for longest, so that all get their turn.
    InTurn(VecDeque<u32>),
}

impl Flights {
    /// Slots are taken from 0 on, in turn or the one freed last.
    pub fn new(depth: u32, in_turn: bool) -> Self {
        let empty =
            Flight { purpose: Purpose::Sync, file: NO_FILE, offset: 0, len: 0, done: 0, start_ns: 0, issue_ns: 0 };
        Flights {
            table: vec![empty; depth as usize],
            free: if in_turn { Free::InTurn((0..depth).collect()) } else { Free::Latest((0..depth).rev().collect()) },
        }
    }

    pub fn count(&self) -> u32 {
        let free = match &self.free {
            Free::Latest(slots) => slots.len(),
            Free::InTurn(slots) => slots.len(),
        };
        (self.table.len() - free) as u32
    }

    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        match &mut self.free {
            Free::Latest(slots) => slots.pop(),
            Free::InTurn(slots) => slots.pop_front(),
        }
    }

    /// Puts back a slot that was taken and not used, in front of all others.
    pub fn put_back(&mut self, slot: u32) {
        match &mut self.free {
            Free::Latest(slots) => slots.push(slot),
            Free::InTurn(slots) => slots.push_front(slot),
        }
    }

    /// True while I/O on that file is under way.
    pub fn any_on(&self, file: u32) -> bool {
        self.table.iter().any(|flight| flight.file == file)
    }

    #[inline]
    pub fn give_back(&mut self, slot: u32) {
        self.table[slot as usize].file = NO_FILE;
        match &mut self.free {
            Free::Latest(slots) => slots.push(slot),
            Free::InTurn(slots) => slots.push_back(slot),
        }
    }
}

impl std::ops::Index<u32> for Flights {
    type Output = Flight;
    #[inline]
    fn index(&self, slot: u32) -> &Flight {
        &self.table[slot as usize]
    }
}

impl std::ops::IndexMut<u32> for Flights {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Flight {
        &mut self.table[slot as usize]
    }
}
