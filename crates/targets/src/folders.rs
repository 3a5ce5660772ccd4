//! Folders that are held open, and entries of them. Each folder is found by the path that led to it when it was held.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use os::errno;
use os::file::{File, FileId, Folder, OpenOptions};

/// Maximum number of folders that are held open. Others are opened for each use, and compared.
const OPEN_MAX: usize = 256;
/// As in the kernel.
pub(crate) const LINKS_MAX: usize = 40;

#[derive(Debug)]
pub(crate) struct HeldFolder {
    handle: Handle,
    /// The folder was made by this program for its own files. Nothing in it is a link.
    pub(crate) is_own: bool,
}

#[derive(Debug)]
enum Handle {
    Open(Folder),
    /// Beyond the number of open folders: the path and the folder that it leads to.
    Known(PathBuf, FileId),
}

/// A file in a held folder, or in folders below it that did not exist when it was held.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) folder: Arc<HeldFolder>,
    pub(crate) name: PathBuf,
}

/// Held folders by path.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    /// Not locked during a system call: it may block.
    held: RwLock<HashMap<PathBuf, Arc<HeldFolder>>>,
}

impl Folders {
    /// Holds a folder that this program made for its own files.
    pub(crate) fn insert_own(&self, path: &Path, folder: Folder) {
        let folder = HeldFolder { is_own: true, ..HeldFolder::of(folder) };
        self.write().insert(path.to_owned(), Arc::new(folder));
    }

    pub(crate) fn insert(&self, path: &Path, folder: Folder) -> io::Result<Arc<HeldFolder>> {
        let id = folder.id()?;
        let mut held = self.write();
        let new = match held.len() < OPEN_MAX {
            true => HeldFolder::of(folder),
            false => HeldFolder { handle: Handle::Known(path.to_owned(), id), is_own: false },
        };
        Ok(Arc::clone(held.entry(path.to_owned()).or_insert(Arc::new(new))))
    }

    pub(crate) fn get(&self, path: &Path) -> Option<Arc<HeldFolder>> {
        self.read().get(path).cloned()
    }

    /// Calls `then` if the folder is still held, before it can be released.
    pub(crate) fn while_held<T>(&self, path: &Path, folder: &Arc<HeldFolder>, then: impl FnOnce() -> T) -> Option<T> {
        let held = self.read();
        held.get(path).is_some_and(|now| Arc::ptr_eq(now, folder)).then(then)
    }

    pub(crate) fn all(&self) -> Vec<(PathBuf, Arc<HeldFolder>)> {
        self.read().iter().map(|(path, folder)| (path.clone(), Arc::clone(folder))).collect()
    }

    /// Releases the folders without an entry, except own ones.
    pub(crate) fn release_unused(&self) {
        self.write().retain(|_, folder| folder.is_own || Arc::strong_count(folder) > 1);
    }

    /// Returns the entry of a path in its folder, or in the nearest one above that exists. `None` for the path of a folder.
    ///
    /// # Errors
    /// The error of a system call.
    pub(crate) fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
        // A path that ends with a slash or a dot is of a folder.
        if above.join(name).as_os_str() != path.as_os_str() {
            return Ok(None);
        }
        let (above, folder) = self.nearest(above)?;
        let name = path.strip_prefix(&above).unwrap_or(path).to_owned();
        Ok(Some(Entry { folder, name }))
    }

    /// Holds the nearest existing folder of a path: the path itself, or one above it. Own folders include all below them.
    ///
    /// # Errors
    /// The error of a system call.
    pub(crate) fn nearest(&self, path: &Path) -> io::Result<(PathBuf, Arc<HeldFolder>)> {
        let own = |above: &Path| self.get(above).filter(|folder| folder.is_own);
        if let Some(found) = path.ancestors().find_map(|above| Some((above.to_owned(), own(above)?))) {
            return Ok(found);
        }
        for above in path.ancestors() {
            let hold = || Folder::hold(or_dot(above)).and_then(|folder| self.insert(above, folder));
            match self.get(above).map_or_else(hold, Ok) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                folder => return Ok((above.to_owned(), folder?)),
            }
        }
        Err(ErrorKind::NotFound.into())
    }

    /// Returns the nearest folder of a path that is held.
    pub(crate) fn held_above(&self, path: &Path) -> Option<(PathBuf, Arc<HeldFolder>)> {
        path.ancestors().find_map(|above| Some((above.to_owned(), self.get(above)?)))
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<PathBuf, Arc<HeldFolder>>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<PathBuf, Arc<HeldFolder>>> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldFolder {
    pub(crate) fn of(folder: Folder) -> Self {
        HeldFolder { handle: Handle::Open(folder), is_own: false }
    }

    /// Returns the folder unless it is beyond the number of open folders.
    pub(crate) fn as_open(&self) -> Option<&Folder> {
        match &self.handle {
            Handle::Open(folder) => Some(folder),
            Handle::Known(..) => None,
        }
    }

    pub(crate) fn open(&self) -> io::Result<Folder> {
        match &self.handle {
            Handle::Open(folder) => Ok(folder.clone()),
            Handle::Known(path, id) => {
                let folder = Folder::hold(or_dot(path))?;
                if folder.id()? == *id { Ok(folder) } else { Err(errno::error(errno::ESTALE)) }
            }
        }
    }
}

impl Entry {
    /// Returns the folder of the file. Folders that were missing when it was held are not links.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let above = self.name.parent().into_iter().flat_map(Path::components);
        above.fold(self.folder.open(), |folder, part| folder?.below(part))
    }

    pub(crate) fn file_name(&self) -> &Path {
        self.name.file_name().map_or(&self.name, Path::new)
    }

    pub(crate) fn identify(&self, path: &Path) -> io::Result<Option<File>> {
        let options = OpenOptions { identify: true, no_follow: true, ..OpenOptions::new() };
        existing(self.folder().and_then(|folder| options.open_in(&folder, self.file_name(), path)))
    }
}

pub(crate) fn or_dot(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

pub(crate) fn existing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Returns true for a link where none was, and for another folder than the held one.
pub(crate) fn is_replaced(error: &io::Error) -> bool {
    errno::of(error).is_some_and(|number| [errno::ELOOP, errno::ESTALE].contains(&number))
}
