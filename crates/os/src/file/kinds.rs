//! What files are and have.

use std::ops::Range;

/// File type of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Regular,
    Block,
    Char,
    /// A FIFO or pipe.
    Pipe,
    Directory,
    Socket,
}

/// Access pattern of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Advice {
    #[default]
    Normal,
    Random,
    Sequential,
    NoReuse,
}

/// Status of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub kind: Kind,
    pub bytes: u64,
    /// Bytes allocated on the device.
    pub allocated: u64,
    /// Major and minor number of the device that stores the file.
    pub device: (u32, u32),
    /// Major and minor number of a device file.
    pub is_device: (u32, u32),
    pub inode: u64,
    pub mode: u32,
}

/// Size of a file system, and the bytes that this user can still write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Space {
    pub total_bytes: u64,
    pub free_bytes: u64,
}

/// Unwritten bytes of a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// Neither the file system nor the device reports them.
    Unknown,
    Known {
        /// Minimum number of unwritten bytes. It is exact except for files with more than a million extents, and for
        /// devices that report only how much they store.
        bytes_unwritten: u64,
        /// The first unwritten range, if its place is known.
        first: Option<Range<u64>>,
    },
}
