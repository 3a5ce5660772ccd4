//! The folder of one run: `.fathom-assess-` and the run's id, next to the target or in it. Only this user has access.
//!
//! A marker file in it has the id, the target and the names that the run makes. It is locked while the run is active. A
//! folder of a killed run is recognized by it, and only those names are removed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use os::file::Folder;
use serde::{Deserialize, Serialize};
use study::suite::SCRATCH_PREFIX;

use super::removal;
use crate::output::stderr_line;

const MARKER: &str = "run";
/// Digits of an id.
const ID_LENGTH: usize = 16;

/// Identifies a run, on all hosts of a fleet.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RunId(String);

impl RunId {
    /// Returns an id that no other run has.
    ///
    /// # Errors
    /// There are no random numbers.
    pub fn random() -> io::Result<RunId> {
        let mut bytes = [0; ID_LENGTH / 2];
        os::process::random_bytes(&mut bytes)?;
        Ok(RunId(format!("{:0ID_LENGTH$x}", u64::from_ne_bytes(bytes))))
    }

    /// Returns the name of the run's folder.
    pub fn folder(&self) -> String {
        format!("{SCRATCH_PREFIX}{}", self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<RunId, Self::Error> {
        if is_id(&text) { Ok(RunId(text)) } else { Err("not the id of a run") }
    }
}

pub struct RunFolder {
    pub path: PathBuf,
    pub folder: Folder,
    pub parent: Folder,
    name: String,
    /// The names that the run makes in the folder.
    names: BTreeSet<String>,
    /// Locked until the end of the run.
    marker: File,
}

impl RunFolder {
    /// Makes the folder of the run `id` in `beside`. `target` is the name of a new file, or empty for the directory itself.
    /// `names` are the files that will be created in the folder.
    ///
    /// # Errors
    /// Another run has the same target, or the folder cannot be made.
    pub fn make(beside: &Path, id: &RunId, target: &str, names: &[&str]) -> Result<RunFolder, String> {
        let failed = |error: io::Error| format!("{}: {}", beside.display(), units::errno::reason(&error));
        let parent = Folder::open(beside).map_err(failed)?;
        remove_left_overs(&parent, beside, target)?;
        let (id, name) = (&id.0, id.folder());
        let folder = parent.make(&name).map_err(failed)?;
        let marker = folder.make_file(MARKER).map_err(failed)?;
        // Some file systems have no locks.
        let _ = marker.lock();
        let path = beside.join(&name);
        let mut made = RunFolder { path, folder, parent, name, names: BTreeSet::new(), marker };
        made.write(&format!("{id}\n{target}\n")).map_err(failed)?;
        made.will_make(names.iter().copied()).map_err(failed)?;
        Ok(made)
    }

    /// Adds names to the marker. Call this before the files are made.
    ///
    /// # Errors
    /// The marker cannot be written.
    pub fn will_make<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        let mut text = String::new();
        for name in names {
            if self.names.insert(name.to_owned()) {
                text += &format!("{name}\n");
            }
        }
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.marker.write_all(text.as_bytes())
    }

    /// Removes the folder.
    ///
    /// # Errors
    /// It has other files, or the error of a call.
    pub fn remove(&self) -> io::Result<()> {
        remove(&self.parent, &self.name, &self.folder, &self.names)
    }
}

/// Removes the folders of killed runs of this user, and prints those that remain.
///
/// # Errors
/// An active run has the same target.
fn remove_left_overs(parent: &Folder, beside: &Path, target: &str) -> Result<(), String> {
    let names = parent.names().unwrap_or_else(|error| {
        let reason = units::errno::reason(&error);
        stderr_line!("note: other runs on this target are not known: {}: {reason}", beside.display());
        Vec::new()
    });
    for name in names.iter().filter_map(|name| name.to_str()) {
        let Some(id) = name.strip_prefix(SCRATCH_PREFIX).filter(|id| is_id(id)) else { continue };
        // Folders of other users, links and files are not of this user's runs.
        let Ok(folder) = parent.folder(name) else { continue };
        if !folder.is_private().unwrap_or(false) {
            continue;
        }
        let path = beside.join(name);
        match left_over(&folder, id, target) {
            Ok(LeftOver::Removable(names)) => {
                if let Err(error) = remove(parent, name, &folder, &names) {
                    stderr_line!("note: {} remains: {}", path.display(), units::errno::reason(&error));
                }
            }
            Ok(LeftOver::Active) => {}
            Ok(LeftOver::SameTarget) => {
                return Err(format!("{}: another assessment or search uses this folder", path.display()));
            }
            Err(error) => stderr_line!("note: {} remains: {}", path.display(), units::errno::reason(&error)),
        }
    }
    Ok(())
}

enum LeftOver {
    /// The folder of a killed run, with the names that it may have made.
    Removable(BTreeSet<String>),
    /// An active run uses it.
    Active,
    /// An active run on the same target uses it.
    SameTarget,
}

fn left_over(folder: &Folder, id: &str, target: &str) -> io::Result<LeftOver> {
    let mut marker = folder.file(MARKER)?;
    let locked = marker.try_lock();
    let mut text = String::new();
    marker.read_to_string(&mut text)?;
    let mut lines = text.lines();
    let (own_id, own_target) = (lines.next(), lines.next());
    match locked {
        Err(TryLockError::WouldBlock) if own_target == Some(target) => Ok(LeftOver::SameTarget),
        Err(TryLockError::WouldBlock) => Ok(LeftOver::Active),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) if own_id != Some(id) => Err(io::Error::other("its marker has another id")),
        Ok(()) => Ok(LeftOver::Removable(lines.map(str::to_owned).collect())),
    }
}

/// Removes the known names of a folder, its marker and the folder. Removes nothing if there are other names.
fn remove(parent: &Folder, name: &str, folder: &Folder, known: &BTreeSet<String>) -> io::Result<()> {
    let found = folder.names()?;
    let is_known = |name: &OsStr| name == MARKER || name.to_str().is_some_and(|name| known.contains(name));
    if let Some(other) = found.iter().find(|name| !is_known(name)) {
        return Err(io::Error::other(format!("fathom did not make {} in it", other.display())));
    }
    // The marker last: after a kill, the next run removes the rest.
    for name in found.iter().filter(|name| *name != MARKER) {
        removal::shorten(folder, Path::new(name));
        folder.remove(name)?;
    }
    folder.remove(MARKER)?;
    parent.remove_empty(name)
}

fn is_id(text: &str) -> bool {
    text.len() == ID_LENGTH && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
