//! Buffers as pieces of limited size.

use super::Slots;

impl Slots {
    /// Splits the region at slot boundaries into pieces of at most `most` bytes. Returns address and length of each,
    /// and the number of slots per piece.
    pub(crate) fn pieces(&self, most: usize) -> (Vec<(*mut u8, usize)>, usize) {
        let per_piece = (most / self.stride).max(1);
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < self.count() {
            let slots = per_piece.min(self.count() - at);
            // SAFETY: `at` is below the number of slots.
            let base = unsafe { self.base.add(at * self.stride) };
            pieces.push((base, slots * self.stride));
            at += slots;
        }
        (pieces, per_piece)
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::{Buffers, MemorySpec};

    #[test]
    fn pieces_cover_all_slots_at_their_boundaries() {
        let buffers = Buffers::new(5, 4096, &MemorySpec::default()).unwrap();
        let (pieces, slots_per_piece) = buffers.slots().pieces(9000);
        assert_eq!(slots_per_piece, 2);
        assert_eq!(pieces.iter().map(|piece| piece.1).collect::<Vec<_>>(), [8192, 8192, 4096]);
        assert_eq!(pieces[1].0, buffers.slot(2));
    }
}
