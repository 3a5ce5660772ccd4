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
    /// `None`: the content does not show it.
    pub damage: Option<Damage>,
}

/// The first difference that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyFault {
    /// There is no header.
    Magic {
        /// The first two bytes.
        found: u16,
    },
    Version {
        /// The version in the header.
        found: u8,
    },
    HeaderLength {
        /// The length in the header.
        found: u32,
        /// The length of the interval.
        wanted: u32,
    },
    Seed {
        /// The seed in the header.
        found: u64,
        /// The seed of the write.
        wanted: u64,
    },
    Offset {
        /// The offset in the header.
        found: u64,
        /// The offset of the interval.
        wanted: u64,
    },
    /// The number of the write.
    Sequence {
        /// The number in the header.
        found: u64,
        /// The number of the last write to the block.
        wanted: u64,
    },
    HeaderChecksum {
        /// The checksum in the header.
        found: u32,
        /// The checksum of the bytes of the header.
        computed: u32,
    },
    /// Checksum of the data, as hexadecimal digits.
    Checksum {
        /// What is verified.
        method: VerifyMethod,
        /// The checksum in the header.
        found: String,
        /// The checksum of the data that was read.
        computed: String,
    },
    /// The data is not the pattern.
    Pattern {
        /// Position of the first wrong byte in the interval.
        at: u32,
        /// This byte.
        found: u8,
        /// The byte of the pattern.
        wanted: u8,
    },
    /// The block was trimmed, and is not zero.
    NotZero {
        /// Position of the first wrong byte in the block.
        at: u32,
    },
}

/// What happened to a block, as far as its content shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Damage {
    /// All of it is zero.
    NeverWritten,
    /// It is the data of another place.
    Misdirected {
        /// The offset in its header.
        written_for: u64,
    },
    /// It is the data of an earlier write to this place: the later one was lost.
    Stale {
        /// Number of the earlier write.
        number: u64,
        /// Number of the lost write.
        wanted: u64,
    },
    /// It is the data of the write before the trim: the trim was lost, or the device does not return zeroes after it.
    NotTrimmed,
    /// Whole sectors of it are right, and others are not.
    Torn {
        /// Bytes of the sectors that are right.
        right_bytes: u32,
        /// Position of the first sector that is wrong, in the interval.
        wrong_at: u32,
    },
    /// Some bits differ.
    BitsFlipped {
        /// Their number.
        bits: u32,
        /// Position of the first byte that differs, in the interval.
        first_at: u32,
    },
}

/// What is wrong with the file of a verification state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateFault {
    /// It cannot be opened or read.
    Unreadable,
    Version {
        /// The version in the file.
        found: u64,
    },
    /// It is shorter than it says.
    Short,
    /// Its checksum is wrong.
    Checksum,
}
