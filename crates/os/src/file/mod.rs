//! Files and devices as targets: open, type, size, allocation, page cache.

mod create;
mod kinds;
mod options;

pub use crate::system::file::{
    File, FileId, Folder, NULL_DEVICE, canonicalize, check_writable, close, copy_access, direct_alignment, identity,
    is_dax, is_own, space, stat, written,
};
pub use ::io::StatCall;
pub use create::FileCreator;
pub use kinds::{Advice, Kind, Space, Status, WriteHint, Written};
pub use options::OpenOptions;

/// Place of a file or folder: the device of its file system, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inode {
    pub device: u64,
    pub number: u64,
}
