//! Trims and errors of each block of a job's target (`block_error_percentiles` of fio).

use os::errno;
use plan::{Ddir, Job};
use record::{BlockCount, BlockLifetimes, BlockState, LayoutError, RunError};

use crate::target::Target;
use crate::worker::in_flight::InFlightIo;

/// Number of blocks that fio 3.42 counts (`MAX_NR_BLOCK_INFOS` in `stat.h`).
const BLOCKS_MAX: u64 = 8192;

/// The blocks of the job's part of its only target.
pub struct BlockTable {
    start: u64,
    block_bytes: u64,
    /// State and completed trims of each block.
    blocks: Vec<(BlockState, u64)>,
}

impl BlockTable {
    /// Returns the table of a job. `None` if the job does not count blocks.
    ///
    /// # Errors
    /// The job does not have exactly one target, or its part of it has no blocks or more than 8192.
    pub fn new(worker: Job<'_>, targets: &[Target]) -> Result<Option<Self>, RunError> {
        if !worker.measure.block_lifetimes {
            return Ok(None);
        }
        let block_bytes = worker.load.access.block.min_bytes[Ddir::Trim].max(1);
        let bytes = targets.first().and_then(|target| target.io_size.bytes());
        let blocks = bytes.unwrap_or(0) / block_bytes;
        if targets.len() != 1 || !(1..=BLOCKS_MAX).contains(&blocks) {
            let (job, targets) = (worker.name.clone(), targets.len() as u64);
            let kind = LayoutError::BlockLifetimes { job, targets, blocks, blocks_max: BLOCKS_MAX };
            return Err(RunError::new(errno::EINVAL, kind));
        }
        let blocks = vec![(BlockState::Untrimmed, 0); crate::number::size(blocks)];
        Ok(Some(BlockTable { start: targets[0].offset, block_bytes, blocks }))
    }

    /// Counts a completed trim, unless its block had an error.
    pub fn completed(&mut self, ddir: Ddir, io: &InFlightIo) {
        if let Some((state, trims)) = self.block(io)
            && ddir == Ddir::Trim
            && !state.is_failed()
        {
            *state = BlockState::Trimmed;
            *trims += 1;
        }
    }

    /// Marks the block of a trim or a write that failed.
    pub fn failed(&mut self, ddir: Ddir, io: &InFlightIo) {
        let failed = match ddir {
            Ddir::Read => return,
            Ddir::Write => BlockState::WriteFailed,
            Ddir::Trim => BlockState::TrimFailed,
        };
        if let Some((state, _)) = self.block(io)
            && !state.is_failed()
        {
            *state = failed;
        }
    }

    /// Resets the trim counts at the end of the ramp. Failed blocks stay failed.
    pub fn end_ramp(&mut self) {
        for (state, trims) in &mut self.blocks {
            *trims = 0;
            if *state == BlockState::Trimmed {
                *state = BlockState::Untrimmed;
            }
        }
    }

    /// Returns the blocks by state and number of trims.
    pub fn lifetimes(&self) -> BlockLifetimes {
        let mut lifetimes = BlockLifetimes::default();
        self.blocks.iter().for_each(|&(state, trims)| lifetimes.add(BlockCount { state, trims, blocks: 1 }));
        lifetimes
    }

    /// Returns the block at the start of an I/O. A remainder of the target that is smaller than a block is not counted.
    fn block(&mut self, io: &InFlightIo) -> Option<&mut (BlockState, u64)> {
        let block = io.offset.checked_sub(self.start)? / self.block_bytes;
        self.blocks.get_mut(crate::number::size(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::in_flight::{Purpose, Times};

    #[test]
    fn a_block_counts_trims_until_its_first_error() {
        let mut table = BlockTable { start: 4096, block_bytes: 512, blocks: vec![(BlockState::Untrimmed, 0); 3] };
        let io = |block: u64| InFlightIo {
            purpose: Purpose::Data(Ddir::Trim),
            ioprio: 0,
            file: 0,
            offset: 4096 + block * 512,
            len: 512,
            done: 0,
            times: Times::default(),
        };
        table.completed(Ddir::Trim, &io(0));
        table.failed(Ddir::Write, &io(1));
        table.end_ramp();
        // A read changes no block, and there is no block 3.
        table.failed(Ddir::Read, &io(0));
        table.failed(Ddir::Trim, &io(3));
        for block in [0, 0, 1, 2] {
            table.completed(Ddir::Trim, &io(block));
        }
        table.failed(Ddir::Trim, &io(2));
        table.failed(Ddir::Write, &io(2));
        table.completed(Ddir::Trim, &io(2));
        table.completed(Ddir::Write, &io(0));
        let expected = [(BlockState::Trimmed, 2), (BlockState::WriteFailed, 0), (BlockState::TrimFailed, 1)];
        assert_eq!(table.blocks, expected);
    }
}
