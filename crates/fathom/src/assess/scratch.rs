//! The files that an assessment, or a search for the knee, makes: a folder of its own in a directory, or one file; gone in the end.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use judge::assessment::TargetKind;
use study::suite::Place;

use super::target::Found;

const FOLDER: &str = "fathom-assess.tmp";
const LOCK: &str = "lock";
const PROBE: &str = "probe";
/// What file systems without direct I/O say.
const EINVAL: i32 = 22;

pub struct Scratch {
    pub place: Place,
    made: Option<PathBuf>,
    keep: bool,
    /// Held as long as the folder is in use.
    _lock: Option<File>,
}

impl Scratch {
    pub fn make(found: &Found, keep: bool) -> Result<Scratch, String> {
        if found.facts.kind != TargetKind::Directory {
            let made = (!found.existed).then(|| found.path.clone());
            return Ok(Scratch { place: Place::Path(text(&found.path)), made, keep, _lock: None });
        }
        let folder = found.path.join(FOLDER);
        let told = |error: io::Error| format!("{}: {}", folder.display(), record::plain(&error.to_string()));
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
        Ok(Scratch { place: Place::Directory(text(&folder)), made: Some(folder), keep, _lock: Some(lock) })
    }

    /// Whether files there can be opened without the page cache; anything but a clear no is for the tests to find out.
    pub fn has_direct_io(&self) -> bool {
        let is_refused = |error: io::Error| error.raw_os_error() == Some(EINVAL);
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
        self.made.as_deref().filter(|_| self.keep)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(made) = self.made.as_ref().filter(|_| !self.keep) else { return };
        let gone = if made.is_dir() { std::fs::remove_dir_all(made) } else { std::fs::remove_file(made) };
        if let Err(error) = gone
            && error.kind() != ErrorKind::NotFound
        {
            crate::output::tell_line!("fathom: {} can't be removed: {error}", made.display());
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
