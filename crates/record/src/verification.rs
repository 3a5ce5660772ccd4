//! Blocks that failed their verification.

use plan::VerifyMethod;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A block, or an interval of one, that is not what was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FailedVerification {
    pub path: String,
    /// The interval with the error.
    pub offset: u64,
    pub bytes: u32,
    /// The I/O that read it.
    pub block_offset: u64,
    pub block_bytes: u32,
    pub fault: VerifyFault,
    /// `None`: the data is not of this job, or damaged beyond what can be told.
    pub damage: Option<Damage>,
}

/// The first difference that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyFault {
    /// There is no header.
    Magic {
        found: u16,
    },
    Version {
        found: u8,
    },
    HeaderLength {
        found: u32,
        wanted: u32,
    },
    Seed {
        found: u64,
        wanted: u64,
    },
    Offset {
        found: u64,
        wanted: u64,
    },
    /// The number of the write.
    Sequence {
        found: u64,
        wanted: u64,
    },
    HeaderChecksum {
        found: u32,
        computed: u32,
    },
    /// Checksum of the data, as hexadecimal digits: in the header, and as computed.
    Checksum {
        method: VerifyMethod,
        found: String,
        computed: String,
    },
    /// The pattern: position in the interval, and the byte there.
    Pattern {
        at: u32,
        found: u8,
        wanted: u8,
    },
}

/// What happened to a block, as far as its content shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Damage {
    /// All of it is zero.
    NeverWritten,
    /// It is the data of another place.
    Misdirected { written_for: u64 },
    /// It is the data of an earlier write to this place: the later one was lost.
    Stale { number: u64, wanted: u64 },
    /// A part of it is right, from its start or to its end.
    Torn { right_bytes: u32, wrong_at: u32 },
    /// Some bits differ.
    BitsFlipped { bits: u32, first_at: u32 },
}

/// What is wrong with the file of a verification state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateFault {
    /// It cannot be opened or read.
    Unreadable,
    Version {
        found: u64,
    },
    /// It is shorter than it says.
    Short,
    /// Its checksum is wrong.
    Checksum,
}
