//! The targets of a lease. Their folders are held open, and each target is opened here: what is at a name is decided about the
//! descriptor, before the first change.
//!
//! After an unmount, a rename or a hot plug, a path can lead to another disk. Another user can put a link or a file where a
//! target is missing. Therefore files are opened relative to the held folder. A link at the name of a target is followed once,
//! when the target is held. A missing file is created, or must be one that the user of this process has created meanwhile.

mod place;

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use os::errno;
use os::file::{File, Folder, Kind, OpenOptions};
use record::{RunError, TargetError};

use crate::fault;
use crate::in_use::TargetUses;
use place::{Entry, Handle, Held, HeldFolder, Identity, Place, existing, is_replaced, or_dot};

/// Maximum number of folders that are held open. Others are opened for each use, and compared.
const FOLDERS_MAX: usize = 256;
/// Maximum number of files and devices that [`HeldTargets::compare_all`] compares.
const WATCHED_MAX: usize = 64;
/// As in the kernel.
const LINKS_MAX: usize = 40;
/// Permissions of new folders: other users have none.
const FOLDER_MODE: u32 = 0o700;
/// Attempts to open a file that others create and remove.
const OPENS_MAX: u32 = 100;

/// The targets of a lease.
#[derive(Debug, Default)]
pub struct HeldTargets {
    /// Not locked during a system call: it may block.
    state: RwLock<State>,
    /// Why the run must end.
    lost: Mutex<Option<RunError>>,
}

#[derive(Debug, Default)]
struct State {
    folders: HashMap<PathBuf, Arc<HeldFolder>>,
    targets: HashMap<PathBuf, Arc<Mutex<Held>>>,
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
        let folder = Arc::new(HeldFolder { handle: Handle::Open(folder), is_own: true });
        self.write().folders.insert(path.to_owned(), folder);
    }

    /// Releases everything except own folders.
    pub fn release(&self) {
        self.write().release(|_| true);
        *lock(&self.lost) = None;
    }

    /// Releases targets, so that a command of a job can unmount, mount and replace them.
    pub fn release_some(&self, is_released: impl Fn(&Path) -> bool) {
        self.write().release(is_released);
    }

    /// Holds a target, or compares it with the one that is held. Returns what is at its place. Links are followed when it is
    /// held, and not later.
    ///
    /// # Errors
    /// Another file or device is at the path.
    pub fn hold(&self, path: &Path, is_replaceable: bool) -> Result<Option<File>, RunError> {
        let known = self.read().targets.get(path).cloned();
        let (held, found) = match known {
            Some(held) => {
                let place = self.current(path, &held);
                let found = place.identify(path);
                (held, found)
            }
            None => match self.find(path) {
                Ok((held, found)) => {
                    let held = Arc::new(Mutex::new(held));
                    let held = Arc::clone(self.write().targets.entry(path.to_owned()).or_insert(held));
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
        if self.read().targets.get(path).is_some_and(|held| lock(held).identity.is_some()) {
            return Ok(());
        }
        let (above, folder) = self.held_above(path).map_or_else(|| self.nearest(path), Ok)?;
        let mut folder = folder.open()?;
        let mut reached = above.clone();
        for part in path.strip_prefix(&above).unwrap_or(path).components() {
            match folder.make_dir(part.as_ref(), FOLDER_MODE) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            folder = folder.below(part)?;
            reached.push(part);
            self.insert(&reached, folder.clone())?;
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
            && let Some(held) = self.read().targets.get(path)
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

    /// Compares the paths of held folders and targets with what is there now.
    ///
    /// # Errors
    /// A path leads to another folder, file or device.
    pub fn compare_all(&self) -> Result<(), RunError> {
        if let Some(error) = self.lost() {
            return Err(error);
        }
        let (folders, targets) = {
            let state = self.read();
            let folders = state.folders.iter().map(|(path, folder)| (path.clone(), Arc::clone(folder)));
            let targets = state.targets.iter().filter(|(_, held)| lock(held).is_watched());
            let targets = targets.map(|(path, held)| (path.clone(), Arc::clone(held)));
            (folders.collect::<Vec<_>>(), targets.take(WATCHED_MAX).collect::<Vec<_>>())
        };
        for (path, held) in folders {
            let Handle::Open(folder) = &held.handle else { continue };
            let is_replaced = match folder.is_at(or_dot(&path)) {
                Ok(is_at) => !is_at,
                Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
            };
            // A command of a job can have replaced it meanwhile.
            if is_replaced && self.read().folders.get(&path).is_some_and(|now| Arc::ptr_eq(now, &held)) {
                return Err(self.replace(&path));
            }
        }
        for (path, held) in targets {
            let Ok(file) = (OpenOptions { identify: true, ..OpenOptions::new() }).open(&path) else { continue };
            let is_held = || self.read().targets.get(&path).is_some_and(|now| Arc::ptr_eq(now, &held));
            let is_replaced = || {
                let held = lock(&held);
                held.is_watched() && !held.may_be(&file)
            };
            if is_replaced() && is_held() {
                return Err(self.replace(&path));
            }
        }
        Ok(())
    }

    /// Returns why the run must end: the first target that was replaced or came into use.
    pub fn lost(&self) -> Option<RunError> {
        lock(&self.lost).clone()
    }

    /// Ends the run.
    pub fn lose(&self, error: RunError) {
        lock(&self.lost).get_or_insert(error);
    }

    fn replace(&self, path: &Path) -> RunError {
        let error = RunError::new(errno::ESTALE, TargetError::Replaced { path: fault::shown(path) });
        self.lose(error.clone());
        error
    }

    /// Returns the error of a call that opens a target. A link at its name was not there when it was held.
    fn failed(&self, path: &Path, error: io::Error) -> OpenError {
        if is_replaced(&error) { OpenError::Replaced(self.replace(path)) } else { OpenError::Io(error) }
    }

    /// Decides about an open file, before the first change. Stores the identity of one that did not exist before.
    fn admit(&self, path: &Path, target: &Mutex<Held>, file: &File, writes: bool) -> Result<(), OpenError> {
        let found = Identity::of(file);
        let (is_moved, is_late) = {
            let held = lock(target);
            if held.identity == Some(found) {
                return Ok(());
            }
            let is_late = held.identity.is_none() || held.is_replaceable;
            (!is_late && held.may_be(file), is_late)
        };
        if is_late && !writes {
            return Ok(());
        }
        // Another job of the run has created a file that was missing.
        let is_new = is_late && file.kind() == Kind::Regular && file.is_users_only_name();
        let is_unused = || matches!(TargetUses::default().holders(file), Ok([]));
        if !(is_moved || is_new) || writes && !is_unused() {
            return Err(OpenError::Replaced(self.replace(path)));
        }
        lock(target).identity = Some(found);
        Ok(())
    }

    /// Returns a target. One that was not held before is missing, or an entry of a held folder that is no link.
    fn target(&self, path: &Path) -> io::Result<Arc<Mutex<Held>>> {
        if let Some(held) = self.read().targets.get(path) {
            return Ok(Arc::clone(held));
        }
        let entry = match path.parent().and_then(|above| self.held_above(above)) {
            Some((above, folder)) => Some(Entry { folder, name: path.strip_prefix(&above).unwrap_or(path).to_owned() }),
            None => self.entry(path)?,
        };
        let place = entry.map_or(Place::Path, Place::Entry);
        let held = Arc::new(Mutex::new(Held { place, ..Held::default() }));
        Ok(Arc::clone(self.write().targets.entry(path.to_owned()).or_insert(held)))
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
                let folder = Arc::new(HeldFolder { handle: Handle::Open(Folder::hold(or_dot(above))?), is_own: false });
                Ok(Entry { folder, name: name.into() })
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
            && let Some(folder) = self.read().folders.get(above)
        {
            return Place::Entry(Entry { folder: Arc::clone(folder), name: name.into() });
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
        let Some(entry) = self.entry(path)? else {
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
        match self.entry(&found.real_path()?)? {
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
            entry = self.entry(&path)?.ok_or(ErrorKind::NotFound)?;
        }
        Err(errno::error(errno::ELOOP))
    }

    /// Returns the entry of a path in its folder, or in the nearest one above that exists. `None` for the path of a folder.
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
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
    fn nearest(&self, path: &Path) -> io::Result<(PathBuf, Arc<HeldFolder>)> {
        {
            let state = self.read();
            let own = |above: &Path| state.folders.get(above).filter(|folder| folder.is_own).cloned();
            if let Some(found) = path.ancestors().find_map(|above| Some((above.to_owned(), own(above)?))) {
                return Ok(found);
            }
        }
        for above in path.ancestors() {
            let known = self.read().folders.get(above).cloned();
            match known.map_or_else(|| Folder::hold(or_dot(above)).and_then(|folder| self.insert(above, folder)), Ok) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                folder => return Ok((above.to_owned(), folder?)),
            }
        }
        Err(ErrorKind::NotFound.into())
    }

    /// Returns the nearest folder of a path that is held.
    fn held_above(&self, path: &Path) -> Option<(PathBuf, Arc<HeldFolder>)> {
        let state = self.read();
        path.ancestors().find_map(|above| Some((above.to_owned(), state.folders.get(above).cloned()?)))
    }

    fn insert(&self, path: &Path, folder: Folder) -> io::Result<Arc<HeldFolder>> {
        let id = folder.id()?;
        let mut state = self.write();
        let handle = match state.folders.len() < FOLDERS_MAX {
            true => Handle::Open(folder),
            false => Handle::Known(path.to_owned(), id),
        };
        let new = Arc::new(HeldFolder { handle, is_own: false });
        Ok(Arc::clone(state.folders.entry(path.to_owned()).or_insert(new)))
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn release(&mut self, is_released: impl Fn(&Path) -> bool) {
        self.targets.retain(|path, _| !is_released(path));
        self.folders.retain(|_, folder| folder.is_own || Arc::strong_count(folder) > 1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
