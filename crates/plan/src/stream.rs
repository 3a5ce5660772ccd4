//! A pattern for each target, and queues over them: DiskSpd's thread.
//!
//! Where fio's job has one pattern over all its files, a thread of DiskSpd's has a stream for each of its targets, and
//! keeps I/Os in flight for each stream by itself or over all of them by weight. One generator serves all streams of a
//! worker, so that equal seeds give DiskSpd's own offsets.

use crate::ddir::Ddir;
use crate::target::Open;
use serde::{Deserialize, Serialize};

/// All that a worker's I/O consists of.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Streams {
    pub list: Vec<Stream>,
    pub queues: Vec<Queue>,
    /// Where the worker's generator starts.
    pub seed: u64,
    /// Counts are kept for each interval of this length, too; 0 is none.
    pub interval_ms: u32,
}

impl Streams {
    /// I/Os in flight in all.
    pub fn depth(&self) -> u32 {
        self.queues.iter().map(|queue| queue.depth).sum()
    }
}

/// I/Os in flight together; each next one goes to one of the streams.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Queue {
    pub depth: u32,
    pub shares: Vec<StreamShare>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StreamShare {
    /// Place in [`Streams::list`].
    pub stream: u32,
    pub weight: u32,
}

/// What is done to one target by one worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stream {
    pub path: String,
    /// Streams of workers of a phase with the same number are on the same target: they share one interlocked offset.
    pub target: u32,
    pub open: Open,
    pub hints: AccessHints,
    /// The target is mapped into memory, and blocks are copied.
    pub mapping: Option<Mapping>,
    /// The kernel's priority word of each I/O; 0 leaves it alone.
    pub ioprio: u16,
    /// Create the file again before the phase.
    pub create: Option<NewFile>,
    pub block_bytes: u32,
    /// Start of the part that is used.
    pub base_bytes: u64,
    /// Its end, from the start of the target; `None` is the target's own.
    pub end_bytes: Option<u64>,
    /// Where this worker begins, from `base_bytes` on.
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Sequential {
        stride_bytes: u64,
    },
    /// Each I/O in flight goes through the target by itself.
    Parallel {
        stride_bytes: u64,
    },
    /// One offset for all workers on the target.
    Interlocked {
        stride_bytes: u64,
    },
    /// 100 percent is all random; else the rest goes on from the last random place.
    Random {
        align_bytes: u64,
        percent: u32,
    },
}

/// How random offsets are spread over the target: shares of the I/O in percent, over shares of the target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    Uniform,
    /// (percent of I/O, percent of the target)
    Percent(Vec<(u32, u32)>),
    /// (percent of I/O, bytes); 0 bytes is all that is left.
    Absolute(Vec<(u32, u64)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AccessHints {
    pub random: bool,
    pub sequential: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mapping {
    /// Blocks are written around the processor's caches.
    pub write_through: bool,
    /// What follows each write.
    pub flush: Option<Flush>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// `msync(2)` of the block.
    View,
    /// The block's cache lines are written back, and waited for.
    CacheLines,
    /// The same without waiting.
    CacheLinesNoDrain,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NewFile {
    pub bytes: u64,
    pub zeros: bool,
}

/// What is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteContent {
    /// Bytes 0, 1, … 255 over and over.
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
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamRate {
    Unlimited,
    BytesPerMs(f64),
}

/// A pause after each `ios` I/Os.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Burst {
    pub ios: u32,
    pub pause_ms: u32,
}
