//! Trims of several ranges in one I/O (`num_range`).

use plan::{Ddir, Job};

use crate::access::{Generator, Io, Next};
use crate::passthrough;

/// Bytes of a range in the buffer: start and length.
pub const RANGE_BYTES: usize = 16;

/// Collects trims of the pattern into one I/O.
pub struct TrimRanges {
    /// Ranges of an I/O.
    most: usize,
    ranges: Vec<(u64, u64)>,
    /// A step of the pattern that ended the last I/O early.
    pending: Option<Next>,
}

/// The next step of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// One I/O for the collected ranges. Its offset is that of the first range, its length the sum.
    Trim(Io),
    Other(Next),
}

impl TrimRanges {
    /// `None`: each trim of the worker has one range.
    pub fn new(job: Job<'_>) -> Option<Self> {
        let most = crate::number::size(passthrough::trim_ranges(job));
        (most > 1).then(|| TrimRanges::of(most))
    }

    pub fn of(most: usize) -> Self {
        TrimRanges { most, ranges: Vec::with_capacity(most), pending: None }
    }

    /// Returns the next step. Ranges of one I/O are in one file.
    pub fn next(&mut self, access: &mut Generator) -> Step {
        self.collect(|| access.next())
    }

    fn collect(&mut self, mut next: impl FnMut() -> Next) -> Step {
        self.ranges.clear();
        let mut trim: Option<Io> = None;
        while self.ranges.len() < self.most {
            let step = self.pending.take().unwrap_or_else(&mut next);
            match step {
                Next::Io(io) if io.ddir == Ddir::Trim && trim.is_none_or(|trim| trim.file == io.file) => {
                    self.ranges.push((io.offset, io.length));
                    let length = trim.map_or(0, |trim| trim.length) + io.length;
                    let wrapped = io.wrapped || trim.is_some_and(|trim| trim.wrapped);
                    trim = Some(Io { offset: trim.map_or(io.offset, |trim| trim.offset), length, wrapped, ..io });
                }
                step if trim.is_some() => {
                    self.pending = Some(step);
                    break;
                }
                step => return Step::Other(step),
            }
        }
        trim.map_or(Step::Other(Next::PassDone), Step::Trim)
    }

    /// Writes the collected ranges to the start of a buffer. Unused ranges have the length 0.
    pub fn write(&self, buffer: &mut [u8]) {
        let ranges = self.ranges.iter().copied().chain(std::iter::repeat((0, 0)));
        for ((start, length), place) in ranges.zip(buffer.chunks_exact_mut(RANGE_BYTES).take(self.most)) {
            place[..8].copy_from_slice(&start.to_ne_bytes());
            place[8..].copy_from_slice(&length.to_ne_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trim(file: usize, offset: u64) -> Next {
        Next::Io(Io { ddir: Ddir::Trim, file, offset, length: 4096, wrapped: false })
    }

    #[test]
    fn trims_of_one_file_are_one_io() {
        let mut ranges = TrimRanges::of(3);
        let mut steps = vec![
            trim(0, 0),
            trim(0, 8192),
            trim(0, 4096),
            trim(0, 12288),
            trim(1, 0),
            Next::FileDone { file: 1 },
            Next::PassDone,
        ];
        steps.reverse();
        let mut next = || steps.pop().unwrap_or(Next::PassDone);
        let io = |file, offset, length| Step::Trim(Io { ddir: Ddir::Trim, file, offset, length, wrapped: false });
        assert_eq!(ranges.collect(&mut next), io(0, 0, 3 * 4096));
        let mut buffer = vec![0xff; 64];
        ranges.write(&mut buffer);
        let numbers: Vec<u64> = buffer[..48].as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect();
        assert_eq!(numbers, [0, 4096, 8192, 4096, 4096, 4096]);
        assert_eq!(ranges.collect(&mut next), io(0, 12288, 4096));
        ranges.write(&mut buffer);
        assert_eq!(buffer[16..48], [0; 32]);
        assert_eq!(ranges.collect(&mut next), io(1, 0, 4096));
        assert_eq!(ranges.collect(&mut next), Step::Other(Next::FileDone { file: 1 }));
        assert_eq!(ranges.collect(&mut next), Step::Other(Next::PassDone));
    }
}
