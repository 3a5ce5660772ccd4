//! Identity of files below overlay file systems: one file has a path, a device and an inode in the overlay, and others in
//! its layers.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::mounts::{self, Mount};
use crate::file::Inode;

/// Maximum depth of overlays whose layers are in overlays.
const DEPTH_MAX: usize = 8;
/// Bits of an inode number that an overlay keeps. The others can have the number of the layer (`xino`).
const INODE_BITS: u64 = 0xffff_ffff;

/// A file with all names of it that are known.
#[derive(Debug)]
pub(super) struct Identity {
    /// Of the file, and of the files at its path in the layers of overlays.
    ids: Vec<Inode>,
    /// Size and times. `None` if its path is not known.
    state: Option<State>,
    in_overlay: bool,
}

/// What an overlay reports as the layer does.
#[derive(PartialEq, Eq, Debug)]
struct State {
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    /// Returns the identity of the file at `path`.
    pub(super) fn at(mounts: &[Mount], path: &Path, found: &Metadata) -> Self {
        let mut identity = Identity { ids: vec![id(found)], state: Some(State::of(found)), in_overlay: false };
        if let Ok(path) = fs::canonicalize(path) {
            identity.add_layers(mounts, &path, 0);
        }
        identity
    }

    /// Returns the size. `None` if the path is not known.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.state.as_ref().map(|state| state.bytes)
    }

    pub(super) fn into_ids(self) -> Vec<Inode> {
        self.ids
    }

    /// Returns the identity of an open file. Its path can be of another mount namespace, or lead to another file now.
    pub(super) fn of_open(mounts: &[Mount], path: &Path, opened: Inode) -> Self {
        let unknown = Identity { ids: vec![opened], state: None, in_overlay: false };
        let Ok(found) = fs::metadata(path) else { return unknown };
        let mut named = Identity::at(mounts, path, &found);
        if named.ids[0] == opened {
            return named;
        }
        // A file of an overlay changes its device and inode when it is copied to the upper layer.
        if named.in_overlay {
            named.ids.push(opened);
            return named;
        }
        unknown
    }

    fn add_layers(&mut self, mounts: &[Mount], path: &Path, depth: usize) {
        let Some(mount) = mounts::containing(mounts, path).filter(|mount| mount.kind == "overlay") else { return };
        self.in_overlay = true;
        let (Ok(below), true) = (path.strip_prefix(&mount.at), depth < DEPTH_MAX) else { return };
        let inside = mount.root.strip_prefix("/").unwrap_or(&mount.root).join(below);
        for layer in layers(mount) {
            let Ok(path) = fs::canonicalize(layer.join(&inside)) else { continue };
            let Ok(found) = fs::metadata(&path) else { continue };
            self.ids.push(id(&found));
            self.add_layers(mounts, &path, depth + 1);
        }
    }

    /// Returns true if both are one file, or if that cannot be excluded.
    ///
    /// A layer can have a file under another path than the overlay (`redirect_dir`), and the layers can be hidden. Size and
    /// times are the same then.
    pub(super) fn is_same(&self, other: &Identity) -> bool {
        if self.ids.iter().any(|id| other.ids.contains(id)) {
            return true;
        }
        if !self.in_overlay && !other.in_overlay || self.ids[0].device == other.ids[0].device {
            return false;
        }
        match (&self.state, &other.state) {
            (Some(one), Some(other)) => one == other,
            _ => self.ids[0].number & INODE_BITS == other.ids[0].number & INODE_BITS,
        }
    }
}

impl State {
    fn of(found: &Metadata) -> Self {
        State {
            bytes: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

fn id(found: &Metadata) -> Inode {
    Inode { device: found.dev(), number: found.ino() }
}

/// Returns the folders that an overlay shows.
fn layers(mount: &Mount) -> Vec<PathBuf> {
    let mut layers = Vec::new();
    for (name, value) in mount.option_values() {
        match name {
            "upperdir" | "lowerdir+" | "datadir+" => layers.push(value),
            "lowerdir" => layers.extend(split(&value)),
            _ => {}
        }
    }
    layers
}

/// Splits a list at colons. A colon of a path has a backslash.
fn split(list: &Path) -> Vec<PathBuf> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut paths = vec![Vec::new()];
    let mut bytes = list.as_os_str().as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b':' => paths.push(Vec::new()),
            b'\\' => paths.last_mut().into_iter().for_each(|path| path.extend(bytes.next())),
            _ => paths.last_mut().into_iter().for_each(|path| path.push(byte)),
        }
    }
    let paths = paths.into_iter().filter(|path| !path.is_empty());
    paths.map(|path| PathBuf::from(std::ffi::OsString::from_vec(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colons_separate_layers_and_a_backslash_escapes_one() {
        let paths = split(Path::new(r"/a:/b\:c::/d\\e"));
        assert_eq!(paths, ["/a", "/b:c", r"/d\e"].map(PathBuf::from));
    }
}
