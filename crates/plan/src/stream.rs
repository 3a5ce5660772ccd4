//! A pattern for each target, and queues over them: DiskSpd's thread.
//!
//! A fio job has one pattern over all its files. A DiskSpd thread has a stream for each of its targets, and
//! keeps I/Os in flight for each stream by itself or over all of them by weight. One generator serves all streams of a
//! worker, so that equal seeds give DiskSpd's own offsets.

use std::ops::Range;

use crate::ddir::Ddir;
use crate::target::{Open, Part};
pub use io::{Flush, Mapping};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The I/O of a worker.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Streams {
    pub list: Vec<Stream>,
    pub queues: Vec<Queue>,
    /// Seed of the worker's generator.
    pub seed: u64,
    /// Length of the intervals with counts of their own; 0 is none.
    pub interval_ms: u32,
}

impl Streams {
    /// Whether a stream has a rate or bursts.
    pub fn is_paced(&self) -> bool {
        self.list.iter().any(|stream| stream.rate != StreamRate::Unlimited || stream.burst.is_some())
    }

    /// Bytes per second of a direction that all streams together are limited to; `None` unless each has a limit.
    pub fn bytes_per_s(&self, ddir: Ddir) -> Option<f64> {
        let of_stream = |stream: &Stream| match stream.rate {
            StreamRate::BytesPerMs(bytes) => Some(bytes * 1000.0 * stream.share(ddir)),
            StreamRate::Unlimited => None,
        };
        self.list.iter().map(of_stream).sum()
    }

    /// I/Os in flight in all.
    pub fn depth(&self) -> u32 {
        self.queues.iter().map(|queue| queue.depth).sum()
    }
}

/// I/Os in flight. The stream of the next I/O is selected by weight.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    pub depth: u32,
    pub shares: Vec<StreamShare>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StreamShare {
    /// Place in [`Streams::list`].
    pub stream: u32,
    pub weight: u32,
}

/// The I/O of one worker on one target.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Stream {
    pub path: String,
    /// Streams of workers of a phase with the same number are on the same target: they share one interlocked offset.
    pub target: u32,
    pub open: Open,
    pub hints: AccessHints,
    /// The target is mapped into memory, and blocks are copied.
    pub mapping: Option<Mapping>,
    /// The kernel's `ioprio` value of each I/O; 0 is the default.
    pub ioprio: u16,
    /// Creates the file before the phase.
    pub create: Option<NewFile>,
    pub block_bytes: u32,
    /// Start of the used range.
    pub base_bytes: u64,
    /// End of the used range, from the start of the target; `None` is the end of the target.
    pub end_bytes: Option<u64>,
    /// The part of that range that this host uses. The host with the first part creates the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Start of this worker, relative to the start of its range.
    pub start_bytes: u64,
    pub order: Order,
    pub spread: Spread,
    pub write_percent: u32,
    pub content: WriteContent,
    pub rate: StreamRate,
    pub burst: Option<Burst>,
}

/// Sequential reads of the whole target.
impl Default for Stream {
    fn default() -> Self {
        Stream {
            path: String::new(),
            target: 0,
            open: Open::default(),
            hints: AccessHints::default(),
            mapping: None,
            ioprio: 0,
            create: None,
            block_bytes: 4096,
            base_bytes: 0,
            end_bytes: None,
            part: None,
            start_bytes: 0,
            order: Order::Sequential { stride_bytes: 4096 },
            spread: Spread::Uniform,
            write_percent: 0,
            content: WriteContent::Counting,
            rate: StreamRate::Unlimited,
            burst: None,
        }
    }
}

impl Stream {
    /// Returns the share of the I/Os that have this direction.
    pub fn share(&self, ddir: Ddir) -> f64 {
        let writes = f64::from(self.write_percent) / 100.0;
        match ddir {
            Ddir::Read => 1.0 - writes,
            Ddir::Write => writes,
            Ddir::Trim => 0.0,
        }
    }

    /// Returns true if another host creates the file.
    pub fn is_created_elsewhere(&self) -> bool {
        self.create.is_some() && self.part.is_some_and(|part| part.index > 0)
    }

    /// Returns the used range of a target of that size, in bytes. It is empty if it begins beyond the end of the target.
    pub fn range(&self, target_bytes: u64) -> Range<u64> {
        let end = self.end_bytes.map_or(target_bytes, |end| end.min(target_bytes));
        let whole = self.base_bytes..end.max(self.base_bytes);
        match self.part {
            Some(part) => part.of(whole, u64::from(self.block_bytes)),
            None => whole,
        }
    }

    /// Whether each I/O in that direction has an intended start, as in [`crate::Worker::has_intended_starts`].
    pub fn has_intended_starts(&self, ddir: Ddir) -> bool {
        let used = match ddir {
            Ddir::Read => self.write_percent < 100,
            Ddir::Write => self.write_percent > 0,
            Ddir::Trim => false,
        };
        used && self.rate != StreamRate::Unlimited && self.burst.is_none()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Sequential {
        stride_bytes: u64,
    },
    /// Each I/O in flight has its own sequential offset.
    Parallel {
        stride_bytes: u64,
    },
    /// One offset for all workers on the target.
    Interlocked {
        stride_bytes: u64,
    },
    Random {
        align_bytes: u64,
    },
    /// Percentage of random I/Os. The other I/Os continue from the last random offset.
    Mixed {
        align_bytes: u64,
        percent: u32,
    },
}

impl Order {
    /// Returns true if at least some offsets are random.
    pub fn is_random(self) -> bool {
        matches!(self, Order::Random { .. } | Order::Mixed { .. })
    }

    /// Returns the distance of sequential offsets, or the alignment of random ones.
    pub fn stride_bytes(self) -> u64 {
        match self {
            Order::Sequential { stride_bytes }
            | Order::Parallel { stride_bytes }
            | Order::Interlocked { stride_bytes } => stride_bytes,
            Order::Random { align_bytes } | Order::Mixed { align_bytes, .. } => align_bytes,
        }
    }
}

/// The distribution of random offsets: percentages of the I/O over ranges of the target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    Uniform,
    /// (percent of I/O, percent of the target)
    Percent(Vec<(u32, u32)>),
    /// (percent of I/O, bytes); 0 bytes is the rest of the target.
    Absolute(Vec<(u32, u64)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct AccessHints {
    pub random: bool,
    pub sequential: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NewFile {
    pub bytes: u64,
    pub zeros: bool,
}

/// The data of writes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteContent {
    /// The bytes 0, 1, … 255, repeated.
    Counting,
    Zero,
    /// New random bytes for each write, from the worker's own generator.
    Fresh,
    /// A random position of a buffer of `bytes` bytes: random bytes, or the bytes of a file, repeated.
    Source {
        bytes: u64,
        file: Option<String>,
    },
}

/// For one worker on one target, counted as I/Os are issued.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamRate {
    Unlimited,
    BytesPerMs(f64),
}

/// A pause after each `ios` I/Os.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Burst {
    pub ios: u32,
    pub pause_ms: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_ends_with_the_target_and_is_divided_at_multiples_of_the_block() {
        let whole = Stream { block_bytes: 4096, base_bytes: 4096, end_bytes: Some(1 << 20), ..Stream::default() };
        assert_eq!((whole.range(u64::MAX), whole.range(8192)), (4096..1 << 20, 4096..8192));
        assert!(whole.range(4000).is_empty());
        let part =
            |index, target_bytes| Stream { part: Some(Part { index, count: 3 }), ..whole.clone() }.range(target_bytes);
        // Eight blocks, and a remainder of 100 bytes.
        assert_eq!([0, 1, 2].map(|index| part(index, 9 * 4096 + 100)), [4096..12288, 12288..20480, 20480..36964]);
        assert_eq!([0, 1, 2].map(|index| part(index, 3 * 4096).count()), [2730, 2730, 2732], "two blocks for three");
    }

    #[test]
    fn the_first_host_creates_a_file() {
        let create = Some(NewFile { bytes: 4096, zeros: false });
        let stream = |index| Stream { create, part: Some(Part { index, count: 2 }), ..Stream::default() };
        assert_eq!([0, 1].map(|index| stream(index).is_created_elsewhere()), [false, true]);
        assert!(!Stream { create, ..Stream::default() }.is_created_elsewhere());
        assert!(!Stream { create: None, ..stream(1) }.is_created_elsewhere());
    }
}
