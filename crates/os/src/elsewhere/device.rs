//! Devices. Their uses are not known here: files are written, devices are not.

use std::fs::metadata;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::device::TargetUse;
use crate::file::Inode;

/// What is in use on this machine.
pub struct InUseSnapshot(());

impl InUseSnapshot {
    /// Returns a snapshot.
    ///
    /// # Errors
    /// None.
    pub fn take() -> io::Result<Self> {
        Ok(InUseSnapshot(()))
    }

    /// Returns no holders of a regular file.
    ///
    /// # Errors
    /// The path is not a regular file, or cannot be examined.
    pub fn holders(&self, path: &Path) -> io::Result<Vec<TargetUse>> {
        let unknown = || io::Error::new(io::ErrorKind::Unsupported, "the uses of devices are not known on this system");
        if metadata(path)?.is_file() { Ok(Vec::new()) } else { Err(unknown()) }
    }

    /// Returns the identity of an existing file or folder.
    ///
    /// # Errors
    /// Returns the error of reading the path.
    pub fn identities(&self, path: &Path) -> io::Result<Vec<Inode>> {
        crate::file::identity(path).map(|id| vec![id])
    }
}

/// Returns `None`: only the name `overlay` has a meaning for the commands that show saved runs.
///
/// # Errors
/// None.
pub fn file_system(_path: &Path) -> io::Result<Option<String>> {
    Ok(None)
}

/// Returns true for `/dev/null`, under any name.
pub fn is_without_storage(path: &Path) -> bool {
    number(path).is_some_and(|found| number(Path::new("/dev/null")) == Some(found))
}

/// Returns true for the terminal of this process, under any name.
pub fn is_terminal(path: &Path) -> bool {
    let Some(found) = number(path) else { return false };
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let is_it = |stream: BorrowedFd| {
        stream.is_terminal() && rustix::fs::fstat(stream).is_ok_and(|terminal| terminal.st_rdev as u64 == found)
    };
    number(Path::new("/dev/tty")) == Some(found)
        || [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()].into_iter().any(is_it)
}

/// Returns the number of a character device. `None` for other files.
fn number(path: &Path) -> Option<u64> {
    metadata(path).ok().filter(|found| found.file_type().is_char_device()).map(|found| found.rdev())
}
