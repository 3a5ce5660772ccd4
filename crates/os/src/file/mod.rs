//! Files and devices as targets: open, type, size, allocation, page cache.

#[cfg(any(target_os = "linux", windows))]
mod create;
#[cfg(any(target_os = "linux", windows))]
mod folder;
mod kinds;
#[cfg(any(target_os = "linux", windows))]
mod open_file;
mod options;

pub use crate::system::file::{File, FileId, Folder, close, copy_access, identity, is_own};
#[cfg(any(target_os = "linux", windows))]
pub use crate::system::file::{
    NULL_DEVICE, canonicalize, check_writable, direct_alignment, is_dax, physical, space, stat, written,
};
pub use ::io::{StatCall, WriteHint};
#[cfg(any(target_os = "linux", windows))]
pub use create::FileCreator;
pub use kinds::{Advice, Kind, Space, Status, Written};
pub use options::OpenOptions;

/// Place of a file or folder: the device of its file system, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inode {
    pub device: u64,
    pub number: u64,
}
