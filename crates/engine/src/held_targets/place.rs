//! Places of targets: entries of held folders, devices, and what was there when they were held.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use os::errno;
use os::file::{File, FileId, Folder, Kind, OpenOptions};

#[derive(Debug)]
pub(super) struct HeldFolder {
    pub(super) handle: Handle,
    /// The folder was made by this program for its own files. Nothing in it is a link.
    pub(super) is_own: bool,
}

#[derive(Debug)]
pub(super) enum Handle {
    Open(Folder),
    /// Beyond the number of open folders: the path and the folder that it leads to.
    Known(PathBuf, FileId),
}

/// Place and identity of a target.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) place: Place,
    /// The link that the path was when it was held. A job that removes the target removes the link.
    pub(super) link: Option<Entry>,
    /// `None` until the file exists.
    pub(super) identity: Option<Identity>,
    /// Jobs of the run remove or replace the file.
    pub(super) is_replaceable: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A device, or a path that ends with a slash or a dot.
    Path,
    Entry(Entry),
}

/// A file in a held folder, or in folders below it that did not exist when it was held.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) folder: Arc<HeldFolder>,
    pub(super) name: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    pub(super) id: FileId,
    pub(super) owner: u32,
}

impl HeldFolder {
    pub(super) fn open(&self) -> io::Result<Folder> {
        match &self.handle {
            Handle::Open(folder) => Ok(folder.clone()),
            Handle::Known(path, id) => {
                let folder = Folder::hold(or_dot(path))?;
                if folder.id()? == *id { Ok(folder) } else { Err(errno::error(errno::ESTALE)) }
            }
        }
    }
}

impl Default for Held {
    fn default() -> Self {
        Held { place: Place::Path, link: None, identity: None, is_replaceable: false }
    }
}

impl Held {
    pub(super) fn is_watched(&self) -> bool {
        self.identity.is_some() && !self.is_replaceable
    }

    /// Returns true if the file can be the one that was held. `None` was held if the file was missing.
    pub(super) fn may_be(&self, file: &File) -> bool {
        let found = Identity::of(file);
        let is_moved = |known: Identity| {
            file.kind() == Kind::Regular && known.owner == found.owner && !file.has_stable_inodes().unwrap_or(true)
        };
        self.identity.is_none_or(|known| known == found || is_moved(known))
    }
}

impl Place {
    /// Returns the file or device at the place, if there is one. A link is an error.
    pub(super) fn identify(&self, path: &Path) -> io::Result<Option<File>> {
        match self {
            Place::Path => existing(OpenOptions { identify: true, ..OpenOptions::new() }.open(path)),
            Place::Entry(entry) => entry.identify(path),
        }
    }
}

impl Entry {
    /// Returns the folder of the file. Folders that were missing when it was held are not links.
    pub(super) fn folder(&self) -> io::Result<Folder> {
        let above = self.name.parent().into_iter().flat_map(Path::components);
        above.fold(self.folder.open(), |folder, part| folder?.below(part))
    }

    pub(super) fn file_name(&self) -> &Path {
        self.name.file_name().map_or(&self.name, Path::new)
    }

    pub(super) fn identify(&self, path: &Path) -> io::Result<Option<File>> {
        let options = OpenOptions { identify: true, no_follow: true, ..OpenOptions::new() };
        existing(self.folder().and_then(|folder| options.open_in(&folder, self.file_name(), path)))
    }
}

impl Identity {
    pub(super) fn of(file: &File) -> Self {
        Identity { id: file.id(), owner: file.owner() }
    }
}

pub(super) fn or_dot(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

pub(super) fn existing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Returns true for a link where none was, and for another folder than the held one.
pub(super) fn is_replaced(error: &io::Error) -> bool {
    errno::of(error).is_some_and(|number| [errno::ELOOP, errno::ESTALE].contains(&number))
}
