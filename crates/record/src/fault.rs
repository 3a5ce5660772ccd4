//! Errors of the operating system, and why the I/O, the content, the streams or the logs of a worker cannot be set up.

use std::fmt;

use io::TargetUse;
use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::errno;
use units::untrusted::UntrustedText;

/// An error of the operating system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OsError {
    /// 0 if it has none.
    pub errno: i32,
    /// Text of an error that has no errno.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<UntrustedText>,
}

/// Formats the system's text, such as `No such file or directory`.
impl fmt::Display for OsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => text.fmt(f),
            None => f.write_str(&errno::text(self.errno)),
        }
    }
}

/// Why the I/O of a job cannot be generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessFault {
    NoFiles,
    NoDirection,
    BlockSize {
        ddir: Ddir,
        min_bytes: u64,
        max_bytes: u64,
    },
    /// The shares of the zones do not add up to 100 percent.
    ZoneShares {
        ddir: Ddir,
    },
    /// A zone of 0 bytes, or in a range of 0 bytes.
    Strides,
    MapMemory {
        blocks: u64,
    },
    /// No shift register has this number of values.
    LfsrRange,
    /// The seed is the state that a shift register never leaves.
    LfsrSeed,
    /// No SSD with this overprovisioning has a steady state.
    Overprovisioning,
    /// The regions of the preconditioning are smaller than a block or the cache.
    RegionSize {
        region_bytes: u64,
        cache_bytes: u64,
    },
}

/// Why a job's buffers cannot be filled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentFault {
    /// The pattern has no bytes.
    EmptyPattern,
    PatternFile {
        path: String,
        error: OsError,
    },
    /// The working set of the repeated buffers is smaller than a write.
    EmptyWorkingSet,
    /// The size of the working set depends on the job's size, which is unknown.
    UnknownSize,
    WorkingSetMemory {
        buffers: u64,
    },
}

/// Why a stream cannot run on its target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamFault {
    NoBlock,
    NoStride,
    /// The used part begins at its end or after it.
    BaseBeyondEnd {
        base_bytes: u64,
        end_bytes: u64,
        target_bytes: u64,
    },
    BlockTooLarge {
        block_bytes: u32,
        part_bytes: u64,
        target_bytes: u64,
    },
    StartBeyondEnd {
        start_bytes: u64,
        block_bytes: u32,
        part_bytes: u64,
        target_bytes: u64,
    },
    /// No range of the distribution is in the used part.
    DistributionOutside {
        part_bytes: u64,
    },
    /// The shares of a distribution, of the I/O or of the target, do not add up to 100 percent.
    DistributionShares,
    NoRate,
    /// Only I/Os that are bound to a target can have this.
    NeedsOwnQueue {
        feature: BoundFeature,
    },
    NoWeight,
    SourceTooSmall {
        source_bytes: u64,
        block_bytes: u32,
    },
    /// The data of writes is missing.
    NoSource,
}

/// A feature that needs outstanding I/Os of the target's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoundFeature {
    /// An offset per outstanding I/O.
    ParallelOffsets,
    RateOrBurst,
}

/// Why a log cannot be created or written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFault {
    File {
        path: String,
    },
    /// The output guard refuses the file.
    Refused {
        path: String,
        refusal: Box<OutputRefusal>,
    },
    /// The kernel does not have the clock of the log's times.
    Clock {
        id: i32,
    },
    /// The writer's thread cannot be started.
    Thread,
    /// The writer's thread ended early.
    ThreadEnded,
}

/// The part of a run's memory that is for one use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryShare {
    pub used_for: MemoryUse,
    pub bytes: u64,
}

/// What a run needs memory for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryUse {
    /// Data of the I/Os in flight.
    Buffers,
    /// Metadata and ranges of the commands in flight.
    CommandBuffers,
    /// State of the I/Os in flight.
    Queues,
    /// The blocks of a random pattern.
    RandomMap,
    /// The written blocks to verify.
    WrittenBlocks,
    /// Threads that verify.
    VerifyThreads,
    /// The set of repeated buffers.
    WorkingSet,
    /// Locked memory.
    Locked,
    /// The log of I/Os to replay.
    Replay,
    /// The memory that is the target.
    Target,
    /// Data to write.
    WriteSource,
    Zones,
    Files,
    Threads,
    Latencies,
    Logs,
    /// Report and record.
    Other,
}

/// Why the program does not write a file.
#[derive(Clone, PartialEq, Eq, Debug, strum::Display, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputRefusal {
    /// It is a target of the run.
    #[strum(to_string = "this file would replace the target {path}")]
    Target { path: String },
    #[strum(to_string = "this is a directory, not a file")]
    Directory,
    #[strum(to_string = "this is a block device, not a file")]
    BlockDevice,
    /// A character device other than a terminal, `/dev/null` and the like.
    #[strum(to_string = "this is a character device, and fathom cannot check whether its disk is in use")]
    CharacterDevice,
    #[strum(to_string = "this file is {0}: the output would replace it")]
    InUse(TargetUse),
    /// Its uses cannot be determined.
    #[strum(to_string = "whether this file is in use cannot be determined: {0}")]
    UsesUnknown(OsError),
    /// Another file is at its path since it was checked.
    #[strum(to_string = "this file was replaced by another file")]
    Replaced,
    /// It belongs to another user, and the user of this process has not named it.
    #[strum(to_string = "this file or link belongs to another user: remove it, or run in another folder")]
    OtherUser,
    /// It is a pipe that no program reads.
    #[strum(to_string = "this is a pipe, and no program has opened it to read")]
    NoReader,
}

impl std::error::Error for OutputRefusal {}

/// What is wrong with a log to replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayFault {
    /// It cannot be opened or read.
    Unreadable,
    /// It has none of the known formats.
    NotALog,
    /// A record is not one of blktrace, or of another version.
    BadRecord {
        /// From 1.
        record: u64,
    },
    /// It names other files than it did when the targets were checked.
    Changed,
}
