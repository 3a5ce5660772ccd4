//! The folders and devices of a study's targets. They are held from the first run to the last: paths can lead to another
//! disk after an unmount or a hot plug.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use assessment::Failure;
use os::file::Folder;
use plan::{Plan, Worker};
use study::suite::footprint;

/// Holds targets and recognizes those that were replaced.
#[derive(Default)]
pub struct HeldTargets {
    /// By path without symbolic links.
    folders: BTreeMap<PathBuf, Folder>,
    /// Device and inode of device files.
    devices: BTreeMap<PathBuf, (u64, u64)>,
    replaced: Option<PathBuf>,
}

impl HeldTargets {
    /// Releases all targets. A command before a run may unmount them.
    pub fn release(&mut self) {
        *self = HeldTargets::default();
    }

    /// Checks that the targets of a plan are the ones of the runs before, and holds new ones.
    ///
    /// # Errors
    /// A target was replaced, now or before.
    pub fn check(&mut self, plan: &Plan) -> Result<(), Failure> {
        // A job's own command may mount its target.
        if self.replaced.is_none() && !plan.workers.iter().any(has_command) {
            self.check_folders(plan);
            self.check_devices(plan);
        }
        match &self.replaced {
            Some(path) => Err(Failure::TargetReplaced { path: path.display().to_string() }),
            None => Ok(()),
        }
    }

    fn check_folders(&mut self, plan: &Plan) {
        self.replaced = self.folders.iter().find(|(path, folder)| !folder.is_at(path)).map(|(path, _)| path.clone());
        let paths = footprint(plan).into_keys();
        let folders: BTreeSet<PathBuf> = paths.filter_map(|path| Some(folder_of(&path)?.to_owned())).collect();
        // A folder that does not exist yet is held from a later run on.
        for path in folders.iter().filter_map(|folder| std::fs::canonicalize(folder).ok()) {
            if !self.folders.contains_key(&path)
                && let Ok(folder) = Folder::open(&path)
            {
                self.folders.insert(path, folder);
            }
        }
    }

    fn check_devices(&mut self, plan: &Plan) {
        let paths = footprint(plan).into_keys().map(PathBuf::from);
        for path in paths.filter(|path| path.starts_with("/dev")) {
            let found = std::fs::metadata(&path).ok().filter(|found| found.file_type().is_block_device());
            let id = found.as_ref().map(id);
            match (self.devices.get(&path), id) {
                (Some(known), id) if Some(*known) != id => self.replaced = Some(path),
                (None, Some(id)) => drop(self.devices.insert(path, id)),
                _ => {}
            }
        }
    }
}

fn has_command(worker: &Worker) -> bool {
    worker.process.exec_prerun.is_some() || worker.process.exec_postrun.is_some()
}

fn folder_of(path: &str) -> Option<&Path> {
    let folder = Path::new(path).parent()?;
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

fn id(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}
