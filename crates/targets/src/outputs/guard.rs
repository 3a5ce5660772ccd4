//! Output guard: no file that the program writes replaces a target of the run or a file in use.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use os::errno;
use os::file::{Inode, Kind, OpenOptions};
use plan::Plan;
use record::OutputRefusal;

use super::error::OutputError;
use super::folders::{NamedBy, OutputEntry, OutputFolders, OutputPlace};
use super::links::without_links;
use crate::fault::os_error;
use crate::in_use::{TargetUses, identify};

/// Permissions of new files, before the umask.
pub(super) const NEW_MODE: u32 = 0o666;

/// What becomes of the contents of an existing file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Truncate,
    Append,
}

/// A file that does not exist yet: the identity of its folder, and its name.
type NewFile = (Inode, OsString);

/// The targets of plans, under all names.
#[derive(Default)]
struct KnownTargets<'a> {
    existing: HashMap<Inode, &'a str>,
    missing: HashMap<NewFile, &'a str>,
}

/// Checks the paths of outputs against the targets of plans. Build it once and check all outputs with it.
pub struct OutputGuard<'a> {
    plans: Vec<&'a Plan>,
    /// Built at the first check.
    targets: Option<KnownTargets<'a>>,
    uses: TargetUses,
    pub(super) folders: Arc<OutputFolders>,
}

impl<'a> OutputGuard<'a> {
    pub fn new(plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        OutputGuard::in_folders(Arc::default(), plans)
    }

    /// Returns a guard that finds outputs in folders that are held already.
    pub fn in_folders(folders: Arc<OutputFolders>, plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        OutputGuard { plans: plans.into_iter().collect(), targets: None, uses: TargetUses::default(), folders }
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
        let entry = self.folders.find(path, named_by)?;
        let mut place = entry.place()?;
        place.id = self.examine(place.at())?;
        if entry.is_users && place.id.is_some() && !os::file::is_own(place.at())? {
            return Err(OutputRefusal::OtherUser.into());
        }
        Ok(place)
    }

    /// Checks a file, and opens it for writing. Creates it if there is none.
    ///
    /// # Errors
    /// The file is refused as in [`OutputGuard::check`] or replaced during the check, or the error of a call on it.
    pub fn open(&mut self, path: &Path, existing: Existing, named_by: NamedBy) -> Result<File, OutputError> {
        let entry = self.folders.find(path, named_by)?;
        Ok(self.open_entry(&entry, existing)?.into_std()?)
    }

    pub(super) fn open_entry(
        &mut self,
        entry: &OutputEntry,
        existing: Existing,
    ) -> Result<os::file::File, OutputError> {
        let checked = self.examine(entry.place()?.at())?;
        let append = existing == Existing::Append;
        let Some(checked) = checked else {
            let new = OpenOptions { write: true, append, create: true, exclusive: true, ..OpenOptions::new() };
            return match entry.open(&OpenOptions { mode: NEW_MODE, ..new }) {
                Err(error) if error.is(errno::EEXIST) => Err(OutputRefusal::Replaced.into()),
                opened => opened,
            };
        };
        let file = entry.open_existing(append)?;
        // The name may lead to another file since the check: the open file decides.
        if file.identity() != checked {
            return Err(OutputRefusal::Replaced.into());
        }
        if existing == Existing::Truncate && file.kind() == Kind::Regular {
            file.set_size(0)?;
        }
        Ok(file)
    }

    /// Returns the identity of a file that may be written. `None` if it does not exist.
    fn examine(&mut self, path: &Path) -> Result<Option<Inode>, OutputRefusal> {
        let found = match std::fs::metadata(path) {
            Ok(found) => Some(found),
            // The path leads to no file. A link may lead to a missing target.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
            Err(error) => return Err(OutputRefusal::UsesUnknown(os_error(&error))),
        };
        let kind = found.as_ref().map(Kind::of);
        let id = found.as_ref().map(|_| os::file::identity(path)).transpose();
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
            Ok([holder, ..]) => Err(OutputRefusal::InUse(holder.clone())),
            Err(error) => Err(OutputRefusal::UsesUnknown(os_error(&error))),
        }
    }

    fn existing_target(&mut self, path: &Path, id: Inode) -> io::Result<Option<&'a str>> {
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
            for target in worker.paths().filter(|target| seen.insert(target)) {
                let path = Path::new(target);
                match os::file::identity(path) {
                    Ok(id) => {
                        let ids = uses.identities(path, id)?;
                        known.existing.extend(ids.into_iter().map(|id| (id, target)));
                    }
                    Err(_) => known.missing.extend(new_file(path, uses)?.into_iter().map(|new| (new, target))),
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
    let Ok(id) = os::file::identity(folder) else { return Ok(Vec::new()) };
    let ids = uses.identities(folder, id)?;
    Ok(ids.into_iter().map(|id| (id, name.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use harness::{Loop, Scratch};
    use plan::Worker;

    use super::*;

    #[test]
    fn a_target_is_refused_under_every_name_and_a_file_in_use_too() {
        let scratch = Scratch::new("output-guard");
        let (existing, missing) = (scratch.file("existing"), scratch.file("missing"));
        std::fs::write(&existing, "data").unwrap();
        std::os::unix::fs::symlink(&existing, scratch.file("link")).unwrap();
        let paths = [&existing, &missing].map(|path| path.to_str().unwrap().to_owned()).to_vec();
        let mut job = Worker::default();
        job.job_mut().unwrap().targets.paths = paths;
        let plan = Plan { workers: vec![job], ..Plan::default() };
        let mut guard = OutputGuard::new([&plan]);
        for path in [existing, missing, scratch.file("link"), scratch.path().join("./missing")] {
            assert!(matches!(guard.check(&path), Err(OutputRefusal::Target { .. })), "{}", path.display());
        }
        assert!(matches!(guard.check(scratch.path()), Err(OutputRefusal::Directory)));
        assert!(guard.check(&scratch.file("report")).is_ok());
        std::fs::write(scratch.file("report"), "old").unwrap();
        assert!(guard.check(&scratch.file("report")).is_ok());
        let Some(device) = Loop::new(&scratch, 1, "") else { return };
        assert!(matches!(OutputGuard::new([&plan]).check(&device.image), Err(OutputRefusal::InUse(_))));
    }
}
