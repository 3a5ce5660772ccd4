//! Identity of files and devices.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{self, AtFlags, Stat};

use crate::file::Inode;

/// Identity of a file or device: device and inode of the file, and the number of a device file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileId {
    inode: Inode,
    device_number: u64,
}

impl FileId {
    pub(super) fn of(state: &Stat) -> Self {
        FileId { inode: Inode { device: state.st_dev, number: state.st_ino }, device_number: state.st_rdev }
    }

    /// Returns the identity of the file that a path leads to.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::below(fs::CWD, path)
    }

    /// As [`FileId::at`], from an open folder.
    pub(super) fn below(folder: BorrowedFd, path: &Path) -> io::Result<Self> {
        Ok(FileId::of(&fs::statat(folder, path, AtFlags::empty())?))
    }

    pub(crate) fn inode(&self) -> Inode {
        self.inode
    }

    /// Returns the number of a device file.
    pub(crate) fn device_number(&self) -> u64 {
        self.device_number
    }

    /// Returns true for a device file.
    pub fn is_device_file(&self) -> bool {
        self.device_number != 0
    }
}
