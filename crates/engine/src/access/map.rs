//! The random map: the blocks of a file that a pass has used.
//!
//! A bitmap with summary levels. A bit of a higher level is set if the whole word below is taken. The next free block is
//! found within a few words, however full the map is.

use record::AccessFault;

const WORD: u64 = u64::BITS as u64;

#[derive(Clone, Debug)]
pub struct RandomMap {
    blocks: u64,
    /// Blocks that are not taken, or fewer if spare bits of the last word are.
    free: u64,
    /// A bit per block.
    words: Vec<u64>,
    /// A bit per word of the level below. The last level is one word.
    summaries: Vec<Vec<u64>>,
}

impl RandomMap {
    /// Returns the memory of a map.
    pub fn memory_bytes(blocks: u64) -> u64 {
        // Each level has a bit per word of the level below.
        let words = std::iter::successors(Some(blocks.div_ceil(WORD)), |words| Some(words.div_ceil(WORD)));
        let below_last: u64 = words.take_while(|&words| words > 1).sum();
        (below_last + 1).saturating_mul(size_of::<u64>() as u64)
    }

    pub fn new(blocks: u64) -> Result<Self, AccessFault> {
        let zeroed = |words| zeroed(words).ok_or(AccessFault::MapMemory { blocks });
        let mut count = blocks.div_ceil(WORD).max(1);
        let words = zeroed(count)?;
        let mut summaries = Vec::new();
        while count > 1 {
            count = count.div_ceil(WORD);
            summaries.push(zeroed(count)?);
        }
        Ok(RandomMap { blocks, free: blocks, words, summaries })
    }

    pub fn clear(&mut self) {
        self.free = self.blocks;
        self.words.fill(0);
        self.summaries.iter_mut().for_each(|level| level.fill(0));
    }

    /// Returns true if the block is taken. Blocks past the end are free: the caller checks the offset.
    #[inline]
    pub fn is_taken(&self, block: u64) -> bool {
        let word = self.words.get((block / WORD) as usize).copied().unwrap_or(0);
        word >> (block % WORD) & 1 != 0
    }

    /// Takes a free block for each place that `draw` returns: the first one from there on, with wrap-around. Stores their offsets.
    /// Returns how many, which is fewer if no block is free any more. A place past the end is drawn again.
    #[inline(always)]
    pub fn take_each(
        &mut self,
        offsets: &mut [u64],
        mut draw: impl FnMut() -> u64,
        offset_of: impl Fn(u64) -> u64,
    ) -> usize {
        let end = self.blocks;
        let wanted = usize::try_from(self.free).map_or(offsets.len(), |free| free.min(offsets.len()));
        let mut beyond = 0;
        for offset in &mut offsets[..wanted] {
            *offset = loop {
                let from = draw();
                let Some(word) = self.words.get_mut((from / WORD) as usize) else { continue };
                let gaps = !*word & (u64::MAX << (from % WORD));
                let free = from - from % WORD + u64::from(gaps.trailing_zeros());
                if gaps == 0 || free >= end {
                    let Some(free) = self.take_beyond(from) else { continue };
                    beyond += 1;
                    break offset_of(free);
                }
                *word |= gaps & gaps.wrapping_neg();
                if *word == u64::MAX {
                    self.summarize(from / WORD);
                }
                break offset_of(free);
            };
        }
        self.free -= wanted as u64 - beyond;
        wanted
    }

    /// Takes the first free block of the words after that of `block`.
    #[cold]
    fn take_beyond(&mut self, block: u64) -> Option<u64> {
        let free = self.next_free(block)?;
        (self.take(free, 1) == 1).then_some(free)
    }

    /// Returns the first free block after a taken one, with wrap-around. Returns `None` if all are taken.
    pub fn next_free(&self, block: u64) -> Option<u64> {
        if block >= self.blocks {
            return None;
        }
        let from = if block + 1 == self.blocks { 0 } else { block + 1 };
        self.free_from(from).or_else(|| if from == 0 { None } else { self.free_from(0) })
    }

    fn level(&self, height: usize) -> &[u64] {
        height.checked_sub(1).map_or(&self.words, |above| &self.summaries[above])
    }

    /// Goes up to a word with a gap at or after the block, then down into the first gap.
    fn free_from(&self, block: u64) -> Option<u64> {
        let mut place = block;
        for height in 0..=self.summaries.len() {
            let word = *self.level(height).get((place / WORD) as usize)?;
            let gaps = !word & (u64::MAX << (place % WORD));
            if gaps != 0 {
                let place = place - place % WORD + u64::from(gaps.trailing_zeros());
                return self.descend(place, height);
            }
            place = place / WORD + 1;
        }
        None
    }

    fn descend(&self, mut place: u64, height: usize) -> Option<u64> {
        for height in (0..height).rev() {
            let word = *self.level(height).get(crate::number::size(place))?;
            place = place * WORD + u64::from((!word).trailing_zeros());
        }
        (place < self.blocks).then_some(place)
    }

    /// Takes up to `count` blocks from `block`. Stops at the first block that is taken or past the end. Returns the number
    /// taken. As in fio the unused bits of the last word can be taken: a block that is partly in the file has one.
    pub fn take(&mut self, block: u64, count: u64) -> u64 {
        let mut taken = 0;
        while taken < count {
            let at = block + taken;
            let (index, bit) = ((at / WORD) as usize, at % WORD);
            let Some(word) = self.words.get_mut(index) else { break };
            let wanted = (count - taken).min(WORD - bit);
            let free = u64::from((*word >> bit).trailing_zeros()).min(wanted);
            if free == 0 {
                break;
            }
            *word |= (u64::MAX >> (WORD - free)) << bit;
            if *word == u64::MAX {
                self.summarize(index as u64);
            }
            taken += free;
            if free < wanted {
                break;
            }
        }
        self.free = self.free.saturating_sub(taken);
        taken
    }

    #[cold]
    fn summarize(&mut self, mut full: u64) {
        for level in &mut self.summaries {
            let word = &mut level[(full / WORD) as usize];
            *word |= 1 << (full % WORD);
            if *word != u64::MAX {
                return;
            }
            full /= WORD;
        }
    }
}

fn zeroed(words: u64) -> Option<Vec<u64>> {
    let words = usize::try_from(words).ok()?;
    let mut level = Vec::new();
    level.try_reserve_exact(words).ok()?;
    level.resize(words, 0);
    Some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_found_once_from_any_start() {
        for blocks in [1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 300_000] {
            let mut map = RandomMap::new(blocks).unwrap();
            let mut found = vec![false; blocks as usize];
            let mut block = blocks / 3;
            assert_eq!(map.take(block, 1), 1);
            found[block as usize] = true;
            while let Some(next) = map.next_free(block) {
                assert!(!found[next as usize], "block {next} of {blocks} found again");
                assert_eq!(map.take(next, 1), 1);
                found[next as usize] = true;
                let elsewhere = (next * 7919 + 13) % blocks;
                block = if map.is_taken(elsewhere) { elsewhere } else { next };
            }
            assert!(found.iter().all(|&seen| seen), "{blocks} blocks: some were never found");
        }
    }

    #[test]
    fn the_memory_of_a_map_is_that_of_its_levels() {
        for blocks in [1, 64, 65, 4096, 4097, 300_000] {
            let map = RandomMap::new(blocks).unwrap();
            let words: usize = (0..=map.summaries.len()).map(|height| map.level(height).len()).sum();
            assert_eq!(RandomMap::memory_bytes(blocks), words as u64 * 8, "{blocks}");
        }
        assert!(RandomMap::memory_bytes(u64::MAX) > u64::MAX / 8);
    }

    #[test]
    fn a_run_stops_at_the_first_taken_block() {
        let mut map = RandomMap::new(1000).unwrap();
        assert_eq!(map.take(200, 1), 1);
        assert_eq!(map.take(10, 500), 190);
        assert_eq!(map.take(10, 1), 0);
        assert_eq!(map.take(201, 700), 700);
        assert_eq!(map.next_free(9), Some(901));
        map.clear();
        assert_eq!(map.take(0, 1000), 1000);
        assert_eq!(map.next_free(0), None);
    }

    #[test]
    fn a_block_past_the_end_takes_a_spare_bit_of_the_last_word_only() {
        let mut map = RandomMap::new(70).unwrap();
        assert_eq!(map.take(69, 5), 5);
        assert_eq!(map.next_free(69), Some(0));
        let mut full = RandomMap::new(64).unwrap();
        assert_eq!(full.take(63, 2), 1);
    }
}
