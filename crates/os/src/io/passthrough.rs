//! Configuration of the io_uring_cmd engine: commands that reach a device without the block layer.

use std::io;

/// The commands of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PassthroughConfig {
    /// NVMe commands, to the generic character device of a namespace (`/dev/ng0n1`).
    Nvme(NvmeConfig),
    /// SCSI commands, to the bsg device of a disk (`/dev/bsg/0:0:0:0`).
    Scsi(ScsiCommandConfig),
}

/// The commands for an NVMe namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NvmeConfig {
    /// Reads access the medium (FUA).
    pub read_fua: bool,
    /// Commands of writes. Each has a percentage, and the percentages add up to 100.
    pub writes: Vec<NvmeWriteShare>,
    /// Seed of the generator that chooses the command of a write.
    pub write_seed: u64,
    /// Bytes of the separate metadata buffer of each operation.
    pub metadata_bytes: u32,
    /// Ranges of a trim. Above 1 they are at the start of the slot's buffer: start and length in bytes, as numbers of 64 bits
    /// of the machine. Ranges of length 0 are unused.
    pub trim_ranges: u32,
    pub protection: ProtectionConfig,
    pub placement: Option<PlacementConfig>,
}

/// A command of writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NvmeWriteShare {
    pub command: NvmeWrite,
    pub percent: u32,
    pub fua: bool,
    /// Write zeroes also deallocates the blocks (DEAC).
    pub deallocate: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NvmeWrite {
    Write,
    Uncorrectable,
    Zeroes,
    /// The device reads the blocks and compares nothing.
    Verify,
}

/// Protection information of NVMe: a guard (checksum), an application tag and a reference tag per block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProtectionConfig {
    /// The device inserts it into writes and removes it from reads (PRACT). Otherwise the host makes and checks it.
    pub by_device: bool,
    pub checks_guard: bool,
    pub checks_application_tag: bool,
    pub checks_reference_tag: bool,
    pub application_tag: u16,
    pub application_tag_mask: u16,
}

/// Placement of writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacementConfig {
    pub kind: PlacementKind,
    pub select: PlacementSelect,
    /// Streams: their identifiers. Flexible data placement: indices into the device's list. Empty: the whole list.
    pub ids: Vec<u16>,
    /// Seed of the random choice.
    pub seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacementKind {
    /// Flexible data placement (FDP).
    Flexible,
    Streams,
}

/// Choice of the identifier of a write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlacementSelect {
    RoundRobin,
    Random,
    /// By the offset. Other offsets have identifier 0.
    Scheme(Vec<PlacementRange>),
}

/// Offsets with their identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacementRange {
    pub start: u64,
    /// First offset behind the range.
    pub end: u64,
    pub id: u16,
}

/// Most placement identifiers of a file, as in fio.
pub const PLACEMENT_IDS_MAX: usize = 128;

/// The commands for a SCSI disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScsiCommandConfig {
    pub length: CommandLength,
    /// Reads load the blocks into the device's cache and transfer nothing.
    pub prefetches: bool,
    pub read_fua: bool,
    pub write_fua: bool,
    /// Writes verify the blocks. `None`: they write.
    pub verifies: Option<ByteCheck>,
}

/// Length of SCSI commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandLength {
    /// 10 bytes if the blocks fit into the command, else 16.
    Automatic,
    Bytes10,
    Bytes16,
    Bytes32,
}

/// What a verify command compares with the medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteCheck {
    Nothing,
    /// All blocks with the data.
    Data,
    /// Each block with one block of data.
    OneBlock,
}

/// A device that accepts the engine's commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassthroughDevice {
    pub bytes: u64,
    /// Lengths and offsets are multiples of it. It includes metadata that is interleaved with the data.
    pub unit_bytes: u32,
    /// Data of a logical block.
    pub block_bytes: u32,
    /// Metadata of a logical block in a separate buffer. 0 if there is none.
    pub separate_metadata_bytes: u32,
    /// Protection information is part of the data that the host transfers.
    pub protection_in_data: bool,
}

/// Why a device does not accept the engine's commands.
#[derive(Debug)]
pub enum PassthroughProblem {
    NotACharacterDevice,
    Open(io::Error),
    /// It is no namespace of an NVMe device.
    NotANamespace(io::Error),
    /// The identify command failed.
    Identify(io::Error),
    /// The namespace has storage tags, or a guard that requires them.
    StorageTag,
    /// The list of reclaim unit handles cannot be read: the namespace has no flexible data placement.
    NoPlacement(io::Error),
    /// An index into the list of placement identifiers is beyond its end.
    PlacementIndex {
        index: u16,
        count: u32,
    },
    /// It is no bsg device of a disk.
    NotADisk(io::Error),
}

/// Offset of a status of the device in the errno of a completion.
const DEVICE_STATUS: i32 = 1 << 16;
/// Offset of a status that the host found.
const HOST_STATUS: i32 = 1 << 17;

/// A failure that no errno describes, as a status of the device's command set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandStatus {
    /// The device reported it.
    Device(u16),
    /// The host found it in the data: a status code of NVMe.
    Host(u16),
}

impl CommandStatus {
    /// Returns the number in place of an errno in a completion.
    pub fn errno(self) -> i32 {
        match self {
            CommandStatus::Device(status) => DEVICE_STATUS | i32::from(status),
            CommandStatus::Host(status) => HOST_STATUS | i32::from(status),
        }
    }

    /// Returns the status in the errno of a completion. `None` if it is an errno of the system.
    pub fn of(errno: i32) -> Option<Self> {
        let status = |offset: i32| u16::try_from(errno - offset).ok();
        match errno {
            HOST_STATUS.. => status(HOST_STATUS).map(CommandStatus::Host),
            DEVICE_STATUS.. => status(DEVICE_STATUS).map(CommandStatus::Device),
            _ => None,
        }
    }
}
