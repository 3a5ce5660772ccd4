//! Verification: what is written with the data, and what is checked when it is read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::buffer::PatternPart;

/// Verification of the blocks of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Verify {
    pub method: VerifyMethod,
    /// Reads the written blocks after each pass.
    pub read_back: bool,
    /// Nothing is written: the blocks of an earlier run of the same job are read.
    pub only: bool,
    /// Distance between two headers in a block.
    pub interval_bytes: u32,
    /// Offset of the header in its interval.
    pub header_offset_bytes: u32,
    /// Data of the blocks. Empty: random data, from a seed in the header.
    pub pattern: Vec<PatternPart>,
    /// Bytes after which the pattern starts again; 0: the size of the block.
    pub pattern_interval_bytes: u32,
    /// Stops the whole job at the first error.
    pub fatal: bool,
    /// Writes blocks with errors to files.
    pub dump: bool,
    /// Threads that verify. 0: the thread of the job does.
    pub threads: u32,
    /// CPUs of these threads. Empty: all.
    pub cpus: Vec<u32>,
    /// Reads written blocks between the writes.
    pub backlog: Option<VerifyBacklog>,
    /// Trims written blocks between the writes.
    pub trims: Option<VerifyTrims>,
    /// Only writes before the last completed sync are checked.
    pub only_synced: bool,
    /// The number of the write in the header must be right.
    pub checks_sequence: bool,
    /// The seed in the header must be right.
    pub checks_seed: bool,
    /// The I/Os are generated again instead of stored.
    pub regenerates: bool,
    /// Writes the state at the end of the job to a file.
    pub saves_state: bool,
    /// Reads the state of an earlier run.
    pub loads_state: bool,
    /// Folder of the files of states and blocks. `None`: the working directory.
    pub folder: Option<String>,
    /// Writes can have the same blocks as earlier writes of the pass.
    pub overwrites: bool,
}

/// What is checked in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum VerifyMethod {
    /// The header, and the pattern if there is one.
    Header,
    Md5,
    Crc64,
    Crc32,
    Crc32c,
    Crc16,
    Crc7,
    Sha256,
    Sha512,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Xxhash,
    Sha1,
    /// The pattern, and a header.
    PatternWithHeader,
    /// The pattern. There is no header.
    Pattern,
    /// Nothing. Blocks are read back all the same.
    Null,
}

/// Verification between writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyBacklog {
    /// Written blocks after which some are verified.
    pub blocks: u64,
    /// Blocks that are verified together; 0: all that were written.
    pub batch: u32,
}

/// Trims of written blocks between writes. The trimmed blocks are verified as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyTrims {
    /// Share of the written blocks.
    pub percent: u32,
    /// Written blocks after which some are trimmed.
    pub blocks: u64,
    /// Blocks that are trimmed together; 0: as many as `blocks`.
    pub batch: u32,
    /// Trimmed blocks must be read as zeroes. Otherwise they are not read.
    pub reads_zeroes: bool,
}
