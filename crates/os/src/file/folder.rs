//! What the held folders of all systems have.

#![expect(clippy::disallowed_methods, reason = "held folders are the guard")]

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::Folder;

impl Folder {
    /// Opens a folder in this one.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn folder(&self, name: impl AsRef<Path>) -> io::Result<Folder> {
        Folder::open(&self.at(name))
    }

    /// Returns the names in this folder.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(self.at(""))?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Returns the length of a file.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn bytes_of(&self, name: impl AsRef<Path>) -> io::Result<u64> {
        Ok(self.at(name).symlink_metadata()?.len())
    }

    /// Removes a file, a link or a folder with its contents.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn remove(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let path = self.at(name);
        if path.symlink_metadata()?.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
    }

    /// Gives a file of this folder a second name in another folder.
    ///
    /// # Errors
    /// The name exists, or the error of the system call.
    pub fn link(&self, name: &str, to: &Folder, new_name: impl AsRef<Path>) -> io::Result<()> {
        std::fs::hard_link(self.at(name), to.at(new_name))
    }
}
