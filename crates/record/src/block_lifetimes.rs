//! Trims and errors of the blocks of a target, as `block_error_percentiles` of fio reports them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    /// No trim of it has completed.
    #[default]
    Untrimmed,
    Trimmed,
    /// A trim of it failed.
    TrimFailed,
    /// A write of it failed.
    WriteFailed,
}

impl BlockState {
    /// Returns true for blocks with an error.
    pub fn is_failed(self) -> bool {
        matches!(self, BlockState::TrimFailed | BlockState::WriteFailed)
    }
}

/// A number of blocks with the same state and number of trims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlockCount {
    /// State of each block.
    pub state: BlockState,
    /// Completed trims of each block. After an error no trims are counted.
    pub trims: u64,
    /// Number of blocks.
    pub blocks: u64,
}

/// The blocks of a target, by state and number of trims.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BlockLifetimes {
    /// Sorted for percentiles: untrimmed, then trimmed, then failed blocks. Each group is sorted by number of trims.
    pub counts: Vec<BlockCount>,
}

impl BlockLifetimes {
    /// Adds blocks.
    pub fn add(&mut self, more: BlockCount) {
        let key = |count: &BlockCount| {
            let category = (count.state != BlockState::Untrimmed, count.state.is_failed());
            (category, count.trims, count.state)
        };
        match self.counts.binary_search_by_key(&key(&more), key) {
            Ok(at) => self.counts[at].blocks = self.counts[at].blocks.saturating_add(more.blocks),
            Err(at) => self.counts.insert(at, more),
        }
    }

    /// Adds the blocks of another worker.
    pub fn merge(&mut self, other: &BlockLifetimes) {
        other.counts.iter().for_each(|count| self.add(*count));
    }

    /// Returns the number of blocks in a state.
    pub fn in_state(&self, state: BlockState) -> u64 {
        self.counts.iter().filter(|count| count.state == state).map(|count| count.blocks).sum()
    }

    /// Returns the trims of the block at a percentile (0 to 100) of the blocks that were trimmed or failed. `None` if there are
    /// none. The rank is that of fio 3.42 (`calc_block_percentiles` in `stat.c`), at most the last block.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let used = || self.counts.iter().filter(|count| count.state != BlockState::Untrimmed);
        let total: u64 = used().map(|count| count.blocks).sum();
        let rank = units::number::whole(percent * total as f64 / 100.0).min(total.checked_sub(1)?);
        let mut before = 0;
        used()
            .find(|count| {
                before += count.blocks;
                rank < before
            })
            .map(|count| count.trims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetimes(counts: &[(BlockState, u64, u64)]) -> BlockLifetimes {
        let mut all = BlockLifetimes::default();
        counts.iter().for_each(|&(state, trims, blocks)| all.add(BlockCount { state, trims, blocks }));
        all
    }

    #[test]
    fn percentiles_are_of_trimmed_blocks_with_failed_ones_last() {
        use BlockState::{TrimFailed, Trimmed, Untrimmed, WriteFailed};
        let mut all = lifetimes(&[(WriteFailed, 1, 1), (Trimmed, 5, 2), (Untrimmed, 0, 90), (TrimFailed, 3, 1)]);
        all.merge(&lifetimes(&[(Trimmed, 5, 1), (Trimmed, 2, 5)]));
        let percentiles = [0.0, 49.0, 50.0, 79.0, 80.0, 90.0, 100.0].map(|percent| all.percentile(percent));
        assert_eq!(percentiles, [2, 2, 5, 5, 1, 3, 3].map(Some));
        assert_eq!([Untrimmed, Trimmed, TrimFailed, WriteFailed].map(|state| all.in_state(state)), [90, 8, 1, 1]);
        assert_eq!(lifetimes(&[(Untrimmed, 0, 4)]).percentile(50.0), None);
    }
}
