//! Errors of a worker's I/O.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{EngineCall, MetadataOperation, OpenCall};
use crate::passthrough::CommandStatus;
use crate::verification::FailedVerification;

/// An error of a worker's I/O, or of its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoError {
    Open {
        path: String,
        call: OpenCall,
        is_direct: bool,
    },
    Close {
        path: String,
    },
    Sync {
        path: String,
    },
    /// An engine that creates, examines or removes files failed on one.
    Metadata {
        path: String,
        operation: MetadataOperation,
    },
    Failed(FailedIo),
    /// A command completed with an error status of its command set.
    Command {
        io: FailedIo,
        status: CommandStatus,
    },
    /// An I/O transferred nothing: the target is shorter than before.
    NothingMoved {
        path: String,
        ddir: Ddir,
        offset: u64,
    },
    /// An I/O took longer than the job's limit.
    LatencyExceeded {
        path: String,
        ddir: Ddir,
        offset: u64,
        bytes: u32,
        latency_ns: u64,
        limit_ns: u64,
    },
    /// The latency target is missed at a depth of 1.
    LatencyTargetMissed {
        latency_ns: u64,
        target_ns: u64,
    },
    BelowMinimumRate(BelowMinimum),
    /// A block is not what was written.
    Verification(FailedVerification),
    /// A call of the I/O engine failed. `engine` is its name, as written.
    Engine {
        engine: String,
        call: EngineCall,
    },
    /// Pages of the file with the worker's I/O buffers are missing. Their data is lost.
    BuffersLost {
        path: String,
    },
    /// I/Os of a stopped worker do not complete.
    Unanswered {
        subject: Subject,
        ios: u32,
    },
    /// The worker does not stop.
    Stuck {
        subject: Subject,
    },
}

/// A worker as the dialects name it: fio by job, DiskSpd by targets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    pub job: String,
    /// Empty for a worker without streams.
    pub targets: Vec<String>,
}

/// An I/O that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FailedIo {
    pub path: String,
    /// `None` for a sync.
    pub ddir: Option<Ddir>,
    pub offset: u64,
    pub bytes: u32,
}

/// A rate below the worker's minimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BelowMinimum {
    pub ddir: Ddir,
    pub unit: RateUnit,
    pub minimum_per_s: u64,
    pub measured_per_s: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateUnit {
    Bytes,
    Ios,
}
