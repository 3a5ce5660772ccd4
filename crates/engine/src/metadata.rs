//! The engines that make, look at and remove files and directories: `filecreate`, `filestat`, `filedelete` and their
//! siblings for directories.
//!
//! Their work is done when a target is opened, once for each target; that is the latency they record (as `clat`, of
//! the direction of the job). The I/Os that follow only count: they are for the `null` back end.

use os::errno;
use os::file::{self, File, OpenOptions};
use plan::{Engine, StatCall};
use record::RunError;
use std::io;
use std::path::Path;

/// What such an engine does to a target.
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

    /// Does it. A file that was made stays open until it is dropped, which belongs outside the time taken.
    pub fn run(self, path: &Path) -> Result<Option<File>, RunError> {
        let done = match self {
            Metadata::CreateFile => {
                let options = OpenOptions { read: true, write: true, create: true, mode: 0o600, ..OpenOptions::new() };
                options.open(path).map(Some)
            }
            Metadata::CreateDirectory => file::make_dir(path, 0o700).map(|()| None),
            Metadata::Stat(call) => file::stat(path, syscall(call)).map(|_| None),
            Metadata::DeleteFile => file::unlink(path).map(|()| None),
            Metadata::DeleteDirectory => file::remove_dir(path).map(|()| None),
        };
        done.map_err(|error| self.failed(path, &error))
    }

    fn failed(self, path: &Path, error: &io::Error) -> RunError {
        let shown = path.display();
        let func = match self {
            Metadata::CreateFile | Metadata::CreateDirectory => format!("open({shown})"),
            Metadata::Stat(call) => format!("stat({shown}) type={}", call as u32 + 1),
            Metadata::DeleteFile | Metadata::DeleteDirectory => format!("delete({shown})"),
        };
        let advice = match (self, error.kind()) {
            (Metadata::CreateDirectory, io::ErrorKind::AlreadyExists) => {
                ": dircreate needs directories that don't exist yet; unlink=1 removes them after a run"
            }
            (_, io::ErrorKind::NotFound) => ": each target is used once; it is gone, or was never made",
            _ => "",
        };
        let errno = error.raw_os_error().unwrap_or(errno::EIO);
        RunError { errno, message: format!("{func}: {error}{advice}", error = errno::reason(error)), func }
    }
}

fn syscall(call: StatCall) -> file::StatCall {
    match call {
        StatCall::Stat => file::StatCall::Stat,
        StatCall::Lstat => file::StatCall::Lstat,
        StatCall::Statx => file::StatCall::Statx,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Scratch;

    #[test]
    fn files_are_made_looked_at_and_removed() {
        let scratch = Scratch::new("metadata-ops");
        let path = scratch.file("f");
        assert!(Metadata::CreateFile.run(&path).unwrap().is_some());
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
        for call in [StatCall::Stat, StatCall::Lstat, StatCall::Statx] {
            Metadata::Stat(call).run(&path).unwrap();
        }
        // As in fio, a file that exists is opened and left as it is.
        std::fs::write(&path, b"kept").unwrap();
        Metadata::CreateFile.run(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"kept");
        Metadata::DeleteFile.run(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn directories_are_made_once_and_removed_when_empty() {
        let scratch = Scratch::new("metadata-dirs");
        let path = scratch.file("d");
        Metadata::CreateDirectory.run(&path).unwrap();
        let error = Metadata::CreateDirectory.run(&path).unwrap_err();
        assert_eq!((error.errno, error.func), (errno::EEXIST, format!("open({})", path.display())));
        Metadata::DeleteDirectory.run(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_is_missing_is_an_error_in_fios_terms() {
        let scratch = Scratch::new("metadata-missing");
        let path = scratch.file("nothing");
        let error = Metadata::Stat(StatCall::Lstat).run(&path).unwrap_err();
        assert_eq!((error.errno, error.func), (errno::ENOENT, format!("stat({}) type=2", path.display())));
        let error = Metadata::DeleteFile.run(&path).unwrap_err();
        assert_eq!((error.errno, error.func), (errno::ENOENT, format!("delete({})", path.display())));
    }
}
