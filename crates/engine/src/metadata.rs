//! The engines that create, examine and remove files and directories: `filecreate`, `filestat`, `filedelete`, and the
//! same for directories.
//!
//! The operation replaces the opening of a target, once per target. Its time is recorded as `clat` of the job's direction.
//! The I/Os that follow are counted only: they go to the `null` back end.

use os::file::{self, File, OpenOptions};
use plan::{Engine, StatCall};
use record::{IoError, MetadataOperation, RunError};
use std::io;
use std::path::Path;
use targets::{HeldTargets, fault};

/// The operation of such an engine on a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metadata {
    CreateFile,
    CreateDirectory,
    Stat(StatCall),
    DeleteFile,
    DeleteDirectory,
}

impl Metadata {
    pub fn of(engine: &Engine) -> Option<Self> {
        match engine {
            Engine::FileCreate => Some(Metadata::CreateFile),
            Engine::DirCreate => Some(Metadata::CreateDirectory),
            Engine::FileStat(call) | Engine::DirStat(call) => Some(Metadata::Stat(*call)),
            Engine::FileDelete => Some(Metadata::DeleteFile),
            Engine::DirDelete => Some(Metadata::DeleteDirectory),
            _ => None,
        }
    }

    /// Does the operation. The caller closes a created file, outside the measured time.
    ///
    /// # Errors
    /// The call fails.
    pub fn run(self, path: &Path, targets: &HeldTargets) -> Result<Option<File>, RunError> {
        let done = match self {
            Metadata::CreateFile => {
                let options = OpenOptions { read: true, write: true, create: true, mode: 0o600, ..OpenOptions::new() };
                let opened = targets.open(&options, path);
                return opened.map(Some).map_err(|error| error.into_run_error(|error| self.failed(path, error)));
            }
            Metadata::CreateDirectory => targets.make_target_directory(path).map(|()| None),
            Metadata::Stat(call) => file::stat(path, call).map(|_| None),
            Metadata::DeleteFile | Metadata::DeleteDirectory => {
                targets.remove(path, self == Metadata::DeleteDirectory).map(|()| None)
            }
        };
        done.map_err(|error| self.failed(path, &error))
    }

    fn failed(self, path: &Path, error: &io::Error) -> RunError {
        let operation = match self {
            Metadata::CreateFile => MetadataOperation::CreateFile,
            Metadata::CreateDirectory => MetadataOperation::CreateDirectory,
            Metadata::Stat(call) => MetadataOperation::Status { call: call as u32 + 1 },
            Metadata::DeleteFile | Metadata::DeleteDirectory => MetadataOperation::Delete,
        };
        fault::of_io(error, IoError::Metadata { path: fault::shown(path), operation })
    }
}

#[cfg(test)]
mod tests {
    use os::errno;

    use super::*;
    use crate::sample::Scratch;

    #[test]
    fn files_are_made_looked_at_and_removed() {
        let scratch = Scratch::new("metadata-ops");
        let path = scratch.file("f");
        assert!(Metadata::CreateFile.run(&path, &HeldTargets::default()).unwrap().is_some());
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
        for call in [StatCall::Stat, StatCall::Lstat, StatCall::Statx] {
            Metadata::Stat(call).run(&path, &HeldTargets::default()).unwrap();
        }
        // As in fio, a file that exists is opened and left as it is.
        std::fs::write(&path, b"kept").unwrap();
        Metadata::CreateFile.run(&path, &HeldTargets::default()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"kept");
        Metadata::DeleteFile.run(&path, &HeldTargets::default()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn directories_are_made_once_and_removed_when_empty() {
        let scratch = Scratch::new("metadata-dirs");
        let path = scratch.file("d");
        Metadata::CreateDirectory.run(&path, &HeldTargets::default()).unwrap();
        let error = Metadata::CreateDirectory.run(&path, &HeldTargets::default()).unwrap_err();
        assert_eq!(
            (error.errno, fio::wording::call(&error)),
            (errno::EEXIST, format!("open({})", path.display()).into())
        );
        Metadata::DeleteDirectory.run(&path, &HeldTargets::default()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_is_missing_is_an_error_in_fios_terms() {
        let scratch = Scratch::new("metadata-missing");
        let path = scratch.file("nothing");
        let error = Metadata::Stat(StatCall::Lstat).run(&path, &HeldTargets::default()).unwrap_err();
        let stat = format!("stat({}) type=2", path.display());
        assert_eq!((error.errno, fio::wording::call(&error)), (errno::ENOENT, stat.into()));
        let error = Metadata::DeleteFile.run(&path, &HeldTargets::default()).unwrap_err();
        assert_eq!(
            (error.errno, fio::wording::call(&error)),
            (errno::ENOENT, format!("delete({})", path.display()).into())
        );
    }
}
