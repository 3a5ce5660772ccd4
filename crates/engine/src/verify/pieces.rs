//! The writes of a pass that are to be verified.

use std::collections::{BTreeMap, VecDeque};

use super::Written;

/// The writes, in the order in which they are verified.
pub enum Pieces {
    /// Each block is written once: in the order of the writes. `first` is the number of the first entry since the start.
    /// `removed` entries of the queue are not verified.
    InOrder { queue: VecDeque<Entry>, first: u64, removed: u64 },
    /// A write replaces earlier ones that it overlaps: in the order of file and offset.
    ByPlace(BTreeMap<(u32, u64), Entry>),
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
    /// Number of the entry, or of the write.
    number: u64,
}

impl Pieces {
    pub fn new(overwrites: bool) -> Self {
        if overwrites {
            Pieces::ByPlace(BTreeMap::new())
        } else {
            Pieces::InOrder { queue: VecDeque::new(), first: 0, removed: 0 }
        }
    }

    pub fn clear(&mut self) {
        match self {
            Pieces::InOrder { queue, first, removed } => {
                *first += queue.len() as u64;
                *removed = 0;
                queue.clear();
            }
            Pieces::ByPlace(map) => map.clear(),
        }
    }

    pub fn len(&self) -> u64 {
        match self {
            Pieces::InOrder { queue, removed, .. } => queue.len() as u64 - removed,
            Pieces::ByPlace(map) => map.len() as u64,
        }
    }

    /// Adds a write that starts.
    pub fn add(&mut self, write: Written) -> Key {
        let entry = Entry { write, state: State::InFlight };
        let Written { file, offset, .. } = write;
        match self {
            Pieces::InOrder { queue, first, .. } => {
                queue.push_back(entry);
                Key { file, offset, number: *first + queue.len() as u64 - 1 }
            }
            Pieces::ByPlace(map) => {
                remove_overlapping(map, &write);
                map.insert((file, offset), entry);
                Key { file, offset, number: write.number }
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
            Pieces::ByPlace(map) => {
                map.get_mut(&(key.file, key.offset)).filter(|entry| entry.write.number == key.number)
            }
        }
    }

    fn remove(&mut self, key: Key) {
        let Some(entry) = self.get(key) else { return };
        entry.state = State::Removed;
        match self {
            Pieces::InOrder { removed, .. } => *removed += 1,
            Pieces::ByPlace(map) => _ = map.remove(&(key.file, key.offset)),
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
            Pieces::ByPlace(map) => {
                let place = *map.iter().find(|(_, entry)| entry.state == State::Done)?.0;
                map.remove(&place).map(|entry| entry.write)
            }
        }
    }
}

/// Removes the entries that a write overlaps. The entries of a file do not overlap each other.
fn remove_overlapping(map: &mut BTreeMap<(u32, u64), Entry>, write: &Written) {
    let end = write.offset + u64::from(write.len);
    while let Some((&place, _)) = map
        .range((write.file, 0)..(write.file, end))
        .next_back()
        .filter(|(_, entry)| entry.write.offset + u64::from(entry.write.len) > write.offset)
    {
        map.remove(&place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(number: u64, offset: u64, len: u32) -> Written {
        Written { file: 0, offset, len, number, seed: number, is_trimmed: false }
    }

    fn offsets(pieces: &mut Pieces) -> Vec<(u64, u64)> {
        std::iter::from_fn(|| pieces.next()).map(|write| (write.offset, write.number)).collect()
    }

    #[test]
    fn writes_are_verified_in_their_order_once_they_are_complete() {
        let mut pieces = Pieces::new(false);
        let keys: Vec<Key> =
            [8192, 0, 4096].into_iter().zip(0..).map(|(at, n)| pieces.add(write(n, at, 4096))).collect();
        pieces.end(keys[1], true);
        assert!(pieces.next().is_none(), "the first is in flight");
        pieces.end(keys[0], true);
        pieces.end(keys[2], false);
        assert_eq!(offsets(&mut pieces), [(8192, 0), (0, 1)]);
        assert_eq!(pieces.len(), 0);
    }

    #[test]
    fn a_write_replaces_those_that_it_overlaps() {
        let mut pieces = Pieces::new(true);
        let writes = [write(0, 0, 4096), write(1, 4096, 8192), write(2, 16384, 4096), write(3, 2048, 4096)];
        let keys = writes.map(|write| pieces.add(write));
        keys.into_iter().for_each(|key| pieces.end(key, true));
        assert_eq!(offsets(&mut pieces), [(2048, 3), (16384, 2)]);
    }
}
