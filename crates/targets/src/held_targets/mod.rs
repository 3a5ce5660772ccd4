//! The targets of a lease. Their folders are held open, and each target is opened here: what is at a name is decided about the
//! descriptor, before the first change.
//!
//! After an unmount, a rename or a hot plug, a path can lead to another disk. Another user can put a link or a file where a
//! target is missing. Therefore files are opened relative to the held folder. A link at the name of a target is followed once,
//! when the target is held. A missing file is created, or must be one that the user of this process has created meanwhile.

mod compare;
mod place;

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use os::errno;
use os::file::{File, Folder, OpenOptions};
use record::RunError;

use crate::folders::{Entry, Folders, HeldFolder, LINKS_MAX, existing, is_replaced, or_dot};
use crate::lock::lock;
use place::{Held, Identity, Place};

/// Permissions of new folders: other users have none.
const FOLDER_MODE: u32 = 0o700;
/// Attempts to open a file that others create and remove.
const OPENS_MAX: u32 = 100;

/// The targets of a lease.
#[derive(Debug, Default)]
pub struct HeldTargets {
    folders: Folders,
    /// Not locked during a system call: it may block.
    targets: RwLock<HashMap<PathBuf, Arc<Mutex<Held>>>>,
    /// Why the run must end.
    lost: Mutex<Option<RunError>>,
}

/// Why a target is not open.
#[derive(Debug)]
pub enum OpenError {
    Io(io::Error),
    Replaced(RunError),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        OpenError::Io(error)
    }
}

impl OpenError {
    /// Returns the error of a run. `io` makes it from the error of a system call.
    pub fn into_run_error(self, io: impl FnOnce(&io::Error) -> RunError) -> RunError {
        match self {
            OpenError::Io(error) => io(&error),
            OpenError::Replaced(error) => error,
        }
    }

    /// Returns the error of a call that has no kind of error for a replaced target.
    pub fn into_io(self) -> io::Error {
        match self {
            OpenError::Io(error) => error,
            OpenError::Replaced(error) => errno::error(error.errno),
        }
    }

    pub fn is(&self, kind: ErrorKind) -> bool {
        matches!(self, OpenError::Io(error) if error.kind() == kind)
    }
}

impl HeldTargets {
    /// Holds a folder that this program made for its own files.
    pub fn hold_own_folder(&self, path: &Path, folder: Folder) {
        self.folders.insert_own(path, folder);
    }

    /// Releases everything except own folders.
    pub fn release(&self) {
        self.release_some(|_| true);
        *lock(&self.lost) = None;
    }

    /// Releases targets, so that a command of a job can unmount, mount and replace them.
    pub fn release_some(&self, is_released: impl Fn(&Path) -> bool) {
        self.write().retain(|path, _| !is_released(path));
        self.folders.release_unused();
    }

    /// Holds a target, or compares it with the one that is held. Returns what is at its place. Links are followed when it is
    /// held, and not later.
    ///
    /// # Errors
    /// Another file or device is at the path.
    pub fn hold(&self, path: &Path, is_replaceable: bool) -> Result<Option<File>, RunError> {
        let known = self.read().get(path).cloned();
        let (held, found) = match known {
            Some(held) => {
                let place = self.current(path, &held);
                let found = place.identify(path);
                (held, found)
            }
            None => match self.find(path) {
                Ok((held, found)) => {
                    let held = Arc::new(Mutex::new(held));
                    let held = Arc::clone(self.write().entry(path.to_owned()).or_insert(held));
                    (held, Ok(found))
                }
                Err(error) => (Arc::default(), Err(error)),
            },
        };
        let found = match found {
            Err(error) if is_replaced(&error) => return Err(self.replace(path)),
            // A missing or inaccessible file is an error of other checks. A file that cannot be identified cannot be opened.
            found => found.ok().flatten(),
        };
        let mut held = lock(&held);
        held.is_replaceable |= is_replaceable;
        match &found {
            Some(file) if !held.is_replaceable && !held.may_be(file) => Err(self.replace(path)),
            _ => Ok(found),
        }
    }

    /// Opens a target. Creates a file only if it did not exist before.
    ///
    /// # Errors
    /// The error of a system call, or another file or device is at the path.
    pub fn open(&self, options: &OpenOptions, path: &Path) -> Result<File, OpenError> {
        self.open_or_create(options, path).map(|(file, _)| file)
    }

    /// As [`HeldTargets::open`]. Returns true with a file that was created.
    ///
    /// # Errors
    /// As [`HeldTargets::open`].
    pub fn open_or_create(&self, options: &OpenOptions, path: &Path) -> Result<(File, bool), OpenError> {
        let target = self.target(path)?;
        let held = lock(&target).clone();
        let (place, identity, is_replaceable) = (self.place_in(path, &held), held.identity, held.is_replaceable);
        let existing = OpenOptions { create: false, exclusive: false, no_follow: true, ..*options };
        let Place::Entry(entry) = place else {
            let found = OpenOptions { identify: true, ..OpenOptions::new() }.open(path)?;
            self.admit(path, &target, &found, options.write)?;
            return Ok((found.open_again(OpenOptions { no_follow: false, ..existing })?, false));
        };
        let folder = entry.folder().map_err(|error| self.failed(path, error))?;
        let new = OpenOptions { create: true, exclusive: true, ..existing };
        let may_create = options.create && (identity.is_none() || is_replaceable);
        let mut creates = may_create && identity.is_none();
        for _ in 0..OPENS_MAX {
            match if creates { new } else { existing }.open_in(&folder, entry.file_name(), path) {
                Ok(file) => {
                    if creates {
                        lock(&target).identity = Some(Identity::of(&file));
                    } else {
                        self.admit(path, &target, &file, options.write)?;
                    }
                    return Ok((file, creates));
                }
                Err(error) if creates && !options.exclusive && error.kind() == ErrorKind::AlreadyExists => {
                    creates = false;
                }
                Err(error) if !creates && error.kind() == ErrorKind::NotFound && options.create => {
                    if !may_create {
                        break;
                    }
                    creates = true;
                }
                Err(error) => return Err(self.failed(path, error)),
            }
        }
        Err(OpenError::Replaced(self.replace(path)))
    }

    /// Creates a directory of targets, and those above it, unless they exist.
    ///
    /// # Errors
    /// The error of a system call, or another user has put a link there.
    pub fn make_directory(&self, path: &Path) -> io::Result<()> {
        if self.read().get(path).is_some_and(|held| lock(held).identity.is_some()) {
            return Ok(());
        }
        let (above, folder) = self.folders.held_above(path).map_or_else(|| self.folders.nearest(path), Ok)?;
        let mut folder = folder.open()?;
        let mut reached = above.clone();
        for part in path.strip_prefix(&above).unwrap_or(path).components() {
            match folder.make_dir(part.as_ref(), FOLDER_MODE) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            folder = folder.below(part)?;
            reached.push(part);
            self.folders.insert(&reached, folder.clone())?;
        }
        Ok(())
    }

    /// Creates a directory that is a target.
    ///
    /// # Errors
    /// The name exists, or the error of a system call.
    pub fn make_target_directory(&self, path: &Path) -> io::Result<()> {
        let entry = self.named(path)?;
        entry.folder()?.make_dir(entry.file_name(), FOLDER_MODE)
    }

    /// Removes the file of a target, or an empty directory.
    ///
    /// # Errors
    /// The error of a system call.
    pub fn remove(&self, path: &Path, is_directory: bool) -> io::Result<()> {
        let entry = self.named(path)?;
        let folder = entry.folder()?;
        let removed =
            if is_directory { folder.remove_empty(entry.file_name()) } else { folder.unlink(entry.file_name()) };
        if removed.is_ok()
            && let Some(held) = self.read().get(path)
        {
            let mut held = lock(held);
            held.identity = None;
            held.place = held.link.take().map_or_else(|| held.place.clone(), Place::Entry);
        }
        removed
    }

    /// Replaces a file of the run by a new one, which `fill` writes. `check` gets the old one. An incomplete file is removed.
    ///
    /// # Errors
    /// The error of `check`, of `fill` or of a system call, or another file or device is at the path.
    pub fn recreate(
        &self,
        path: &Path,
        check: impl FnOnce(&File) -> io::Result<()>,
        fill: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(), OpenError> {
        let target = self.target(path)?;
        let place = self.current(path, &target);
        if let Some(old) = place.identify(path).map_err(|error| self.failed(path, error))? {
            self.admit(path, &target, &old, true)?;
            check(&old)?;
            let Place::Entry(entry) = &place else { return Err(io::Error::from(ErrorKind::InvalidInput).into()) };
            entry.folder()?.unlink(entry.file_name())?;
            lock(&target).identity = None;
        }
        let file =
            self.open(&OpenOptions { write: true, create: true, exclusive: true, ..OpenOptions::new() }, path)?;
        let filled = fill(&file).and(file.close());
        lock(&target).is_replaceable = false;
        if filled.is_err()
            && let Place::Entry(entry) = &place
        {
            // The error that is returned is the cause, not this one.
            let _ = entry.folder().and_then(|folder| folder.unlink(entry.file_name()));
        }
        Ok(filled?)
    }

    /// Opens a file that another host has created, to read it. It is the target from then on.
    ///
    /// # Errors
    /// The error of a system call, or another file or device is at the path.
    pub fn open_created_elsewhere(&self, path: &Path) -> Result<File, OpenError> {
        let target = self.target(path)?;
        let file = self.open(&OpenOptions { read: true, ..OpenOptions::new() }, path)?;
        self.admit(path, &target, &file, true)?;
        lock(&target).is_replaceable = false;
        Ok(file)
    }

    /// Returns the folder of a target, and its name there.
    ///
    /// # Errors
    /// The error of a system call.
    pub fn place_of(&self, path: &Path) -> io::Result<(Folder, PathBuf)> {
        let entry = self.named(path)?;
        Ok((entry.folder()?, entry.file_name().to_owned()))
    }

    /// Returns a target. One that was not held before is missing, or an entry of a held folder that is no link.
    fn target(&self, path: &Path) -> io::Result<Arc<Mutex<Held>>> {
        if let Some(held) = self.read().get(path) {
            return Ok(Arc::clone(held));
        }
        let entry = match path.parent().and_then(|above| self.folders.held_above(above)) {
            Some((above, folder)) => Some(Entry { folder, name: path.strip_prefix(&above).unwrap_or(path).to_owned() }),
            None => self.folders.entry(path)?,
        };
        let place = entry.map_or(Place::Path, Place::Entry);
        let held = Arc::new(Mutex::new(Held { place, ..Held::default() }));
        Ok(Arc::clone(self.write().entry(path.to_owned()).or_insert(held)))
    }

    /// Returns the place of a target by the name that the user gave.
    fn named(&self, path: &Path) -> io::Result<Entry> {
        let target = self.target(path)?;
        let held = lock(&target).clone();
        match held.link.clone().map_or_else(|| self.place_in(path, &held), Place::Entry) {
            Place::Entry(entry) => Ok(entry),
            Place::Path => {
                let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
                    return Err(ErrorKind::InvalidInput.into());
                };
                Ok(Entry { folder: Arc::new(HeldFolder::of(Folder::hold(or_dot(above))?)), name: name.into() })
            }
        }
    }

    fn current(&self, path: &Path, target: &Mutex<Held>) -> Place {
        let held = lock(target).clone();
        self.place_in(path, &held)
    }

    /// Returns the place of a target. Folders that did not exist when it was held can exist now.
    fn place_in(&self, path: &Path, held: &Held) -> Place {
        if let Place::Entry(Entry { folder, name }) = &held.place
            && !folder.is_own
            && name.components().nth(1).is_some()
            && let (Some(above), Some(name)) = (path.parent(), path.file_name())
            && let Some(folder) = self.folders.get(above)
        {
            return Place::Entry(Entry { folder, name: name.into() });
        }
        held.place.clone()
    }

    /// Finds where a path leads now, and holds its folder.
    fn find(&self, path: &Path) -> io::Result<(Held, Option<File>)> {
        let follow = OpenOptions { identify: true, ..OpenOptions::new() };
        let held = |place, link, found: Option<&File>| Held {
            place,
            link,
            identity: found.map(Identity::of),
            is_replaceable: false,
        };
        let Some(entry) = self.folders.entry(path)? else {
            let found = existing(follow.open(path))?;
            return Ok((held(Place::Path, None, found.as_ref()), found));
        };
        match entry.identify(path) {
            Ok(Some(device)) if device.id().is_device_file() => {
                return Ok((held(Place::Path, None, Some(&device)), Some(device)));
            }
            Err(error) if errno::of(&error) == Some(errno::ELOOP) && !entry.folder.is_own => {}
            found => return found.map(|found| (held(Place::Entry(entry), None, found.as_ref()), found)),
        }
        let Some(found) = existing(follow.open(path))? else {
            let to = self.destination(path, entry.clone())?;
            return Ok((held(Place::Entry(to), Some(entry), None), None));
        };
        if found.id().is_device_file() {
            return Ok((held(Place::Path, Some(entry), Some(&found)), Some(found)));
        }
        match self.folders.entry(&found.real_path()?)? {
            Some(to) if to.identify(path)?.is_some_and(|at| at.id() == found.id()) => {
                Ok((held(Place::Entry(to), Some(entry), Some(&found)), Some(found)))
            }
            _ => Err(errno::error(errno::ESTALE)),
        }
    }

    /// Follows the links to a missing file, as an open with `O_CREAT` does.
    fn destination(&self, path: &Path, mut entry: Entry) -> io::Result<Entry> {
        let mut path = path.to_owned();
        for _ in 0..LINKS_MAX {
            let Some(folder) = existing(entry.folder())? else { return Ok(entry) };
            let Some((to, _)) = existing(folder.destination(entry.file_name()))?.flatten() else { return Ok(entry) };
            path = path.parent().unwrap_or(Path::new("")).join(to);
            entry = self.folders.entry(&path)?.ok_or(ErrorKind::NotFound)?;
        }
        Err(errno::error(errno::ELOOP))
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<PathBuf, Arc<Mutex<Held>>>> {
        self.targets.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<PathBuf, Arc<Mutex<Held>>>> {
        self.targets.write().unwrap_or_else(PoisonError::into_inner)
    }
}
