//! Errors of commands that reach a device without the block layer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a device cannot be used with the commands of a job. Sizes are in bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PassthroughProblem {
    /// Only the generic character device of an NVMe namespace takes NVMe commands, and only a bsg device SCSI commands.
    NotACharacterDevice { is_scsi: bool },
    /// The device cannot be opened.
    Open,
    /// The character device is no namespace of an NVMe device.
    NotANamespace,
    /// The character device is no bsg device of a disk.
    NotADisk,
    /// The namespace cannot be identified.
    Identify,
    /// The namespace has storage tags.
    StorageTag,
    /// The namespace has no flexible data placement.
    NoPlacement,
    /// A placement identifier is not in the device's list.
    PlacementIndex { index: u16, count: u32 },
    /// A block size is no multiple of the device's. `metadata_bytes` is the part of `unit_bytes` that is metadata.
    BlockSize { block_bytes: u64, unit_bytes: u64, metadata_bytes: u64 },
    /// The metadata buffer of an I/O is too small.
    MetadataBuffer { bytes: u64, needed_bytes: u64 },
    /// Written blocks cannot be verified: protection information is between the data.
    Unverifiable,
}

/// A status of a command set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandStatus {
    /// Status code type and status code of NVMe.
    Nvme { code_type: u8, code: u8 },
    /// Status of the SCSI device, and of the host adapter.
    Scsi { device: u8, host: u8 },
    /// The host found wrong protection information in what was read. The status is the one with which a device reports it.
    Protection { code: u8 },
}
