//! The files of an assessment or a knee search. They are in a folder of their own, which is removed at the end. A new target
//! file is made there, too, so that the remains of a killed run are recognized.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use assessment::TargetKind;
use engine::OutputGuard;
use os::errno;
use study::suite::Place;

use crate::atomic_file::{self, OutputError};
use crate::output::stderr_line;
use crate::target::Found;

const FOLDER: &str = "fathom-assess.tmp";
/// The new target file.
const FILE: &str = "file";
const LOCK: &str = "lock";
const PROBE: &str = "probe";

/// The files of the tests.
pub struct Scratch {
    pub place: Place,
    /// `None` if the target existed before.
    folder: Option<PathBuf>,
    /// The path of a new target file, if files are kept.
    stays: Option<PathBuf>,
    keep: bool,
    /// Held while the folder is in use.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes the folder.
    ///
    /// # Errors
    /// The folder cannot be made, another process uses it, or a file in it is in use.
    pub fn make(found: &Found, keep: bool) -> Result<Scratch, String> {
        if found.existed {
            return Ok(Scratch { place: Place::Path(text(&found.path)), folder: None, stays: None, keep, _lock: None });
        }
        let name = found.path.file_name().filter(|_| found.facts.kind != TargetKind::Directory);
        let folder = match (name, found.path.parent()) {
            // A directory can hold several new targets.
            (Some(name), Some(beside)) => beside.join(format!("{}.{FOLDER}", name.display())),
            _ => found.path.join(FOLDER),
        };
        let failed = |error: io::Error| format!("{}: {}", folder.display(), units::errno::reason(&error));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let lock = atomic_file::create(&folder.join(LOCK), &mut OutputGuard::new([]))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{}: another assessment or search uses this folder", folder.display()));
            }
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // Files of a killed run, or of one that kept its files.
        clear(&folder)?;
        let stays = name.map(|_| found.path.clone());
        let place = match stays {
            Some(_) => Place::Path(text(&folder.join(FILE))),
            None => Place::Directory(text(&folder)),
        };
        Ok(Scratch { place, folder: Some(folder), stays, keep, _lock: Some(lock) })
    }

    /// Returns false if direct I/O is refused there. After any other error the tests report it.
    pub fn has_direct_io(&self) -> bool {
        let is_refused = |error: io::Error| error.raw_os_error() == Some(errno::EINVAL);
        let open = |path: &Path, write: bool| {
            let options = os::file::OpenOptions {
                read: true,
                write,
                create: write,
                direct: true,
                ..os::file::OpenOptions::new()
            };
            options.open(path).map(drop)
        };
        let opened = match &self.place {
            Place::Directory(folder) => {
                let probe = Path::new(folder).join(PROBE);
                let opened = open(&probe, true);
                let _ = std::fs::remove_file(&probe);
                opened
            }
            Place::Path(path) => {
                let path = Path::new(path);
                let is_new = !path.exists();
                let opened = open(path, is_new);
                if is_new {
                    let _ = std::fs::remove_file(path);
                }
                opened
            }
        };
        !opened.is_err_and(is_refused)
    }

    /// Returns the path that remains after the run.
    pub fn left(&self) -> Option<&Path> {
        let made = self.stays.as_ref().or(self.folder.as_ref());
        made.map(PathBuf::as_path).filter(|_| self.keep)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(folder) = &self.folder else { return };
        let at = folder.join(FILE);
        match &self.stays {
            // A hard link never replaces a file that another process has created there.
            Some(stays) if self.keep && at.exists() => {
                if let Err(error) = std::fs::hard_link(&at, stays) {
                    return stderr_line!(
                        "warning: the tests' file remains {}: {}: {error}",
                        at.display(),
                        stays.display()
                    );
                }
            }
            None if self.keep => return,
            _ => {}
        }
        if let Err(error) = std::fs::remove_dir_all(folder)
            && error.kind() != ErrorKind::NotFound
        {
            stderr_line!("warning: {} can't be removed: {error}", folder.display());
        }
    }
}

/// Removes all files of the folder but the lock.
fn clear(folder: &Path) -> Result<(), OutputError> {
    let mut guard = OutputGuard::new([]);
    let entries = std::fs::read_dir(folder).map_err(|error| OutputError::io(folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| OutputError::io(folder, error))?;
        if entry.file_name() != LOCK {
            let path = entry.path();
            atomic_file::check(&path, &mut guard)?;
            std::fs::remove_file(&path).map_err(|error| OutputError::io(&path, error))?;
        }
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
