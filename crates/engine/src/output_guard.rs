//! Output guard: no file that the program writes replaces a target of the run or a file in use.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use os::clock::{Clock, Source};
use os::errno;
use os::file::{Folder, Kind, OpenOptions};
use plan::Plan;
use record::OutputRefusal;

use crate::fault::{os_error, target_use};
use crate::in_use::{TargetUses, identify};

/// What becomes of the contents of an existing file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Truncate,
    Append,
}

/// Who has chosen the name of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBy {
    User,
    /// The name is made of that of a job. Files and links of other users at this name are refused.
    Program,
}

/// Permissions of new files, before the umask.
const NEW_MODE: u32 = 0o666;
/// Attempts to open a pipe without a reader, and the pause between them: 5 s.
const PIPE_TRIES: u32 = 100;
const PIPE_PAUSE: Duration = Duration::from_millis(50);

/// The place of an output. The folder of a file is held: if its path leads to another folder later, the file is still in it.
#[derive(Clone, Debug)]
pub struct OutputPlace {
    /// `None` for pipes, devices and open descriptors.
    entry: Option<(Folder, PathBuf)>,
    /// A path through the held folder.
    at: PathBuf,
    /// Only a file of the user of this process is opened.
    is_users: bool,
}

impl OutputPlace {
    /// Finds a place. Links at the name are followed once, here.
    fn find(path: &Path, named_by: NamedBy) -> Result<Self, OutputError> {
        let by_path = || OutputPlace { entry: None, at: path.to_owned(), is_users: false };
        let found = std::fs::metadata(path);
        if named_by == NamedBy::Program {
            let named = OutputPlace { is_users: true, ..OutputPlace::in_folder(path)? };
            let (folder, name) = named.entry.as_ref().ok_or(OutputRefusal::Directory)?;
            return match folder.destination(name) {
                Ok(Some((to, true))) => {
                    let above = path.parent().unwrap_or(Path::new(""));
                    OutputPlace::find(&above.join(to), NamedBy::User)
                }
                Ok(Some((_, false))) => Err(OutputRefusal::OtherUser.into()),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(OutputRefusal::OtherUser.into()),
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
                _ => Ok(named),
            };
        }
        match found {
            Ok(found) if matches!(Kind::of(&found), Kind::Regular | Kind::Directory) => {
                match std::fs::canonicalize(path) {
                    Ok(real) if real.parent().is_some() => OutputPlace::in_folder(&real),
                    // An open file without a name, below `/proc`.
                    _ => Ok(by_path()),
                }
            }
            Ok(_) => Ok(by_path()),
            Err(_) => OutputPlace::in_folder(&without_links(path)),
        }
    }

    fn in_folder(path: &Path) -> Result<Self, OutputError> {
        let Some(name) = path.file_name() else { return Err(OutputRefusal::Directory.into()) };
        let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = Folder::hold(above)?;
        Ok(OutputPlace { at: folder.at(name), entry: Some((folder, name.into())), is_users: false })
    }

    /// Returns a path to the file through its held folder.
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// Opens the file to write it. A file is not opened through a link.
    fn open(&self, options: &OpenOptions) -> io::Result<os::file::File> {
        match &self.entry {
            Some((folder, name)) => OpenOptions { no_follow: true, ..*options }.open_in(folder, name, &self.at),
            None => options.open(&self.at),
        }
    }

    /// Opens a file that exists. A pipe is waited for, until a program reads it.
    fn open_existing(&self, append: bool) -> Result<os::file::File, OutputError> {
        let options = OpenOptions { write: true, append, nonblock: true, ..OpenOptions::new() };
        for _ in 0..PIPE_TRIES {
            match self.open(&options) {
                Err(error) if errno::of(&error) == Some(errno::ENXIO) => {
                    Clock::new(Source::Monotonic).sleep(PIPE_PAUSE)
                }
                Err(error) if errno::of(&error) == Some(errno::ELOOP) => return Err(OutputRefusal::Replaced.into()),
                Ok(file) if self.is_users && !file.is_of_user() => return Err(OutputRefusal::OtherUser.into()),
                Ok(file) if file.kind() == Kind::Regular => return Ok(file),
                // Without the flag, a write waits for the reader.
                file => return Ok(file?.open_again(OpenOptions { nonblock: false, ..options })?),
            }
        }
        Err(OutputRefusal::NoReader.into())
    }
}

/// Why a file is not written.
#[derive(Debug)]
pub enum OutputError {
    Refused(OutputRefusal),
    Io(io::Error),
}

impl From<OutputRefusal> for OutputError {
    fn from(refusal: OutputRefusal) -> Self {
        OutputError::Refused(refusal)
    }
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        OutputError::Io(error)
    }
}

/// Device and inode of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FileId(pub u64, pub u64);

impl FileId {
    fn at(path: &Path) -> io::Result<Self> {
        os::file::identity(path).map(|(device, inode)| FileId(device, inode))
    }

    fn of(file: &os::file::File) -> Self {
        let (device, inode) = file.identity();
        FileId(device, inode)
    }
}

/// A file that does not exist yet: the identity of its folder, and its name.
type NewFile = (FileId, OsString);

/// The targets of plans, under all names.
#[derive(Default)]
struct KnownTargets<'a> {
    existing: HashMap<FileId, &'a str>,
    missing: HashMap<NewFile, &'a str>,
}

/// Checks the paths of outputs against the targets of plans. Build it once and check all outputs with it.
pub struct OutputGuard<'a> {
    plans: Vec<&'a Plan>,
    /// Built at the first check.
    targets: Option<KnownTargets<'a>>,
    uses: TargetUses,
}

impl<'a> OutputGuard<'a> {
    pub fn new(plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        OutputGuard { plans: plans.into_iter().collect(), targets: None, uses: TargetUses::default() }
    }

    /// Checks that a file may be written.
    ///
    /// # Errors
    /// The path is a target by any of its names, a directory, a block device, a character device that can have storage, a file in use, or cannot be examined.
    pub fn check(&mut self, path: &Path) -> Result<(), OutputRefusal> {
        self.examine(path).map(drop)
    }

    /// Checks a file, and holds its folder.
    ///
    /// # Errors
    /// The file is refused as in [`OutputGuard::check`], or its folder cannot be opened.
    pub fn place(&mut self, path: &Path, named_by: NamedBy) -> Result<OutputPlace, OutputError> {
        let place = OutputPlace::find(path, named_by)?;
        self.examine(&place.at)?;
        Ok(place)
    }

    /// Checks a file, and opens it for writing. Creates it if there is none.
    ///
    /// # Errors
    /// The file is refused as in [`OutputGuard::check`] or replaced during the check, or the error of a call on it.
    pub fn open(&mut self, path: &Path, existing: Existing, named_by: NamedBy) -> Result<File, OutputError> {
        let place = OutputPlace::find(path, named_by)?;
        Ok(self.open_at(&place, existing)?.into_std()?)
    }

    fn open_at(&mut self, place: &OutputPlace, existing: Existing) -> Result<os::file::File, OutputError> {
        let checked = self.examine(&place.at)?;
        let append = existing == Existing::Append;
        let Some(checked) = checked else {
            let new = OpenOptions { write: true, append, create: true, exclusive: true, ..OpenOptions::new() };
            return match place.open(&OpenOptions { mode: NEW_MODE, ..new }) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(OutputRefusal::Replaced.into()),
                opened => Ok(opened?),
            };
        };
        let file = place.open_existing(append)?;
        // The name may lead to another file since the check: the open file decides.
        if FileId::of(&file) != checked {
            return Err(OutputRefusal::Replaced.into());
        }
        if existing == Existing::Truncate && file.kind() == Kind::Regular {
            file.set_size(0)?;
        }
        Ok(file)
    }

    /// Returns the identity of a file that may be written. `None` if it does not exist.
    fn examine(&mut self, path: &Path) -> Result<Option<FileId>, OutputRefusal> {
        let found = match std::fs::metadata(path) {
            Ok(found) => Some(found),
            // The path leads to no file. A link may lead to a missing target.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
            Err(error) => return Err(OutputRefusal::UsesUnknown(os_error(&error))),
        };
        let kind = found.as_ref().map(Kind::of);
        let id = found.as_ref().map(|_| FileId::at(path)).transpose();
        let id = id.map_err(|error| OutputRefusal::UsesUnknown(os_error(&error)))?;
        let is_harmless = || os::device::is_without_storage(path) || os::device::is_terminal(path);
        if kind == Some(Kind::Char) && !is_harmless() {
            return Err(OutputRefusal::CharacterDevice);
        }
        if matches!(kind, Some(Kind::Char | Kind::Pipe)) {
            return Ok(id);
        }
        let target = match id {
            Some(id) => self.existing_target(path, id),
            None => self.missing_target(path),
        };
        let target = target.map_err(|error| OutputRefusal::UsesUnknown(os_error(&error)))?;
        if let Some(target) = target {
            return Err(OutputRefusal::Target { path: target.to_owned() });
        }
        let Some(found) = found else { return Ok(None) };
        if found.is_dir() {
            return Err(OutputRefusal::Directory);
        }
        if kind == Some(Kind::Block) {
            return Err(OutputRefusal::BlockDevice);
        }
        if !found.is_file() {
            return Ok(id);
        }
        let file = match identify(path) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(error) => return Err(OutputRefusal::UsesUnknown(os_error(&error))),
        };
        match self.uses.holders(&file) {
            Ok([]) => Ok(id),
            Ok([holder, ..]) => Err(OutputRefusal::InUse(target_use(holder))),
            Err(error) => Err(OutputRefusal::UsesUnknown(os_error(&error))),
        }
    }

    fn existing_target(&mut self, path: &Path, id: FileId) -> io::Result<Option<&'a str>> {
        let ids = self.uses.identities(path, id)?;
        let targets = self.targets()?;
        Ok(ids.iter().find_map(|id| targets.existing.get(id)).copied())
    }

    /// Returns the target that will be created at this path.
    fn missing_target(&mut self, path: &Path) -> io::Result<Option<&'a str>> {
        let new = new_file(path, &mut self.uses)?;
        let targets = self.targets()?;
        Ok(new.iter().find_map(|new| targets.missing.get(new)).copied())
    }

    /// Returns all targets. A plan can have millions of them, and workers share them.
    fn targets(&mut self) -> io::Result<&KnownTargets<'a>> {
        let known = match self.targets.take() {
            Some(known) => known,
            None => KnownTargets::of(&self.plans, &mut self.uses)?,
        };
        Ok(self.targets.insert(known))
    }
}

impl<'a> KnownTargets<'a> {
    fn of(plans: &[&'a Plan], uses: &mut TargetUses) -> io::Result<Self> {
        let mut known = KnownTargets::default();
        let mut seen: HashSet<&str> = HashSet::new();
        for worker in plans.iter().flat_map(|plan| &plan.workers) {
            let streams = worker.stream_list().iter().map(|stream| &stream.path);
            for target in worker.targets.paths.iter().chain(streams).filter(|target| seen.insert(target)) {
                let path = Path::new(target);
                match FileId::at(path) {
                    Ok(id) => {
                        let ids = uses.identities(path, id)?;
                        known.existing.extend(ids.into_iter().map(|id| (id, target.as_str())));
                    }
                    Err(_) => known.missing.extend(new_file(path, uses)?.into_iter().map(|new| (new, target.as_str()))),
                }
            }
        }
        Ok(known)
    }
}

/// Returns the names of a file that does not exist. Empty if its folder does not exist.
fn new_file(path: &Path, uses: &mut TargetUses) -> io::Result<Vec<NewFile>> {
    let path = without_links(path);
    let Some(name) = path.file_name() else { return Ok(Vec::new()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(id) = FileId::at(folder) else { return Ok(Vec::new()) };
    let ids = uses.identities(folder, id)?;
    Ok(ids.into_iter().map(|id| (id, name.to_owned())).collect())
}

/// Follows the links at the end of a path, as an open with `O_CREAT` does.
fn without_links(path: &Path) -> PathBuf {
    /// As in the kernel.
    const LINKS_MAX: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(to) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    path
}

/// Makes a folder for outputs, and those above it, and holds it.
///
/// # Errors
/// The error of a system call.
pub fn make_folder(path: &Path) -> io::Result<Folder> {
    std::fs::create_dir_all(path)?;
    Folder::hold(path)
}

/// Returns a path without links. The file need not exist.
pub fn resolve(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = std::fs::canonicalize(path) {
        return Some(path);
    }
    let path = std::path::absolute(without_links(path)).ok()?;
    let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    folder.zip(path.file_name()).map(|(folder, name)| folder.join(name)).or(Some(path))
}

/// A file that passed the guard.
#[derive(Clone, Debug)]
pub(crate) enum GuardedFile {
    /// It is opened again for each part of its contents.
    File { place: OutputPlace, id: Arc<Mutex<FileId>> },
    /// A pipe or a device stays open.
    Stream(Arc<File>),
}

impl GuardedFile {
    /// Checks and creates a file.
    ///
    /// # Errors
    /// As [`OutputGuard::open`].
    pub(crate) fn create(
        path: &Path,
        existing: Existing,
        named_by: NamedBy,
        guard: &mut OutputGuard,
    ) -> Result<Self, OutputError> {
        let place = OutputPlace::find(path, named_by)?;
        let file = guard.open_at(&place, existing)?;
        if file.kind() != Kind::Regular {
            return Ok(GuardedFile::Stream(Arc::new(file.into_std()?)));
        }
        Ok(GuardedFile::File { place, id: Arc::new(Mutex::new(FileId::of(&file))) })
    }

    /// Appends to the file. If it was removed, this creates a new one.
    ///
    /// # Errors
    /// Another file is at the path, or the error of a call on it.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<(), OutputError> {
        let (place, id) = match self {
            GuardedFile::File { place, id } => (place, id),
            GuardedFile::Stream(stream) => return Ok((&**stream).write_all(bytes)?),
        };
        let mut id = id.lock().unwrap_or_else(PoisonError::into_inner);
        let options = OpenOptions { write: true, append: true, nonblock: true, ..OpenOptions::new() };
        let file = match place.open(&options) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let new = place.open(&OpenOptions { create: true, exclusive: true, mode: NEW_MODE, ..options })?;
                *id = FileId::of(&new);
                new
            }
            Err(error) if errno::of(&error) == Some(errno::ELOOP) => return Err(OutputRefusal::Replaced.into()),
            opened => opened?,
        };
        if FileId::of(&file) != *id {
            return Err(OutputRefusal::Replaced.into());
        }
        let mut file = file.into_std()?;
        file.write_all(bytes)?;
        Ok(os::file::close(file)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Loop, Scratch, worker};

    #[test]
    fn a_target_is_refused_under_every_name_and_a_file_in_use_too() {
        let scratch = Scratch::new("output-guard");
        let (existing, missing, image) = (scratch.file("existing"), scratch.file("missing"), scratch.file("image"));
        std::fs::write(&existing, "data").unwrap();
        std::os::unix::fs::symlink(&existing, scratch.file("link")).unwrap();
        let plan = Plan { workers: vec![worker("job", "read", 4096, &[&existing, &missing])], ..Plan::default() };
        let mut guard = OutputGuard::new([&plan]);
        for path in [existing, missing, scratch.file("link"), scratch.path().join("./missing")] {
            assert!(matches!(guard.check(&path), Err(OutputRefusal::Target { .. })), "{}", path.display());
        }
        assert!(matches!(guard.check(scratch.path()), Err(OutputRefusal::Directory)));
        assert!(guard.check(&scratch.file("report")).is_ok());
        std::fs::write(scratch.file("report"), "old").unwrap();
        assert!(guard.check(&scratch.file("report")).is_ok());
        let Some(_device) = Loop::new(&image, 1 << 20, &[]) else { return };
        assert!(matches!(OutputGuard::new([&plan]).check(&image), Err(OutputRefusal::InUse(_))));
    }
}
