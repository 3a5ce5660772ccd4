//! Identity of files and devices.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::file::Inode;
use crate::linux::c_string::c_path;

/// Identity of a file or device: device and inode of the file, and the number of a device file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileId {
    inode: Inode,
    device_number: u64,
}

/// Returns the inode of an existing file or folder.
///
/// # Errors
/// Returns the error of the system call.
pub fn identity(path: &Path) -> io::Result<Inode> {
    std::fs::metadata(path).map(|found| Inode { device: found.dev(), number: found.ino() })
}

impl FileId {
    pub(super) fn of(state: &libc::stat) -> Self {
        FileId { inode: Inode { device: state.st_dev, number: state.st_ino }, device_number: state.st_rdev }
    }

    /// Returns the identity of the file that a path leads to.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::below(libc::AT_FDCWD, path, 0)
    }

    /// As [`FileId::at`], from an open folder, with flags of `fstatat`.
    pub(super) fn below(folder: i32, path: &Path, flags: i32) -> io::Result<Self> {
        let name = c_path(path)?;
        // SAFETY: all-zero bytes are a valid `stat`.
        let mut state: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the name is a C string and the kernel fills the structure.
        match unsafe { libc::fstatat(folder, name.as_ptr(), &mut state, flags) } {
            0 => Ok(FileId::of(&state)),
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub(super) fn inode(&self) -> Inode {
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
