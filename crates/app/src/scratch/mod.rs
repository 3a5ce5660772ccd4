//! The files of an assessment or a knee search. They are in a folder of their own, which is removed at the end. A new target
//! file is made there, too, so that the remains of a killed run are recognized.

mod removal;
mod run_folder;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use os::errno;
use os::file::Folder;
use plan::Plan;
use study::suite::{Place, footprint};
use targets::Lease;

use crate::output::stderr_line;
use crate::target::Found;
use run_folder::RunFolder;
pub use run_folder::RunId;

/// The new target file.
const FILE: &str = "file";
const PROBE: &str = "probe";
/// Steps of the search for the largest file.
const STEP_BYTES: u64 = 1 << 20;

/// The files of the tests, on this machine or on each host of a fleet.
pub trait TestFiles {
    /// Returns where the files of the tests are.
    fn place(&self) -> &Place;

    /// Notes the files that a plan makes. Call this before it runs: at the end only they are removed.
    ///
    /// # Errors
    /// The note cannot be written.
    fn will_run(&mut self, plan: &Plan) -> Result<(), String>;

    /// Returns false if direct I/O is refused there.
    fn has_direct_io(&self) -> bool;

    /// Returns the largest size of a new file there, up to `wanted`.
    fn file_bytes_max(&self, wanted: u64) -> u64 {
        wanted
    }
}

/// The files of the tests on this machine.
pub struct Scratch {
    place: Place,
    /// `None` if the target existed before, or another host made the folder.
    folder: Option<RunFolder>,
    /// The path of a new target file.
    stays: Option<PathBuf>,
    keep: bool,
}

/// Returns where the files of the tests of a run are.
pub fn place(found: &Found, id: &RunId) -> Place {
    if found.existed {
        return Place::Path(text(&found.path));
    }
    let folder = found.folder().join(id.folder());
    match found.new_file() {
        Some(_) => Place::Path(text(&folder.join(FILE))),
        None => Place::Directory(text(&folder)),
    }
}

impl Scratch {
    /// Makes the folder. The runs open their files in it through the lease.
    ///
    /// # Errors
    /// The folder cannot be made, or another process uses the target.
    pub fn make(found: &Found, id: &RunId, keep: bool, lease: &Lease) -> Result<Scratch, String> {
        let place = place(found, id);
        if found.existed {
            return Ok(Scratch { place, folder: None, stays: None, keep });
        }
        // A directory can hold several new targets.
        let target = found.new_file().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let folder = RunFolder::make(found.folder(), id, &target, &[FILE, PROBE])?;
        lease.hold_folder(&folder.path, folder.folder.clone());
        let stays = found.new_file().map(|_| found.path.clone());
        Ok(Scratch { place, folder: Some(folder), stays, keep })
    }

    /// Opens the folder that another host has made on the same file system. That host removes it.
    ///
    /// # Errors
    /// The folder is not found, or it is not a private folder of this user.
    pub fn open_shared(found: &Found, id: &RunId, lease: &Lease) -> Result<Scratch, String> {
        if !found.existed {
            let path = found.folder().join(id.folder());
            let folder = Folder::open(found.folder()).and_then(|parent| parent.folder(id.folder()));
            let folder = folder.map_err(|error| {
                let (path, reason) = (path.display(), units::errno::reason(&error));
                format!("{path}, made by the first host: {reason}\nhelp: --shared requires a file system that all hosts mount")
            })?;
            let is_private = folder.is_private();
            if !is_private.map_err(|error| format!("{}: {}", path.display(), units::errno::reason(&error)))? {
                let help = "help: on NFS, export with no_root_squash, or run as a user other than root";
                return Err(format!("{}: the folder is not private to this user\n{help}", path.display()));
            }
            lease.hold_folder(&path, folder);
        }
        Ok(Scratch { place: place(found, id), folder: None, stays: None, keep: true })
    }
}

impl TestFiles for Scratch {
    fn place(&self) -> &Place {
        &self.place
    }

    fn will_run(&mut self, plan: &Plan) -> Result<(), String> {
        let Some(folder) = &mut self.folder else { return Ok(()) };
        let at = folder.path.clone();
        let paths = footprint(plan).into_keys().map(PathBuf::from);
        let names: Vec<OsString> =
            paths.filter_map(|path| Some(path.strip_prefix(&at).ok()?.iter().next()?.to_owned())).collect();
        let noted = folder.will_make(names.iter().filter_map(|name| name.to_str()));
        noted.map_err(|error| format!("{}: {}", at.display(), units::errno::reason(&error)))
    }

    /// After any other error the tests report it.
    fn has_direct_io(&self) -> bool {
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

    /// The size that the file system and the limit of this process (`ulimit -f`) allow, in MiB steps.
    fn file_bytes_max(&self, wanted: u64) -> u64 {
        let Some(own) = &self.folder else { return wanted };
        let options = os::file::OpenOptions { write: true, create: true, ..os::file::OpenOptions::new() };
        let Ok(probe) = options.open(&own.folder.at(PROBE)) else { return wanted };
        let fits = |bytes: u64| probe.set_size(bytes).is_ok();
        let (mut fitting, mut above) = (0, wanted / STEP_BYTES + 1);
        if fits(wanted) {
            fitting = above;
        }
        while above - fitting > 1 {
            let middle = u64::midpoint(fitting, above);
            if fits(middle * STEP_BYTES) {
                fitting = middle;
            } else {
                above = middle;
            }
        }
        let _ = own.folder.remove(PROBE);
        wanted.min(fitting * STEP_BYTES)
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
