//! Identity of files and devices.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::linux::c_string::c_path;

/// Identity of a file or device: device and inode of the file, and the number of a device file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileId {
    device: u64,
    inode: u64,
    device_number: u64,
}

/// Returns two numbers that identify an existing file or folder: device and inode.
///
/// # Errors
/// Returns the error of the system call.
pub fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

impl FileId {
    pub(super) fn of(state: &libc::stat) -> Self {
        FileId { device: state.st_dev, inode: state.st_ino, device_number: state.st_rdev }
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

    pub(super) fn pair(&self) -> (u64, u64) {
        (self.device, self.inode)
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
