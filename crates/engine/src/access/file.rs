//! The position of a worker in each of its files.

use plan::Ddir;
use random::{Lfsr, Normal, Pareto, Zipf};

use super::job::FileExtent;
use super::map::RandomMap;

#[derive(Clone, Debug)]
pub(super) struct File {
    /// Start of the extent.
    start: u64,
    /// Origin of offsets. Strides move it.
    pub(super) base: u64,
    pub(super) io_size: u64,
    pub(super) real_size: u64,
    /// Start of the last I/O, by direction; `None` before the first.
    pub(super) last_start: [Option<u64>; 3],
    pub(super) last_end: [u64; 3],
    /// Number of random blocks, by direction.
    pub(super) blocks: [u64; 3],
    pub(super) source: Source,
    pub(super) state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Closed,
    Open,
    Done,
}

/// Source of random blocks of a file.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Uniform,
    Mapped(RandomMap),
    Lfsr(Lfsr),
    Zipf(Zipf),
    Pareto(Pareto),
    Normal(Normal),
}

impl File {
    pub(super) fn new(extent: &FileExtent, blocks: [u64; 3], source: Source) -> Self {
        let &FileExtent { offset, io_size, real_size, .. } = extent;
        File {
            start: offset,
            base: offset,
            io_size,
            real_size,
            last_start: [None; 3],
            last_end: [offset; 3],
            blocks,
            source,
            state: State::Closed,
        }
    }

    /// Moves the extent.
    pub(super) fn move_to(&mut self, start: u64, real_size: u64) {
        (self.start, self.base, self.real_size) = (start, start, real_size);
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Returns the end of the extent.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.io_size)
    }

    /// Returns true if an I/O of `length` bytes at `offset` from the base is in the extent and in the file.
    #[inline]
    pub(super) fn has_room(&self, offset: u64, length: u64) -> bool {
        offset.saturating_add(length) <= self.io_size.min(self.real_size.saturating_sub(self.base))
    }

    /// Clears the map and sets sequential I/O to the base.
    pub(super) fn reset(&mut self, seed: u64) {
        self.last_end = [self.base; 3];
        self.last_start = [None; 3];
        match &mut self.source {
            Source::Mapped(map) => map.clear(),
            Source::Lfsr(lfsr) => lfsr.restart(seed),
            _ => {}
        }
    }

    pub(super) fn close(&mut self) {
        self.state = State::Closed;
        self.base = self.start;
    }

    #[inline]
    pub(super) fn advance(&mut self, ddir: Ddir, offset: u64, length: u64) {
        self.last_start[ddir as usize] = Some(offset);
        self.last_end[ddir as usize] = offset + length;
    }
}
