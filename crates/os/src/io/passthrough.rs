//! Configuration of the io_uring_cmd engine: commands that reach a device without the block layer.

use std::io;

use ::io::DeviceCommands;

/// The commands of the engine, with the seeds of their generators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassthroughConfig {
    pub commands: DeviceCommands,
    pub seeds: CommandSeeds,
}

/// Seeds of the generators of NVMe commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CommandSeeds {
    /// For the command of a write.
    pub write: u64,
    /// For the random choice of a placement identifier.
    pub placement: u64,
}

/// Most placement identifiers of a file, as in fio.
pub const PLACEMENT_IDS_MAX: usize = 128;

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
