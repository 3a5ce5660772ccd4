//! Places of targets: entries of held folders, devices, and what was there when they were held.

use std::io;
use std::path::Path;

use os::file::{File, FileId, Kind, OpenOptions};

use crate::folders::{Entry, existing};

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    pub(super) id: FileId,
    pub(super) owner: u32,
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

impl Identity {
    pub(super) fn of(file: &File) -> Self {
        Identity { id: file.id(), owner: file.owner() }
    }
}
