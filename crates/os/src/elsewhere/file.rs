//! Files and folders, by calls that all Unix systems have.

#![expect(clippy::disallowed_methods, reason = "the one call that opens files")]

use std::fs::Metadata;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::process::geteuid;

use crate::file::{Inode, Kind, OpenOptions};
pub use crate::unix::{close, copy_access, identity, is_own};

/// Identity of a file or folder.
pub type FileId = Inode;

impl Kind {
    /// Returns the type of a file by its metadata.
    pub fn of(found: &Metadata) -> Self {
        let kind = found.file_type();
        match () {
            () if kind.is_block_device() => Kind::Block,
            () if kind.is_char_device() => Kind::Char,
            () if kind.is_fifo() => Kind::Pipe,
            () if kind.is_dir() => Kind::Directory,
            () if kind.is_socket() => Kind::Socket,
            () => Kind::Regular,
        }
    }
}

impl OpenOptions {
    /// Returns the flags. The options of targets have no effect here.
    fn flags(&self) -> OFlags {
        let all = [
            (self.write && !self.read, OFlags::WRONLY),
            (self.write && self.read, OFlags::RDWR),
            (self.create, OFlags::CREATE),
            (self.exclusive, OFlags::EXCL),
            (self.truncate, OFlags::TRUNC),
            (self.append, OFlags::APPEND),
            (self.nonblock || self.identify, OFlags::NONBLOCK),
            (self.no_follow, OFlags::NOFOLLOW),
        ];
        let set = all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag);
        set.collect::<OFlags>() | OFlags::CLOEXEC | OFlags::NOCTTY
    }

    /// Opens `path`.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.open_at(fs::CWD, path, path)
    }

    /// Opens `name` in `folder`. `path` is the name of the file in messages.
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open_in(&self, folder: &Folder, name: &Path, path: &Path) -> io::Result<File> {
        self.open_at(folder.open.as_fd(), name, path)
    }

    fn open_at(&self, folder: BorrowedFd, name: &Path, path: &Path) -> io::Result<File> {
        let mode = Mode::from_bits_truncate(self.mode as _);
        let file = std::fs::File::from(fs::openat(folder, name, self.flags(), mode)?);
        let found = file.metadata()?;
        Ok(File { file: Arc::new(file), path: path.to_owned(), found })
    }
}

/// An open file.
#[derive(Clone, Debug)]
pub struct File {
    file: Arc<std::fs::File>,
    path: PathBuf,
    /// What it was when it was opened.
    found: Metadata,
}

impl File {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file.
    pub fn at(&self) -> PathBuf {
        self.path.clone()
    }

    pub fn kind(&self) -> Kind {
        Kind::of(&self.found)
    }

    pub fn id(&self) -> FileId {
        self.identity()
    }

    /// Returns the inode, as [`identity`] does.
    pub fn identity(&self) -> Inode {
        Inode { device: self.found.dev(), number: self.found.ino() }
    }

    /// Returns true if the file belonged to the user of this process when it was opened.
    pub fn is_of_user(&self) -> bool {
        self.found.uid() == geteuid().as_raw()
    }

    /// Gives the open file the flags of these options that can be changed: `append` and `nonblock`.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn open_again(&self, options: OpenOptions) -> io::Result<File> {
        fs::fcntl_setfl(&self.file, options.flags())?;
        Ok(self.clone())
    }

    /// Sets the length of the file.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)
    }

    /// Returns the file as one of the standard library.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn into_std(self) -> io::Result<std::fs::File> {
        Arc::try_unwrap(self.file).or_else(|file| file.try_clone())
    }
}

/// An open folder. Files are opened and identified in it, other calls find entries by its path.
#[derive(Clone, Debug)]
pub struct Folder {
    open: Arc<OwnedFd>,
    path: PathBuf,
}

impl Folder {
    /// Holds the folder that a path leads to, as a place of files. Without `O_PATH`, this needs the permission to read it.
    ///
    /// # Errors
    /// Returns the error of the system call. The path leads to no folder.
    pub fn hold(path: &Path) -> io::Result<Folder> {
        Folder::opened(fs::CWD, path, std::path::absolute(path)?, OFlags::empty())
    }

    /// Holds a folder in this one. A symbolic link is not followed.
    ///
    /// # Errors
    /// As [`Folder::hold`].
    pub fn below(&self, name: impl AsRef<Path>) -> io::Result<Folder> {
        Folder::opened(self.open.as_fd(), name.as_ref(), self.at(&name), OFlags::NOFOLLOW)
    }

    fn opened(above: BorrowedFd, name: &Path, path: PathBuf, follow: OFlags) -> io::Result<Folder> {
        let open = fs::openat(above, name, OFlags::DIRECTORY | OFlags::CLOEXEC | follow, Mode::empty())?;
        Ok(Folder { open: Arc::new(open), path })
    }

    /// Returns where the symbolic link `name` leads, and whether it belongs to the user of this process. `None` if it is no link.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn destination(&self, name: &Path) -> io::Result<Option<(PathBuf, bool)>> {
        let link = self.at(name);
        let found = link.symlink_metadata()?;
        let is_users = found.uid() == geteuid().as_raw();
        if found.is_symlink() { Ok(Some((std::fs::read_link(link)?, is_users))) } else { Ok(None) }
    }

    /// Removes a name of a file, or a symbolic link.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn unlink(&self, name: &Path) -> io::Result<()> {
        Ok(fs::unlinkat(&self.open, name, AtFlags::empty())?)
    }

    /// Returns the identity of this folder.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn id(&self) -> io::Result<FileId> {
        let found = fs::fstat(&self.open)?;
        Ok(Inode { device: found.st_dev as u64, number: found.st_ino })
    }

    /// Returns the path of an entry.
    pub fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }
}
