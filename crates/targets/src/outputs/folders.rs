//! Folders of outputs, and outputs in them.

#![expect(clippy::disallowed_methods, reason = "this is the guard")]

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use os::errno;
use os::file::{File, Folder, Inode, Kind, OpenOptions};
use record::OutputRefusal;

use super::error::{OutputError, of_folder};
use super::links::without_links;
use crate::folders::{Entry, Folders, HeldFolder, or_dot};
use crate::lock::lock;

/// Who has chosen the name of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBy {
    User,
    /// The name is made of that of a job. Files and links of other users at this name are refused.
    Program,
}

/// Attempts to open a pipe without a reader, and the pause between them: 5 s.
const PIPE_TRIES: u32 = 100;
const PIPE_PAUSE: Duration = Duration::from_millis(50);

/// Folders of outputs, held from the check of a run to its end. Links to folders and outputs are followed once.
#[derive(Debug, Default)]
pub struct OutputFolders {
    folders: Folders,
    /// By path: the folder, or the nearest one above it that existed when it was held, and the names below that.
    known: Mutex<HashMap<PathBuf, Entry>>,
    /// Outputs whose name is a link.
    links: Mutex<HashMap<PathBuf, OutputEntry>>,
}

impl OutputFolders {
    /// Holds a folder.
    ///
    /// # Errors
    /// The error of a system call.
    pub fn hold(&self, path: &Path) -> io::Result<()> {
        self.folder(path).map(drop)
    }

    /// Holds the folder of an output. If the name is a link, also that of the file that it leads to.
    ///
    /// # Errors
    /// The name is refused, or the error of a system call.
    pub fn hold_output(&self, path: &Path, named_by: NamedBy) -> Result<(), OutputError> {
        self.find(path, named_by).map(drop)
    }

    pub(crate) fn release(&self) {
        lock(&self.links).clear();
        lock(&self.known).clear();
        self.folders.release_unused();
    }

    fn folder(&self, path: &Path) -> io::Result<Entry> {
        if let Some(known) = lock(&self.known).get(path) {
            return Ok(known.clone());
        }
        let (above, folder) = self.folders.nearest(path)?;
        let found = Entry { folder, name: path.strip_prefix(&above).unwrap_or(path).to_owned() };
        Ok(lock(&self.known).entry(path.to_owned()).or_insert(found).clone())
    }

    fn entry(&self, path: &Path) -> Result<Entry, OutputError> {
        let Some(name) = path.file_name() else { return Err(OutputRefusal::Directory.into()) };
        let folder = self.folder(path.parent().unwrap_or(Path::new(""))).map_err(of_folder)?;
        Ok(Entry { name: folder.name.join(name), ..folder })
    }

    /// Finds the place of an output. A link at its name is followed once, here.
    pub(super) fn find(&self, path: &Path, named_by: NamedBy) -> Result<OutputEntry, OutputError> {
        if let Some(known) = lock(&self.links).get(path) {
            return Ok(known.clone());
        }
        let entry = self.entry(path)?;
        let folder = entry.folder().map_err(of_folder)?;
        let by_program = named_by == NamedBy::Program;
        let is_link = match folder.destination(entry.file_name()) {
            Ok(Some((_, is_users))) if by_program && !is_users => return Err(OutputRefusal::OtherUser.into()),
            Err(error) if by_program && error.kind() == ErrorKind::PermissionDenied => {
                return Err(OutputRefusal::OtherUser.into());
            }
            Err(error) if by_program && error.kind() != ErrorKind::NotFound => return Err(error.into()),
            found => found.is_ok_and(|link| link.is_some()),
        };
        if !is_link {
            return Ok(OutputEntry { entry, through_link: None, is_users: by_program });
        }
        let found = follow(entry, &folder)?;
        Ok(lock(&self.links).entry(path.to_owned()).or_insert(found).clone())
    }
}

/// Follows the link at the name of an output.
fn follow(entry: Entry, folder: &Folder) -> Result<OutputEntry, OutputError> {
    let at = folder.at(entry.file_name());
    let real = match std::fs::metadata(&at).map(|found| Kind::of(&found)) {
        Ok(kind) => match std::fs::canonicalize(&at) {
            Ok(real) if matches!(kind, Kind::Regular | Kind::Directory) && real.parent().is_some() => real,
            // A pipe, a device, or an open file without a name, below `/proc`.
            _ => return Ok(OutputEntry { entry, through_link: Some(kind), is_users: false }),
        },
        // The kernel does not follow the link, for example one of another user in a folder such as `/tmp`.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(error.into()),
        Err(_) => without_links(&at),
    };
    let (Some(above), Some(name)) = (real.parent(), real.file_name()) else {
        return Err(OutputRefusal::Directory.into());
    };
    let folder = Arc::new(HeldFolder::of(Folder::hold(or_dot(above))?));
    Ok(OutputEntry { entry: Entry { folder, name: name.into() }, through_link: None, is_users: false })
}

/// A file or a missing file in a held folder.
#[derive(Clone, Debug)]
pub(super) struct OutputEntry {
    entry: Entry,
    /// The name is a link to a pipe, a device or a file without a name. It is opened through the link.
    through_link: Option<Kind>,
    /// Only a file of the user of this process is opened.
    pub(super) is_users: bool,
}

/// The place of an output. Its folder is open: if its path leads to another folder later, the file is still in it.
#[derive(Clone, Debug)]
pub struct OutputPlace {
    at: PathBuf,
    folder: Folder,
    entry: OutputEntry,
    /// What was there at the check.
    pub(super) id: Option<Inode>,
}

impl OutputPlace {
    /// Returns a path to the file through its open folder.
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// Opens the pipe or device that was there at the check, to write it.
    ///
    /// # Errors
    /// Something else is there, the pipe has no reader, or the error of a system call.
    pub fn open_stream(&self) -> Result<std::fs::File, OutputError> {
        let file = self.entry.open_existing(false)?;
        if self.id != Some(file.identity()) || file.kind() == Kind::Regular {
            return Err(OutputRefusal::Replaced.into());
        }
        Ok(file.into_std()?)
    }
}

impl OutputEntry {
    pub(super) fn place(&self) -> Result<OutputPlace, OutputError> {
        let folder = self.entry.folder().map_err(of_folder)?;
        Ok(OutputPlace { at: folder.at(self.entry.file_name()), folder, entry: self.clone(), id: None })
    }

    /// Opens the file to write it. No link is followed, except one to a pipe, a device or a file without a name.
    pub(super) fn open(&self, options: &OpenOptions) -> Result<File, OutputError> {
        let place = self.place()?;
        let options = OpenOptions { no_follow: self.through_link.is_none(), ..*options };
        options.open_in(&place.folder, self.entry.file_name(), &place.at).map_err(of_folder)
    }

    /// Opens a file that exists. A pipe is waited for, until a program reads it.
    pub(super) fn open_existing(&self, append: bool) -> Result<File, OutputError> {
        let options = OpenOptions { write: true, append, nonblock: true, ..OpenOptions::new() };
        for _ in 0..PIPE_TRIES {
            match self.open(&options) {
                Err(error) if error.is(errno::ENXIO) => std::thread::sleep(PIPE_PAUSE),
                Ok(file) if self.is_users && !file.is_of_user() => return Err(OutputRefusal::OtherUser.into()),
                Ok(file) if self.through_link.is_some_and(|kind| kind != file.kind()) => {
                    return Err(OutputRefusal::Replaced.into());
                }
                Ok(file) if file.kind() == Kind::Regular => return Ok(file),
                // Without the flag, a write waits for the reader.
                file => return Ok(file?.open_again(OpenOptions { nonblock: false, ..options })?),
            }
        }
        Err(OutputRefusal::NoReader.into())
    }
}

/// Makes a folder for outputs, and those above it, and holds it.
///
/// # Errors
/// The error of a system call.
pub fn make_folder(path: &Path) -> io::Result<Folder> {
    std::fs::create_dir_all(path)?;
    Folder::hold(path)
}
