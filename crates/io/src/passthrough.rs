//! Commands that reach a device without the block layer (`ioengine=io_uring_cmd`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ring::IoUring;

/// Commands through a ring.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Passthrough {
    /// Settings of the ring.
    pub ring: IoUring,
    /// The commands of the I/Os.
    pub commands: DeviceCommands,
}

/// A command set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceCommands {
    /// NVMe commands, to the generic character device of a namespace.
    Nvme(Nvme),
    /// SCSI commands, to the bsg device of a disk.
    Bsg(Bsg),
}

impl Default for DeviceCommands {
    fn default() -> Self {
        DeviceCommands::Nvme(Nvme::default())
    }
}

/// NVMe commands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Nvme {
    /// Reads access the medium (FUA).
    pub read_fua: bool,
    /// Commands of writes, at least one. The percentages add up to at most 100. The last command has the rest.
    pub writes: Vec<NvmeWriteShare>,
    /// Size of the separate metadata buffer of each I/O.
    pub metadata_bytes: u32,
    /// Protection information of the blocks.
    pub protection: NvmeProtection,
    /// Ranges of each trim.
    pub trim_ranges: u32,
    /// The device compares the blocks that are read back, instead of returning them.
    pub compares: bool,
    /// Placement of writes.
    pub placement: Option<DataPlacement>,
}

/// A command of writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct NvmeWriteShare {
    /// The command.
    pub command: NvmeWrite,
    /// Percentage of the writes.
    pub percent: u32,
    /// The data is written to the medium (FUA).
    pub fua: bool,
    /// Write zeroes also deallocates the blocks.
    pub deallocates: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NvmeWrite {
    #[default]
    Write,
    Uncorrectable,
    Zeroes,
    /// The device reads the blocks and compares nothing.
    Verify,
}

/// Protection information of NVMe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct NvmeProtection {
    /// The device inserts it into writes and removes it from reads. Otherwise the host makes and checks it.
    pub by_device: bool,
    /// The guards (checksums) are checked.
    pub checks_guard: bool,
    /// The application tags are checked.
    pub checks_application_tag: bool,
    /// The reference tags are checked.
    pub checks_reference_tag: bool,
    /// Application tag of the blocks.
    pub application_tag: u16,
    /// Bits of the application tag that are checked.
    pub application_tag_mask: u16,
}

/// Directives for the placement of writes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DataPlacement {
    /// Kind of directive.
    pub kind: PlacementKind,
    /// Choice of the identifier of a write.
    pub select: PlacementSelect,
    /// Streams: their identifiers. Flexible data placement: indices into the device's list. Empty: the whole list.
    pub ids: Vec<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacementKind {
    /// Flexible data placement (FDP).
    Flexible,
    Streams,
}

/// Choice of the identifier of a write.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacementSelect {
    RoundRobin,
    Random,
    /// By the offset: the first range that contains it. Other offsets have identifier 0.
    Scheme(Vec<PlacementRange>),
}

/// Offsets with their placement identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlacementRange {
    /// First offset of the range.
    pub start: u64,
    /// First offset behind the range.
    pub end: u64,
    /// Identifier of writes in the range.
    pub id: u16,
}

/// SCSI commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Bsg {
    /// Length of the commands.
    pub length: CommandLength,
    /// Reads load the blocks into the device's cache and transfer nothing.
    pub prefetches: bool,
    /// Reads access the medium (FUA).
    pub read_fua: bool,
    /// Writes access the medium (FUA).
    pub write_fua: bool,
    /// Writes verify the blocks. `None`: they write.
    pub verifies: Option<ByteCheck>,
}

/// Length of SCSI commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandLength {
    /// 10 bytes if the blocks fit into the command, else 16.
    #[default]
    Automatic,
    Bytes10,
    Bytes16,
    Bytes32,
}

/// What a verify command compares with the medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByteCheck {
    Nothing,
    /// All blocks with the data.
    Data,
    /// Each block with one block of data.
    OneBlock,
}
