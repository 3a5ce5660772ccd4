//! Folders that are held open.
//!
//! Entries are found by path. A folder that is open cannot be removed, and a replaced one is noticed by its identity
//! ([`Folder::is_at`]).

#![expect(clippy::disallowed_methods, reason = "held folders are the guard")]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::OwnedHandle;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windows_sys::Win32::Storage::FileSystem::{FILE_ATTRIBUTE_DIRECTORY, FILE_FLAG_OPEN_REPARSE_POINT};

use super::id::{FileId, information, of_handle, open_for_information};

/// An open folder.
#[derive(Clone, Debug)]
pub struct Folder {
    handle: Arc<OwnedHandle>,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// Returns the error of the call. The path is not a folder, or its last part is a symbolic link.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Self::opened(path, false)
    }

    /// Holds the folder that a path leads to, as a place of files. This needs no permission to read it.
    ///
    /// # Errors
    /// Returns the error of the call. The path leads to no folder.
    pub fn hold(path: &Path) -> io::Result<Folder> {
        Self::opened(path, true)
    }

    fn opened(path: &Path, follow: bool) -> io::Result<Folder> {
        let handle = Arc::new(open_for_information(path, follow)?);
        if information(&*handle)?.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY == 0 {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder { handle, path: std::path::absolute(path)? })
    }

    /// Holds a folder in this one. A symbolic link is not followed.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn below(&self, name: impl AsRef<Path>) -> io::Result<Folder> {
        Folder::open(&self.at(name))
    }

    /// Makes a folder in this one.
    ///
    /// # Errors
    /// The name exists, or the error of the call.
    pub fn make_dir(&self, name: &Path, _mode: u32) -> io::Result<()> {
        fs::create_dir(self.at(name))
    }

    /// Removes a file or a symbolic link.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn unlink(&self, name: &Path) -> io::Result<()> {
        fs::remove_file(self.at(name))
    }

    /// Returns where the symbolic link `name` leads, and true. `None` if it is no link.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn destination(&self, name: &Path) -> io::Result<Option<(PathBuf, bool)>> {
        let path = self.at(name);
        if path.symlink_metadata()?.is_symlink() { fs::read_link(path).map(|to| Some((to, true))) } else { Ok(None) }
    }

    /// Returns the identity of this folder.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn id(&self) -> io::Result<FileId> {
        of_handle(&self.handle)
    }

    /// Makes a folder in this one, with its permissions.
    ///
    /// # Errors
    /// The name exists, or the error of a call.
    pub fn make(&self, name: &str) -> io::Result<Folder> {
        fs::create_dir(self.at(name))?;
        self.folder(name)
    }

    /// Makes a file in this folder.
    ///
    /// # Errors
    /// The name exists, or the error of the call.
    pub fn make_file(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.at(name))
    }

    /// Opens a file in this folder to read it.
    ///
    /// # Errors
    /// It is not a regular file, or the error of the call.
    pub fn file(&self, name: &str) -> io::Result<File> {
        let file = OpenOptions::new().read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(self.at(name))?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Frees the end of a file with one name, so that the file has at most `bytes` bytes.
    ///
    /// # Errors
    /// It has another name or is not a regular file, or the error of a call.
    pub fn shorten(&self, name: impl AsRef<Path>, bytes: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(self.at(name))?;
        let found = file.metadata()?;
        if !found.is_file() || information(&file)?.nNumberOfLinks != 1 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if found.len() > bytes { file.set_len(bytes) } else { Ok(()) }
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn remove_empty(&self, name: impl AsRef<Path>) -> io::Result<()> {
        fs::remove_dir(self.at(name))
    }

    /// Returns true if `path` leads to this folder.
    ///
    /// # Errors
    /// Returns the error of the call. `NotFound` and `NotADirectory` mean that the path leads to no folder.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        Ok(FileId::at(path)? == of_handle(&self.handle)?)
    }

    /// Returns true: new folders have the access rights of the folder above. Those of the user's own folders exclude others.
    ///
    /// # Errors
    /// None.
    pub fn is_private(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Returns the path of an entry.
    pub fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }
}
