//! Commands of the sg engine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// SCSI commands of reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Scsi {
    pub hipri: bool,
    /// Reads access the medium (FUA).
    pub read_fua: bool,
    /// Writes access the medium (FUA).
    pub write_fua: bool,
    pub write: ScsiWrite,
}

/// Command of a write to a SCSI device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScsiWrite {
    #[default]
    Write,
    WriteAndVerify,
    /// One block of data, written to each block of the range.
    WriteSame,
    WriteSameWithoutData,
    WriteStream {
        /// Number of the stream.
        id: u16,
    },
    /// The device reads the range and compares nothing.
    VerifyMedium,
    /// The device compares the range with the data.
    VerifyData,
    /// The device compares each block of the range with one block of data.
    VerifyBlock,
}
