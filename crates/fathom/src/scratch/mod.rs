//! The files of an assessment or a knee search. They are in a folder of their own, which is removed at the end. A new target
//! file is made there, too, so that the remains of a killed run are recognized.

mod removal;
mod run_folder;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use assessment::TargetKind;
use engine::Lease;
use os::errno;
use plan::Plan;
use study::suite::{Place, footprint};

use crate::output::stderr_line;
use crate::target::Found;
use run_folder::RunFolder;

/// The new target file.
const FILE: &str = "file";
const PROBE: &str = "probe";

/// The files of the tests.
pub struct Scratch {
    pub place: Place,
    /// `None` if the target existed before.
    folder: Option<RunFolder>,
    /// The path of a new target file.
    stays: Option<PathBuf>,
    keep: bool,
}

impl Scratch {
    /// Makes the folder. The runs open their files in it through the lease.
    ///
    /// # Errors
    /// The folder cannot be made, or another process uses the target.
    pub fn make(found: &Found, keep: bool, lease: &Lease) -> Result<Scratch, String> {
        if found.existed {
            return Ok(Scratch { place: Place::Path(text(&found.path)), folder: None, stays: None, keep });
        }
        let name = found.path.file_name().filter(|_| found.facts.kind != TargetKind::Directory);
        let (beside, target) = match (name, found.path.parent()) {
            // A directory can hold several new targets.
            (Some(name), Some(beside)) => (beside, name.to_string_lossy()),
            _ => (found.path.as_path(), "".into()),
        };
        let folder = RunFolder::make(beside, &target, &[FILE, PROBE])?;
        lease.hold_folder(&folder.path, folder.folder.clone());
        let stays = name.map(|_| found.path.clone());
        let place = match stays {
            Some(_) => Place::Path(text(&folder.path.join(FILE))),
            None => Place::Directory(text(&folder.path)),
        };
        Ok(Scratch { place, folder: Some(folder), stays, keep })
    }

    /// Notes the files that a plan makes. Call this before it runs: at the end only they are removed.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn will_run(&mut self, plan: &Plan) -> Result<(), String> {
        let Some(folder) = &mut self.folder else { return Ok(()) };
        let at = folder.path.clone();
        let paths = footprint(plan).into_keys().map(PathBuf::from);
        let names: Vec<OsString> =
            paths.filter_map(|path| Some(path.strip_prefix(&at).ok()?.iter().next()?.to_owned())).collect();
        let noted = folder.will_make(names.iter().filter_map(|name| name.to_str()));
        noted.map_err(|error| format!("{}: {}", at.display(), units::errno::reason(&error)))
    }

    /// Returns false if direct I/O is refused there. After any other error the tests report it.
    pub fn has_direct_io(&self) -> bool {
        let is_refused = |error: io::Error| errno::of(&error) == Some(errno::EINVAL);
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
        let opened = match (&self.folder, &self.place) {
            (Some(own), _) => {
                let opened = open(&own.folder.at(PROBE), true);
                let _ = own.folder.remove(PROBE);
                opened
            }
            (None, Place::Path(path) | Place::Directory(path)) => open(Path::new(path), false),
        };
        !opened.is_err_and(is_refused)
    }

    /// Returns the path that remains after the run.
    pub fn left(&self) -> Option<&Path> {
        let made = self.stays.as_deref().or(self.folder.as_ref().map(|folder| folder.path.as_path()));
        made.filter(|_| self.keep)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(own) = &self.folder else { return };
        match self.stays.as_ref().and_then(|stays| stays.file_name()) {
            None if self.keep => return,
            Some(name) if self.keep => {
                // A hard link never replaces a file that another process has created there.
                match own.folder.link(FILE, &own.parent, name) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        let (at, name) = (own.path.join(FILE), name.display());
                        return stderr_line!("warning: the tests' file remains {}: {name}: {error}", at.display());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        if let Err(error) = own.remove() {
            stderr_line!("warning: {} can't be removed: {}", own.path.display(), units::errno::reason(&error));
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
