//! The I/Os of a worker that are under way, by buffer slot.

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
    free: Vec<u32>,
}

impl Flights {
    pub fn new(depth: u32) -> Self {
        let empty =
            Flight { purpose: Purpose::Sync, file: NO_FILE, offset: 0, len: 0, done: 0, start_ns: 0, issue_ns: 0 };
        Flights { table: vec![empty; depth as usize], free: (0..depth).rev().collect() }
    }

    pub fn count(&self) -> u32 {
        (self.table.len() - self.free.len()) as u32
    }

    pub fn take(&mut self) -> Option<u32> {
        self.free.pop()
    }

    /// True while I/O on that file is under way.
    pub fn any_on(&self, file: u32) -> bool {
        self.table.iter().any(|flight| flight.file == file)
    }

    #[inline]
    pub fn give_back(&mut self, slot: u32) {
        self.table[slot as usize].file = NO_FILE;
        self.free.push(slot);
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
