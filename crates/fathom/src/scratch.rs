//! The files that an assessment, or a search for the knee, makes: in a folder of its own, gone in the end. A file that is to be
//! the target is made there, too: what a killed run leaves is never taken for somebody's.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use assessment::TargetKind;
use os::errno;
use study::suite::Place;

use super::target::Found;
use crate::output::tell_line;

const FOLDER: &str = "fathom-assess.tmp";
/// The file that is the target.
const FILE: &str = "file";
const LOCK: &str = "lock";
const PROBE: &str = "probe";
pub struct Scratch {
    pub place: Place,
    /// None where the target is what was there before.
    folder: Option<PathBuf>,
    /// Where the file of a target that wasn't there stays, if files are kept.
    stays: Option<PathBuf>,
    keep: bool,
    /// Held as long as the folder is in use.
    _lock: Option<File>,
}

impl Scratch {
    pub fn make(found: &Found, keep: bool) -> Result<Scratch, String> {
        if found.existed {
            return Ok(Scratch { place: Place::Path(text(&found.path)), folder: None, stays: None, keep, _lock: None });
        }
        let name = found.path.file_name().filter(|_| found.facts.kind != TargetKind::Directory);
        let folder = match (name, found.path.parent()) {
            // Several may be made side by side.
            (Some(name), Some(beside)) => beside.join(format!("{}.{FOLDER}", name.display())),
            _ => found.path.join(FOLDER),
        };
        let told = |error: io::Error| format!("{}: {}", folder.display(), units::errno::reason(&error));
        std::fs::create_dir_all(&folder).map_err(told)?;
        let lock = File::create(folder.join(LOCK)).map_err(told)?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{}: another assessment, or a search, is at work there", folder.display()));
            }
            // A file system without locks has no way to tell.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // What a killed run left, or one that was to leave its files.
        clear(&folder).map_err(told)?;
        let stays = name.map(|_| found.path.clone());
        let place = match stays {
            Some(_) => Place::Path(text(&folder.join(FILE))),
            None => Place::Directory(text(&folder)),
        };
        Ok(Scratch { place, folder: Some(folder), stays, keep, _lock: Some(lock) })
    }

    /// Whether files there can be opened without the page cache; anything but a clear no is for the tests to find out.
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

    /// What stays, for people.
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
            // A link, as what has come to be there meanwhile is not to be lost.
            Some(stays) if self.keep && at.exists() => {
                if let Err(error) = std::fs::hard_link(&at, stays) {
                    return tell_line!("fathom: the tests' file stays {}: {}: {error}", at.display(), stays.display());
                }
            }
            None if self.keep => return,
            _ => {}
        }
        if let Err(error) = std::fs::remove_dir_all(folder)
            && error.kind() != ErrorKind::NotFound
        {
            tell_line!("fathom: {} can't be removed: {error}", folder.display());
        }
    }
}

/// Removes what is in the folder but the lock.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
