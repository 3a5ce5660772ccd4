//! Where a worker is in each of its files.

use plan::Ddir;
use units::random::{Lfsr, Normal, Pareto, Zipf};

use super::map::RandomMap;

/// The part of a file that a worker works on.
#[derive(Clone, Copy, Debug)]
pub struct FileExtent<'a> {
    /// The path as the job names it: it goes into the seeds of skewed distributions.
    pub name: &'a str,
    pub offset: u64,
    /// Bytes of a pass, from the offset on.
    pub io_size: u64,
    /// Bytes of the whole file or device.
    pub real_size: u64,
}

/// No I/O has started yet.
pub(super) const NOWHERE: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(super) struct File {
    /// Where the extent begins, and where offsets are counted from now: strides move it.
    start: u64,
    pub(super) base: u64,
    pub(super) io_size: u64,
    pub(super) real_size: u64,
    pub(super) last_start: [u64; 3],
    pub(super) last_end: [u64; 3],
    /// Places for random blocks, by direction.
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

/// Where random blocks of a file come from.
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
            last_start: [NOWHERE; 3],
            last_end: [offset; 3],
            blocks,
            source,
            state: State::Closed,
        }
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The end of the extent.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.io_size)
    }

    /// Forgets what was touched: the map is clear and sequential I/O begins at the base.
    pub(super) fn reset(&mut self, seed: u64) {
        self.last_end = [self.base; 3];
        self.last_start = [NOWHERE; 3];
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
        self.last_start[ddir as usize] = offset;
        self.last_end[ddir as usize] = offset + length;
    }
}
