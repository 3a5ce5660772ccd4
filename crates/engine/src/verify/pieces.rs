//! The writes of a pass that are to be verified.

use std::collections::{BTreeMap, VecDeque};

use super::Written;

/// The order in which writes are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// In the order of the writes.
    ByNumber,
    /// In the order of file and offset.
    ByPlace,
}

/// The writes, in the order in which they are verified.
pub enum Pieces {
    /// Each byte is written once: in the order of the writes. `first` is the number of the first entry since the start.
    /// `removed` entries of the queue are not verified.
    InOrder { queue: VecDeque<Entry>, first: u64, removed: u64 },
    /// A write replaces earlier ones, or the parts of them that it overlaps.
    Replacing(Replacing),
}

/// Entries that do not overlap.
pub struct Replacing {
    by_place: BTreeMap<(u32, u64), Entry>,
    /// File of each number and offset, unless the order is by place.
    by_number: Option<BTreeMap<(u64, u64), u32>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    write: Written,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    InFlight,
    Done,
    /// The write failed, or its block was trimmed and is not read.
    Removed,
}

/// Outcome of a request to trim the block of a write.
pub enum Trimmed {
    Yes(Written),
    /// The write is in flight.
    InFlight,
    /// The write failed, was replaced by another or has been verified.
    Gone,
}

/// An entry, while its write is in flight.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    file: u32,
    offset: u64,
    len: u32,
    /// Number of the entry, or of the write.
    number: u64,
}

/// The memory is checked each time that the number of entries doubles, from here on.
const CHECKED_MIN: usize = 1 << 16;

impl Pieces {
    /// Returns an estimate of the memory for `writes` writes.
    pub fn memory_bytes(writes: u64, replaces: bool) -> u64 {
        // The nodes of a tree are filled to two thirds, and the tree by number has keys of its own.
        let each = size_of::<Entry>() * if replaces { 3 } else { 1 };
        writes.saturating_mul(each as u64)
    }

    /// Returns the memory that the next writes need, if it is to be checked before them. A queue doubles its memory, and has both for
    /// the time of the copy. `checked` is the number of entries at the last check.
    pub fn growth_bytes(&self, checked: &mut usize) -> Option<u64> {
        let (entries, needed, replaces) = match self {
            Pieces::InOrder { queue, .. } => (queue.len(), 2 * queue.len(), false),
            Pieces::Replacing(pieces) => (pieces.by_place.len(), pieces.by_place.len(), true),
        };
        let is_checked = entries >= CHECKED_MIN && entries.is_power_of_two() && entries != *checked;
        is_checked.then(|| {
            *checked = entries;
            Pieces::memory_bytes(needed as u64, replaces)
        })
    }

    /// `writes_once`: no two writes of a pass have a byte in common.
    pub fn new(order: Order, writes_once: bool) -> Self {
        if writes_once && order == Order::ByNumber {
            return Pieces::InOrder { queue: VecDeque::new(), first: 0, removed: 0 };
        }
        let by_number = (order == Order::ByNumber).then(BTreeMap::new);
        Pieces::Replacing(Replacing { by_place: BTreeMap::new(), by_number })
    }

    pub fn clear(&mut self) {
        match self {
            Pieces::InOrder { queue, first, removed } => {
                *first += queue.len() as u64;
                *removed = 0;
                queue.clear();
            }
            Pieces::Replacing(pieces) => pieces.clear(),
        }
    }

    pub fn len(&self) -> u64 {
        match self {
            Pieces::InOrder { queue, removed, .. } => queue.len() as u64 - removed,
            Pieces::Replacing(pieces) => pieces.by_place.len() as u64,
        }
    }

    /// Adds a write that starts. `grain` returns the distance of the places at which the block of an earlier write can be
    /// cut, or `None` if the rest of it cannot be verified.
    pub fn add(&mut self, write: Written, grain: impl Fn(&Written) -> Option<u32>) -> Key {
        let entry = Entry { write, state: State::InFlight };
        let Written { file, offset, len, number, .. } = write;
        match self {
            Pieces::InOrder { queue, first, .. } => {
                queue.push_back(entry);
                Key { file, offset, len, number: *first + queue.len() as u64 - 1 }
            }
            Pieces::Replacing(pieces) => {
                pieces.cut(&write, grain);
                pieces.insert(entry);
                Key { file, offset, len, number }
            }
        }
    }

    /// Ends a write. One that failed is not verified.
    pub fn end(&mut self, key: Key, is_written: bool) {
        if !is_written {
            self.remove(key);
        } else if let Some(entry) = self.get(key) {
            entry.state = State::Done;
        }
    }

    /// Trims the block of a write. It is verified to be zero if `reads_zeroes`, otherwise it is not read.
    pub fn trim(&mut self, key: Key, reads_zeroes: bool) -> Trimmed {
        let Some(entry) = self.get(key) else { return Trimmed::Gone };
        if entry.state == State::InFlight {
            return Trimmed::InFlight;
        }
        entry.write.is_trimmed = true;
        let write = entry.write;
        if !reads_zeroes {
            self.remove(key);
        }
        Trimmed::Yes(write)
    }

    /// Returns the entry of a write, unless it was removed.
    fn get(&mut self, key: Key) -> Option<&mut Entry> {
        match self {
            Pieces::InOrder { queue, first, .. } => {
                let at = key.number.checked_sub(*first)?;
                queue.get_mut(crate::number::size(at)).filter(|entry| entry.state != State::Removed)
            }
            Pieces::Replacing(pieces) => {
                let entry = pieces.by_place.get_mut(&(key.file, key.offset))?;
                (entry.write.number == key.number && entry.write.len == key.len).then_some(entry)
            }
        }
    }

    fn remove(&mut self, key: Key) {
        let Some(entry) = self.get(key) else { return };
        entry.state = State::Removed;
        match self {
            Pieces::InOrder { removed, .. } => *removed += 1,
            Pieces::Replacing(pieces) => _ = pieces.remove((key.file, key.offset)),
        }
    }

    /// Takes the next write to verify. Returns `None` if there is none, or if it is still in flight.
    pub fn next(&mut self) -> Option<Written> {
        match self {
            Pieces::InOrder { queue, first, removed } => {
                while queue.front()?.state == State::Removed {
                    queue.pop_front();
                    (*first, *removed) = (*first + 1, *removed - 1);
                }
                if queue.front()?.state == State::InFlight {
                    return None;
                }
                *first += 1;
                queue.pop_front().map(|entry| entry.write)
            }
            Pieces::Replacing(pieces) => pieces.next(),
        }
    }
}

impl Replacing {
    fn clear(&mut self) {
        self.by_place.clear();
        if let Some(by_number) = &mut self.by_number {
            by_number.clear();
        }
    }

    fn insert(&mut self, entry: Entry) {
        let Written { file, offset, number, .. } = entry.write;
        self.by_place.insert((file, offset), entry);
        if let Some(by_number) = &mut self.by_number {
            by_number.insert((number, offset), file);
        }
    }

    fn remove(&mut self, place: (u32, u64)) -> Option<Entry> {
        let entry = self.by_place.remove(&place)?;
        if let Some(by_number) = &mut self.by_number {
            by_number.remove(&(entry.write.number, entry.write.offset));
        }
        Some(entry)
    }

    fn next(&mut self) -> Option<Written> {
        let place = match &self.by_number {
            None => *self.by_place.iter().find(|(_, entry)| entry.state == State::Done)?.0,
            Some(by_number) => {
                let (&(_, offset), &file) = by_number.first_key_value()?;
                (file, offset)
            }
        };
        if self.by_place.get(&place)?.state != State::Done {
            return None;
        }
        self.remove(place).map(|entry| entry.write)
    }

    /// Removes the bytes of a write from the entries of earlier ones.
    fn cut(&mut self, write: &Written, grain: impl Fn(&Written) -> Option<u32>) {
        let range = write.offset..write.end();
        while let Some(entry) = self.last_before((write.file, range.end)).filter(|old| old.write.end() > range.start) {
            self.remove((write.file, entry.write.offset));
            // What a write in flight leaves on the target is not known before it ends.
            let grain = grain(&entry.write).filter(|_| entry.state == State::Done);
            let Some(grain) = grain.map(u64::from) else { continue };
            let (start, end) = (entry.write.offset, entry.write.end());
            let keep =
                |from: u64, until: u64| (from < until).then(|| Entry { write: entry.write.part(from, until), ..entry });
            // Places of cuts count from the start of the block.
            let block = entry.write.block_offset();
            let before = block + range.start.saturating_sub(block) / grain * grain;
            let after = block + (range.end - block).div_ceil(grain).saturating_mul(grain);
            for kept in [keep(start, before.min(end)), keep(after.max(start), end)].into_iter().flatten() {
                self.insert(kept);
            }
        }
    }

    fn last_before(&self, (file, end): (u32, u64)) -> Option<Entry> {
        self.by_place.range((file, 0)..(file, end)).next_back().map(|(_, entry)| *entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAIN: u32 = 4096;

    fn write(number: u64, offset: u64, len: u32) -> Written {
        Written::block(0, (offset, len), number, number)
    }

    fn add(pieces: &mut Pieces, write: Written) -> Key {
        pieces.add(write, |old| (old.block_len > GRAIN).then_some(GRAIN))
    }

    fn offsets(pieces: &mut Pieces) -> Vec<(u64, u32, u64)> {
        std::iter::from_fn(|| pieces.next()).map(|write| (write.offset, write.len, write.number)).collect()
    }

    fn all_ended(order: Order, writes: &[Written]) -> Pieces {
        let mut pieces = Pieces::new(order, false);
        for &write in writes {
            let key = add(&mut pieces, write);
            pieces.end(key, true);
        }
        pieces
    }

    #[test]
    fn writes_are_verified_in_their_order_once_they_are_complete() {
        for writes_once in [true, false] {
            let mut pieces = Pieces::new(Order::ByNumber, writes_once);
            let keys: Vec<Key> =
                [8192, 0, 4096].into_iter().zip(0..).map(|(at, n)| add(&mut pieces, write(n, at, 4096))).collect();
            pieces.end(keys[1], true);
            assert!(pieces.next().is_none(), "the first is in flight");
            pieces.end(keys[0], true);
            pieces.end(keys[2], false);
            assert_eq!(offsets(&mut pieces), [(8192, 4096, 0), (0, 4096, 1)]);
            assert_eq!(pieces.len(), 0);
        }
    }

    #[test]
    fn memory_is_checked_once_for_each_doubling() {
        let (mut pieces, mut checked) = (Pieces::new(Order::ByPlace, false), 0);
        let mut checks = |number: u64, place: u64| {
            add(&mut pieces, write(number, place * 4096, 4096));
            usize::from(pieces.growth_bytes(&mut checked).is_some())
        };
        let grows: usize = (0..CHECKED_MIN as u64).map(|place| checks(place, place)).sum();
        // The next writes replace earlier ones.
        let stays: usize = (0..100).map(|place| checks(CHECKED_MIN as u64 + place, place)).sum();
        assert_eq!((grows, stays), (1, 0));
    }

    #[test]
    fn a_write_replaces_those_that_it_overlaps() {
        let writes = [write(0, 0, 4096), write(1, 4096, 4096), write(2, 16384, 4096), write(3, 2048, 4096)];
        let mut pieces = all_ended(Order::ByPlace, &writes);
        assert_eq!(offsets(&mut pieces), [(2048, 4096, 3), (16384, 4096, 2)]);
        let mut pieces = all_ended(Order::ByNumber, &writes);
        assert_eq!(offsets(&mut pieces), [(16384, 4096, 2), (2048, 4096, 3)]);
    }

    #[test]
    fn whole_intervals_of_a_block_that_is_partly_replaced_are_kept() {
        let writes = [write(0, 0, 32768), write(1, 8192, 4096), write(2, 18000, 100)];
        let mut pieces = all_ended(Order::ByPlace, &writes);
        let left = [(0, 8192, 0), (8192, 4096, 1), (12288, 4096, 0), (18000, 100, 2), (20480, 12288, 0)];
        assert_eq!(offsets(&mut pieces), left);
        let mut pieces = all_ended(Order::ByPlace, &writes);
        let last = std::iter::from_fn(|| pieces.next()).last().unwrap();
        assert_eq!((last.part_at, last.block_len, last.block_offset()), (20480, 32768, 0));
    }

    #[test]
    fn what_a_write_in_flight_leaves_is_not_verified() {
        let mut pieces = Pieces::new(Order::ByNumber, false);
        let old = add(&mut pieces, write(0, 0, 32768));
        let new = add(&mut pieces, write(1, 0, 4096));
        pieces.end(old, true);
        pieces.end(new, true);
        assert_eq!(offsets(&mut pieces), [(0, 4096, 1)]);
    }

    /// Compares with a model that knows the last write of each byte.
    #[test]
    fn each_byte_is_verified_as_its_last_write() {
        let mut seed = 1u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for order in [Order::ByNumber, Order::ByPlace] {
            for _ in 0..200 {
                let mut last = [u64::MAX; 64];
                let mut writes = Vec::new();
                for number in 0..1 + draw(40) {
                    let from = draw(64);
                    let blocks = 1 + draw(64 - from);
                    last[from as usize..(from + blocks) as usize].fill(number);
                    writes.push(write(number, from * 4096, blocks as u32 * 4096));
                }
                let mut pieces = all_ended(order, &writes);
                let mut seen = [u64::MAX; 64];
                while let Some(piece) = pieces.next() {
                    let block = &writes[piece.number as usize];
                    assert_eq!((piece.block_offset(), piece.block_len), (block.offset, block.len));
                    seen[(piece.offset / 4096) as usize..(piece.end() / 4096) as usize].fill(piece.number);
                }
                assert_eq!(seen, last);
            }
        }
    }
}
