//! Which parts of a disk have I/Os, and where they are placed on another target.

use std::collections::{HashMap, HashSet};

use crate::io::{Io, Operation, SECTOR_BYTES};

/// Size of the smallest part.
const PART_BYTES: u64 = 1 << 20;
/// Most parts. Larger spaces have larger parts.
const PARTS_MAX: usize = 1 << 20;

/// The parts of a disk with I/Os.
pub struct Extents {
    part_bytes: u64,
    /// First byte of the captured part of the disk.
    base_bytes: u64,
    /// The parts, with their places once they are packed.
    parts: HashMap<u64, u64>,
    /// Parts with discards.
    discarded: HashSet<u64>,
    end_bytes: u64,
}

/// The space of a target.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// From its start to its end; `None` for a new file.
    pub span_bytes: Option<u64>,
    /// What may be written.
    pub room_bytes: u64,
    /// Size of a block. Offsets and lengths are multiples of it.
    pub block_bytes: u64,
}

/// Where the I/Os are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// At their own offsets.
    Kept,
    /// Without the parts that have no I/Os.
    Packed,
    /// As packed, and from the start of the target again after its end.
    Wrapped,
}

impl Extents {
    /// `base_sector`: first sector of the captured partition, or 0.
    pub fn new(base_sector: u64) -> Extents {
        let base_bytes = base_sector.saturating_mul(SECTOR_BYTES);
        let (parts, discarded) = (HashMap::new(), HashSet::new());
        Extents { part_bytes: PART_BYTES, base_bytes, parts, discarded, end_bytes: 0 }
    }

    /// Returns the first byte of an I/O, counted from the start of the partition.
    fn start(&self, io: &Io) -> u64 {
        io.sector.saturating_mul(SECTOR_BYTES).saturating_sub(self.base_bytes)
    }

    /// Adds the parts of an I/O.
    pub fn add(&mut self, io: &Io) {
        let start = self.start(io);
        let end = start.saturating_add(io.bytes().max(1));
        self.end_bytes = self.end_bytes.max(end);
        for part in start / self.part_bytes..end.div_ceil(self.part_bytes) {
            self.parts.insert(part, 0);
            if io.operation == Operation::Discard {
                self.discarded.insert(part);
            }
        }
        while self.parts.len() > PARTS_MAX {
            self.part_bytes = self.part_bytes.saturating_mul(2);
            self.parts = self.parts.keys().map(|part| (part / 2, 0)).collect();
            self.discarded = self.discarded.iter().map(|part| part / 2).collect();
        }
    }

    /// Returns the size of all parts together.
    pub fn touched_bytes(&self) -> u64 {
        self.part_bytes.saturating_mul(self.parts.len() as u64)
    }

    /// Returns the end of the last I/O.
    pub fn end_bytes(&self) -> u64 {
        self.end_bytes
    }

    /// Places the parts on a target.
    pub fn place_on(mut self, space: &Space) -> Placed {
        let block = space.block_bytes.max(1);
        let whole_blocks = |bytes: u64| bytes - bytes % block;
        let (span_bytes, room_bytes) = (space.span_bytes.map(whole_blocks), whole_blocks(space.room_bytes));
        let is_beyond = |bytes: u64| span_bytes.is_some_and(|span_bytes| bytes > span_bytes);
        let fit = match self.touched_bytes() {
            touched if touched > room_bytes || is_beyond(touched) => Fit::Wrapped,
            _ if is_beyond(self.end_bytes) => Fit::Packed,
            _ => Fit::Kept,
        };
        let size_bytes = match (fit, span_bytes) {
            (Fit::Wrapped, _) => span_bytes.unwrap_or(room_bytes).min(room_bytes),
            (_, Some(span_bytes)) => span_bytes,
            (_, None) => whole_blocks(self.end_bytes.saturating_add(block - 1)),
        };
        let mut sorted: Vec<u64> = self.parts.keys().copied().collect();
        sorted.sort_unstable();
        let places = (0..).zip(&sorted);
        let places: Vec<(u64, u64)> =
            places.map(|(nth, part)| (*part, if fit == Fit::Kept { *part } else { nth })).collect();
        self.parts = places.into_iter().collect();
        Placed { extents: self, fit, size_bytes, block_bytes: block }
    }
}

/// The places of the I/Os on a target.
pub struct Placed {
    extents: Extents,
    fit: Fit,
    size_bytes: u64,
    block_bytes: u64,
}

impl Placed {
    pub fn fit(&self) -> Fit {
        self.fit
    }

    /// Returns offset and length of an I/O on the target, in whole blocks. `None`: it is larger than the target or than 4 GiB, or
    /// it was not added before.
    pub fn place(&self, io: &Io) -> Option<(u64, u32)> {
        let block = self.block_bytes;
        let start = self.extents.start(io);
        let place = self.extents.parts.get(&(start / self.extents.part_bytes))?;
        let offset = place.checked_mul(self.extents.part_bytes)?.checked_add(start % self.extents.part_bytes)?;
        let bytes = io.bytes().checked_next_multiple_of(block)?;
        let last = self.size_bytes.checked_sub(bytes)?;
        let wrapped = if self.fit == Fit::Wrapped { offset % self.size_bytes } else { offset };
        let wrapped = wrapped.min(last);
        Some((wrapped - wrapped % block, u32::try_from(bytes).ok()?))
    }

    /// Returns the end of the last place.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns the parts of the target that have I/Os: offsets and lengths.
    pub fn parts(&self) -> impl Iterator<Item = (u64, u32)> {
        self.pieces(self.extents.parts.values().copied().collect())
    }

    /// Returns the parts of the target that have discards.
    pub fn discarded(&self) -> impl Iterator<Item = (u64, u32)> {
        self.pieces(self.extents.discarded.iter().filter_map(|part| self.extents.parts.get(part)).copied().collect())
    }

    /// Returns the pieces of 1 MiB of parts.
    fn pieces(&self, mut places: Vec<u64>) -> impl Iterator<Item = (u64, u32)> + use<> {
        let (part_bytes, size_bytes) = (self.extents.part_bytes, self.size_bytes);
        places.iter_mut().for_each(|place| *place = place.saturating_mul(part_bytes));
        places.sort_unstable();
        let pieces = move |place: u64| {
            let end = place.saturating_add(part_bytes).min(size_bytes);
            (place..end).step_by(PART_BYTES as usize).map(move |at| (at, (end - at).min(PART_BYTES) as u32))
        };
        places.into_iter().flat_map(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Flags, Operation};

    const MIB: u64 = 1 << 20;

    fn io(offset: u64, bytes: u64) -> Io {
        Io {
            start_ns: 0,
            operation: Operation::Read,
            flags: Flags::default(),
            sector: offset / SECTOR_BYTES,
            sectors: (bytes / SECTOR_BYTES) as u32,
            inserted_ns: None,
            issued_ns: None,
            completed_ns: None,
            program: None,
        }
    }

    /// Offsets and lengths.
    type Places = Vec<(u64, u32)>;

    fn places(ios: &[Io], span_bytes: Option<u64>, room_bytes: u64) -> (Fit, Places, Places) {
        let mut extents = Extents::new(0);
        ios.iter().for_each(|io| extents.add(io));
        let placed = extents.place_on(&Space { span_bytes, room_bytes, block_bytes: 4096 });
        (placed.fit(), ios.iter().filter_map(|io| placed.place(io)).collect(), placed.parts().collect())
    }

    #[test]
    fn offsets_that_the_target_has_are_kept() {
        let ios = [io(0, 4096), io(9 * MIB - 512, 1024)];
        let (fit, found, parts) = places(&ios, Some(10 * MIB), 10 * MIB);
        assert_eq!((fit, found), (Fit::Kept, vec![(0, 4096), (9 * MIB - 4096, 4096)]));
        assert_eq!(parts, [(0, 1 << 20), (8 * MIB, 1 << 20), (9 * MIB, 1 << 20)]);
    }

    #[test]
    fn a_smaller_target_has_the_parts_with_ios_in_their_order() {
        // The second I/O is in two parts, and stays one.
        let ios = [io(100 * MIB, 4096), io(6 * MIB - 4096, 8192), io(0, 4096)];
        let (fit, found, _) = places(&ios, Some(4 * MIB), 4 * MIB);
        assert_eq!((fit, found), (Fit::Packed, vec![(3 * MIB, 4096), (2 * MIB - 4096, 8192), (0, 4096)]));
    }

    #[test]
    fn a_target_without_room_for_all_parts_has_them_over_each_other() {
        let ios = [io(100 * MIB, 4096), io(6 * MIB, 8192), io(0, 4096)];
        let (fit, found, parts) = places(&ios, Some(64 * MIB), 2 * MIB + 512);
        assert_eq!((fit, found), (Fit::Wrapped, vec![(0, 4096), (MIB, 8192), (0, 4096)]));
        assert_eq!(parts, [(0, 1 << 20), (MIB, 1 << 20)]);
        assert_eq!(places(&[io(0, 8192)], Some(4096), 4096).1, [], "larger than the target");
    }

    #[test]
    fn only_parts_with_discards_are_filled_again() {
        let mut extents = Extents::new(0);
        let discard = Io { operation: Operation::Discard, ..io(5 * MIB, 2 << 20) };
        [io(0, 4096), discard, io(9 * MIB, 4096)].iter().for_each(|io| extents.add(io));
        let placed = extents.place_on(&Space { span_bytes: Some(4 * MIB), room_bytes: 4 * MIB, block_bytes: 4096 });
        assert_eq!(placed.discarded().collect::<Places>(), [(MIB, 1 << 20), (2 * MIB, 1 << 20)]);
    }

    #[test]
    fn parts_end_with_a_whole_block() {
        let ios = [io(0, 4096), io(MIB - 4096, 4096)];
        assert_eq!(
            places(&ios, Some(MIB + 100), MIB + 100),
            (Fit::Kept, vec![(0, 4096), (MIB - 4096, 4096)], vec![(0, 1 << 20)])
        );
        let (fit, _, parts) = places(&[io(0, 4096), io(9 * MIB, 4096)], Some(MIB + 4196), 64 * MIB);
        assert_eq!((fit, parts), (Fit::Wrapped, vec![(0, 1 << 20), (MIB, 4096)]));
        let (fit, found, parts) = places(&[io(9 * MIB, 512)], None, 64 * MIB);
        assert_eq!((fit, found, parts), (Fit::Kept, vec![(9 * MIB, 4096)], vec![(9 * MIB, 4096)]), "a new file");
    }
}
