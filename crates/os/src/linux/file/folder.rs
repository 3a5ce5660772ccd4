//! Folders that are held open. Their entries are found through the descriptor, whatever becomes of the path, and symbolic
//! links are not followed.

#![expect(clippy::disallowed_methods, reason = "held folders are the guard")]

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, AtFlags, Mode};
use rustix::process::geteuid;

use super::id::FileId;

/// Permissions of new folders and files: other users have none.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// An open folder.
#[derive(Clone, Debug)]
pub struct Folder(Arc<File>);

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// Returns the error of the system call. The path is not a folder, or its last part is a symbolic link.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        OpenOptions::new().read(true).custom_flags(flags).open(path).map(Arc::new).map(Folder)
    }

    /// Holds the folder that a path leads to, as a place of files. This needs no permission to read it.
    ///
    /// # Errors
    /// Returns the error of the system call. The path leads to no folder.
    pub fn hold(path: &Path) -> io::Result<Folder> {
        // Without the dot, an automatic mount would not be made.
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        OpenOptions::new().read(true).custom_flags(flags).open(path.join(".")).map(Arc::new).map(Folder)
    }

    /// Holds a folder in this one. A symbolic link is not followed.
    ///
    /// # Errors
    /// As [`Folder::hold`].
    pub fn below(&self, name: impl AsRef<Path>) -> io::Result<Folder> {
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
        OpenOptions::new().read(true).custom_flags(flags).open(self.at(name)).map(Arc::new).map(Folder)
    }

    /// Makes a folder in this one, with permissions `mode` before the umask.
    ///
    /// # Errors
    /// The name exists, or the error of the system call.
    pub fn make_dir(&self, name: &Path, mode: u32) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, Mode::from_raw_mode(mode))?)
    }

    /// Removes a name of a file, or a symbolic link.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn unlink(&self, name: &Path) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Returns where the symbolic link `name` leads, and whether it belongs to the user of this process. `None` if it is no link.
    ///
    /// # Errors
    /// Another user has put the link in a sticky folder that all users write (`fs.protected_symlinks` of the kernel), or the
    /// error of a system call.
    pub fn destination(&self, name: &Path) -> io::Result<Option<(PathBuf, bool)>> {
        let flags = libc::O_PATH | libc::O_NOFOLLOW;
        let link = OpenOptions::new().read(true).custom_flags(flags).open(self.at(name))?;
        let found = link.metadata()?;
        if !found.is_symlink() {
            return Ok(None);
        }
        let folder = self.0.metadata()?;
        let user = geteuid().as_raw();
        let is_shared = folder.mode() & (libc::S_ISVTX | libc::S_IWOTH) == libc::S_ISVTX | libc::S_IWOTH;
        if is_shared && ![folder.uid(), user].contains(&found.uid()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let path = fs::readlinkat(&link, c"", Vec::new())?;
        Ok(Some((OsString::from_vec(path.into_bytes()).into(), found.uid() == user)))
    }

    /// Makes a folder in this one. Only this user has access to it.
    ///
    /// # Errors
    /// The name exists, or the error of a system call.
    pub fn make(&self, name: &str) -> io::Result<Folder> {
        DirBuilder::new().mode(FOLDER_MODE).create(self.at(name))?;
        let made = self.folder(name)?;
        match made.is_private()? {
            true => Ok(made),
            false => Err(io::Error::other("another user has put a folder in the place of this folder")),
        }
    }

    /// Makes a file in this folder.
    ///
    /// # Errors
    /// The name exists, or the error of the system call.
    pub fn make_file(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).mode(FILE_MODE).open(self.at(name))
    }

    /// Opens a file in this folder to read it.
    ///
    /// # Errors
    /// It is not a regular file, or the error of the system call.
    pub fn file(&self, name: &str) -> io::Result<File> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(self.at(name))?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Frees the end of a file with one name, so that the file has at most `bytes` bytes.
    ///
    /// # Errors
    /// It has another name or is not a regular file, or the error of a system call.
    pub fn shorten(&self, name: impl AsRef<Path>, bytes: u64) -> io::Result<()> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().write(true).custom_flags(flags).open(self.at(name))?;
        let found = file.metadata()?;
        if !found.is_file() || found.nlink() != 1 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if found.len() > bytes { file.set_len(bytes) } else { Ok(()) }
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn remove_empty(&self, name: impl AsRef<Path>) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name.as_ref(), AtFlags::REMOVEDIR)?)
    }

    /// Returns the identity of this folder.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn id(&self) -> io::Result<FileId> {
        FileId::below(self.as_fd(), Path::new("."))
    }

    /// Returns true if `path` leads to this folder.
    ///
    /// # Errors
    /// Returns the error of the system call. `NotFound` and `NotADirectory` mean that the path leads to no folder.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        Ok(FileId::at(&path.join("."))? == self.id()?)
    }

    /// Returns true if this user owns the folder and no other user has access to it.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn is_private(&self) -> io::Result<bool> {
        let found = self.0.metadata()?;
        Ok(found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0)
    }

    /// Returns a path of an entry that leads through the descriptor.
    pub fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        Path::new("/proc/self/fd").join(self.0.as_raw_fd().to_string()).join(name)
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
