//! Output guard: no file that the program writes replaces a target of the run or a file in use.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use plan::Plan;
use record::OutputRefusal;

use crate::fault::{os_error, target_use};
use crate::in_use::TargetUses;

/// What becomes of the contents of an existing file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Truncate,
    Append,
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
pub(crate) struct FileId(u64, u64);

impl FileId {
    pub(crate) fn of(found: &Metadata) -> Self {
        FileId(found.dev(), found.ino())
    }
}

/// Checks the paths of outputs against the targets of plans. Build it once and check all outputs with it.
pub struct OutputGuard<'a> {
    plans: Vec<&'a Plan>,
    /// Paths of the targets by file name. Built at the first check.
    by_name: Option<HashMap<&'a OsStr, HashSet<&'a str>>>,
    /// Existing targets by device and inode. Built at the first output that exists.
    by_inode: Option<HashMap<FileId, &'a str>>,
    uses: TargetUses,
}

impl<'a> OutputGuard<'a> {
    pub fn new(plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        OutputGuard { plans: plans.into_iter().collect(), by_name: None, by_inode: None, uses: TargetUses::default() }
    }

    /// Returns the targets by file name. A plan can have millions of them, and workers share them.
    fn by_name(&mut self) -> &HashMap<&'a OsStr, HashSet<&'a str>> {
        self.by_name.get_or_insert_with(|| {
            let mut by_name: HashMap<&OsStr, HashSet<&str>> = HashMap::new();
            for worker in self.plans.iter().flat_map(|plan| &plan.workers) {
                let streams = worker.stream_list().iter().map(|stream| &stream.path);
                for target in worker.targets.paths.iter().chain(streams) {
                    let name = Path::new(target).file_name().unwrap_or_default();
                    by_name.entry(name).or_default().insert(target);
                }
            }
            by_name
        })
    }

    /// Checks that a file may be written.
    ///
    /// # Errors
    /// The path is a target by any of its names, a directory, a block device, a character device that can have storage, a file in use, or cannot be examined.
    pub fn check(&mut self, path: &Path) -> Result<(), OutputRefusal> {
        self.examine(path).map(drop)
    }

    /// Checks a file, and opens it for writing. Creates it if there is none.
    ///
    /// # Errors
    /// The file is refused as in [`OutputGuard::check`] or replaced during the check, or the error of a call on it.
    pub fn open(&mut self, path: &Path, existing: Existing) -> Result<File, OutputError> {
        let checked = self.examine(path)?;
        let append = existing == Existing::Append;
        let file = File::options().write(true).append(append).create(true).truncate(false).open(path)?;
        // The path may have changed since the check: the open file decides.
        let found = file.metadata()?;
        let is_new = || found.is_file() && found.len() == 0;
        if checked.map_or_else(|| !is_new(), |checked| checked != FileId::of(&found)) {
            return Err(OutputRefusal::Replaced.into());
        }
        if existing == Existing::Truncate && found.is_file() {
            file.set_len(0)?;
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
        let kind = found.as_ref().map(Metadata::file_type);
        let is_harmless = || os::device::is_without_storage(path) || os::device::is_terminal(path);
        if kind.is_some_and(|kind| kind.is_char_device()) && !is_harmless() {
            return Err(OutputRefusal::CharacterDevice);
        }
        if kind.is_some_and(|kind| kind.is_char_device() || kind.is_fifo()) {
            return Ok(found.as_ref().map(FileId::of));
        }
        let target = match &found {
            Some(found) => self.existing_target(found),
            None => self.missing_target(path),
        };
        if let Some(target) = target {
            return Err(OutputRefusal::Target { path: target.to_owned() });
        }
        let Some(found) = found else { return Ok(None) };
        if found.is_dir() {
            return Err(OutputRefusal::Directory);
        }
        if found.file_type().is_block_device() {
            return Err(OutputRefusal::BlockDevice);
        }
        let id = Some(FileId::of(&found));
        if !found.is_file() {
            return Ok(id);
        }
        match self.uses.holders(path) {
            Ok([]) => Ok(id),
            Ok([holder, ..]) => Err(OutputRefusal::InUse(target_use(holder))),
            Err(error) => Err(OutputRefusal::UsesUnknown(os_error(&error))),
        }
    }

    fn existing_target(&mut self, found: &Metadata) -> Option<&'a str> {
        if self.by_inode.is_none() {
            let inode = |target: &&'a str| {
                let found = std::fs::metadata(target).ok()?;
                Some((FileId::of(&found), *target))
            };
            self.by_inode = Some(self.by_name().values().flatten().filter_map(inode).collect());
        }
        self.by_inode.as_ref()?.get(&FileId::of(found)).copied()
    }

    /// Returns the target that will be created at this path.
    fn missing_target(&mut self, path: &Path) -> Option<&'a str> {
        let named = self.by_name().get(path.file_name()?)?;
        let resolved = resolve(path);
        named.iter().copied().find(|target| resolve(Path::new(target)) == resolved)
    }
}

/// Returns a path without links, as far as it exists.
pub fn resolve(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).ok()
}

/// A file that passed the guard and is opened again for each part of its contents.
#[derive(Clone, Debug)]
pub(crate) struct GuardedFile {
    path: PathBuf,
    id: Arc<Mutex<FileId>>,
}

impl GuardedFile {
    /// Checks and creates a file.
    ///
    /// # Errors
    /// As [`OutputGuard::open`].
    pub(crate) fn create(path: &Path, existing: Existing, guard: &mut OutputGuard) -> Result<Self, OutputError> {
        let id = FileId::of(&guard.open(path, existing)?.metadata()?);
        Ok(GuardedFile { path: path.to_owned(), id: Arc::new(Mutex::new(id)) })
    }

    /// Appends to the file. If it was removed, this creates a new one.
    ///
    /// # Errors
    /// Another file is at the path, or the error of a call on it.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<(), OutputError> {
        let mut id = self.id.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = match File::options().append(true).open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let new = File::options().append(true).create_new(true).open(&self.path)?;
                *id = FileId::of(&new.metadata()?);
                new
            }
            opened => opened?,
        };
        if FileId::of(&file.metadata()?) != *id {
            return Err(OutputRefusal::Replaced.into());
        }
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
