//! The targets of a lease. Their folders are held open, and each open of a target is compared with the file or device that
//! was there first.
//!
//! After an unmount, a rename or a hot plug, a path can lead to another disk. Files are opened relative to the held folder, so
//! that a run does not write there.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use os::errno;
use os::file::{File, FileId, Folder, OpenOptions};
use record::{RunError, TargetError};

use crate::fault;

/// Maximum number of folders that are held open. Files in others are opened by path.
const FOLDERS_MAX: usize = 256;
/// Maximum number of files and devices that [`HeldTargets::compare_all`] compares.
const WATCHED_MAX: usize = 64;

/// The targets of a lease.
#[derive(Debug, Default)]
pub struct HeldTargets {
    /// Not locked during a system call: it may block.
    state: RwLock<State>,
    /// The first target that was replaced.
    replaced: Mutex<Option<PathBuf>>,
}

#[derive(Debug, Default)]
struct State {
    folders: HashMap<PathBuf, Arc<HeldFolder>>,
    targets: HashMap<PathBuf, Held>,
    /// Active commands of jobs. They may unmount, mount and replace targets.
    commands: u32,
}

#[derive(Debug)]
struct HeldFolder {
    folder: Folder,
    /// The folder was made by this program for its own files. Nothing in it is a link.
    is_own: bool,
}

/// Place and identity of a target.
#[derive(Clone, Debug, Default)]
struct Held {
    /// `None` for devices and for files that are opened by path.
    place: Option<Place>,
    /// `None` until the file exists.
    id: Option<FileId>,
    /// Jobs of the run remove or replace the file.
    is_replaceable: bool,
}

/// A file in a held folder.
#[derive(Clone, Debug)]
struct Place {
    folder: Arc<HeldFolder>,
    name: PathBuf,
}

/// Why a target is not open.
#[derive(Debug)]
pub enum OpenError {
    Io(io::Error),
    Replaced(RunError),
}

impl OpenError {
    /// Returns the error of a run. `io` makes it from the error of a system call.
    pub fn into_run_error(self, io: impl FnOnce(&io::Error) -> RunError) -> RunError {
        match self {
            OpenError::Io(error) => io(&error),
            OpenError::Replaced(error) => error,
        }
    }

    pub fn is(&self, kind: ErrorKind) -> bool {
        matches!(self, OpenError::Io(error) if error.kind() == kind)
    }
}

impl HeldTargets {
    /// Holds a folder that this program made for its own files.
    pub fn hold_own_folder(&self, path: &Path, folder: Folder) {
        let folder = Arc::new(HeldFolder { folder, is_own: true });
        self.write().folders.insert(path.to_owned(), folder);
    }

    /// Releases everything except own folders.
    pub fn release(&self) {
        self.write().release();
        *self.replaced.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Runs a command of a job. It may unmount, mount and replace targets.
    pub fn with_command<T>(&self, run: impl FnOnce() -> T) -> T {
        {
            let mut state = self.write();
            state.release();
            state.commands += 1;
        }
        let done = run();
        self.write().commands -= 1;
        done
    }

    /// Holds a target, or compares it with the one that is held.
    ///
    /// # Errors
    /// Another file or device is at the path.
    pub fn hold(&self, path: &Path, is_replaceable: bool) -> Result<(), RunError> {
        let held = self.held(path);
        if is_replaceable && let Some(held) = self.write().targets.get_mut(path) {
            held.is_replaceable = true;
        }
        // A missing or inaccessible file is an error of other checks.
        held.current_id(path).map_or(Ok(()), |id| self.compare(path, id))
    }

    /// Opens a target and compares it with the one that is held. Creates a file only if it did not exist before.
    ///
    /// # Errors
    /// The error of the system call, or another file or device is at the path.
    pub fn open(&self, options: &OpenOptions, path: &Path) -> Result<File, OpenError> {
        let held = self.held(path);
        let is_known = held.id.is_some() && !held.is_replaceable;
        let create = options.create && (options.exclusive || !is_known);
        let file = match held.open(&OpenOptions { create, ..*options }, path) {
            Err(error) if error.kind() == ErrorKind::NotFound && options.create && !create => {
                return Err(OpenError::Replaced(self.replace(path)));
            }
            opened => opened.map_err(OpenError::Io)?,
        };
        self.compare(path, file.id()).map_err(OpenError::Replaced)?;
        Ok(file)
    }

    /// Returns a path to a directory that leads through an own folder, if it is in one.
    pub fn directory(&self, path: &Path) -> PathBuf {
        let place = self.read().own_place(path);
        place.map_or_else(|| path.to_owned(), |Place { folder, name }| folder.folder.at(name))
    }

    /// Returns a path to the target that leads through its held folder.
    pub fn path_in_folder(&self, path: &Path) -> PathBuf {
        match self.held(path).place {
            Some(Place { folder, name }) => folder.folder.at(name),
            None => path.to_owned(),
        }
    }

    /// Replaces a file of the run by another one.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn recreate<E>(&self, path: &Path, make: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
        let place = self.path_in_folder(path);
        let set = |id: Option<FileId>, is_replaceable: bool| {
            if let Some(held) = self.write().targets.get_mut(path) {
                (held.id, held.is_replaceable) = (id, is_replaceable);
            }
        };
        set(None, true);
        make(&place)?;
        set(self.held(path).current_id(path).ok(), false);
        Ok(())
    }

    /// Forgets a file that the run removed.
    pub fn forget(&self, path: &Path) {
        if let Some(held) = self.write().targets.get_mut(path) {
            held.id = None;
        }
    }

    /// Compares the paths of held folders and targets with what is there now.
    ///
    /// # Errors
    /// A path leads to another folder, file or device.
    pub fn compare_all(&self) -> Result<(), RunError> {
        if let Some(error) = self.replaced() {
            return Err(error);
        }
        let (folders, targets) = {
            let state = self.read();
            let folders = state.folders.iter().map(|(path, folder)| (path.clone(), Arc::clone(folder)));
            let ids = state.targets.iter().filter_map(|(path, held)| Some((path.clone(), held.id?)));
            (folders.collect::<Vec<_>>(), ids.take(WATCHED_MAX).collect::<Vec<_>>())
        };
        for (path, held) in folders {
            let is_replaced = match held.folder.is_at(&path) {
                Ok(is_at) => !is_at,
                Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
            };
            // A command of a job can have replaced it meanwhile.
            if is_replaced && self.read().folders.get(&path).is_some_and(|now| Arc::ptr_eq(now, &held)) {
                return Err(self.replace(&path));
            }
        }
        for (path, id) in targets {
            if let Ok(now) = FileId::at(&path)
                && now != id
            {
                self.compare(&path, now)?;
            }
        }
        Ok(())
    }

    /// Returns the error of the first target that was replaced.
    pub fn replaced(&self) -> Option<RunError> {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner).as_deref().map(replaced)
    }

    fn replace(&self, path: &Path) -> RunError {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| path.to_owned());
        replaced(path)
    }

    /// Compares a file at a path with the one that is held. Stores the identity of a file that did not exist before.
    fn compare(&self, path: &Path, found: FileId) -> Result<(), RunError> {
        let is_known = |held: &Held| held.is_replaceable || held.id == Some(found);
        let is_new = match self.read().targets.get(path) {
            Some(held) if !is_known(held) => held.id.is_none(),
            _ => return Ok(()),
        };
        let may_change = is_new || !has_stable_inodes(path);
        let mut state = self.write();
        // A command of a job can have released it meanwhile.
        let Some(held) = state.targets.get_mut(path).filter(|held| !is_known(held)) else { return Ok(()) };
        if held.id.is_some() && !may_change {
            return Err(self.replace(path));
        }
        held.id = Some(found);
        Ok(())
    }

    /// Returns the stored place and identity of a target, and holds its folder. During a command of a job, nothing is held.
    fn held(&self, path: &Path) -> Held {
        {
            let state = self.read();
            match state.targets.get(path) {
                Some(held) => return held.clone(),
                None if state.commands > 0 => return Held::default(),
                None => {}
            }
        }
        let is_device = FileId::at(path).is_ok_and(|id| id.is_device_file());
        let place = if is_device { Ok(None) } else { self.place(path) };
        // The folder does not exist yet.
        let Ok(place) = place else { return Held::default() };
        let mut state = self.write();
        if state.commands > 0 {
            return Held::default();
        }
        state.targets.entry(path.to_owned()).or_insert(Held { place, ..Held::default() }).clone()
    }

    /// Returns the place of a file. `None` if its folder is not held.
    fn place(&self, path: &Path) -> io::Result<Option<Place>> {
        if let Some(place) = self.read().own_place(path) {
            return Ok(Some(place));
        }
        let (Some(above), Some(name)) = (path.parent(), path.file_name().map(PathBuf::from)) else { return Ok(None) };
        // A path that ends with a slash or a dot is of a folder.
        if above.join(&name).as_os_str() != path.as_os_str() {
            return Ok(None);
        }
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        if let Some(folder) = self.read().folders.get(above) {
            return Ok(Some(Place { folder: Arc::clone(folder), name }));
        }
        let new = Arc::new(HeldFolder { folder: Folder::hold(above)?, is_own: false });
        let mut state = self.write();
        if state.folders.len() >= FOLDERS_MAX || state.commands > 0 {
            return Ok(None);
        }
        let folder = Arc::clone(state.folders.entry(above.to_owned()).or_insert(new));
        Ok(Some(Place { folder, name }))
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn release(&mut self) {
        self.folders.retain(|_, held| held.is_own);
        self.targets.clear();
    }

    /// Returns the place of a path in an own folder or below it.
    fn own_place(&self, path: &Path) -> Option<Place> {
        let own = |above| self.folders.get_key_value(above).filter(|(_, held)| held.is_own);
        let (above, folder) = path.ancestors().find_map(own)?;
        let name = path.strip_prefix(above).ok()?.to_owned();
        Some(Place { folder: Arc::clone(folder), name })
    }
}

impl Held {
    fn open(&self, options: &OpenOptions, path: &Path) -> io::Result<File> {
        let Some(Place { folder, name }) = &self.place else { return options.open(path) };
        OpenOptions { no_follow: folder.is_own, ..*options }.open_in(&folder.folder, name, path)
    }

    fn current_id(&self, path: &Path) -> io::Result<FileId> {
        let Some(Place { folder, name }) = &self.place else { return FileId::at(path) };
        folder.folder.id_of(name, !folder.is_own)
    }
}

fn replaced(path: &Path) -> RunError {
    RunError::new(errno::ESTALE, TargetError::Replaced { path: fault::shown(path) })
}

/// Returns false for file systems where a file can change its device or inode: an overlay copies a file at the first write,
/// and servers of others number the files that are in use.
fn has_stable_inodes(path: &Path) -> bool {
    let name = os::device::file_system(path).ok().flatten().unwrap_or_default();
    !(name == "overlay" || name == "9p" || name.starts_with("fuse"))
}
