//! The lease of targets, from the first check to the end of the last worker. The runs of a study share one.
//!
//! Block devices that a run writes are claimed, and the kernel refuses to mount them. Files cannot be claimed: they are checked
//! again before each phase, and before the first I/O of a worker that starts later than its phase. The folders of files are held
//! open, and each open of a target is compared with the first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use os::device::Claims;
use os::file::Folder;
use plan::Plan;
use record::RunError;

use crate::held_targets::HeldTargets;
use crate::lock::lock;
use crate::outputs::{OutputFolders, OutputGuard};
use crate::safety::Safety;

/// The claimed devices and held targets of a run, or of all runs of a study.
#[derive(Debug, Default)]
pub struct Lease {
    claims: Mutex<Claims>,
    /// Numbers of the workers that use their targets.
    active: Mutex<HashSet<u32>>,
    pub targets: HeldTargets,
    outputs: Arc<OutputFolders>,
}

impl Lease {
    /// Holds a folder that the program made for files of the runs. They are opened below this descriptor, and symbolic links
    /// are not followed.
    pub fn hold_folder(&self, path: &Path, folder: Folder) {
        self.targets.hold_own_folder(path, folder);
    }

    /// Releases all targets and folders of outputs between two runs, except folders of [`Lease::hold_folder`].
    pub fn release(&self) {
        *lock(&self.claims) = Claims::default();
        lock(&self.active).clear();
        self.targets.release();
        self.outputs.release();
    }

    /// Returns the check of targets. The claims are locked until it is dropped.
    pub fn safety(&self) -> Safety<'_> {
        Safety::new(lock(&self.claims), &self.targets)
    }

    /// Returns the folders of outputs.
    pub fn outputs(&self) -> &OutputFolders {
        &self.outputs
    }

    /// Returns the guard of the outputs of a run. Their folders are held from the check.
    pub fn output_guard<'a>(&self, plan: &'a Plan) -> OutputGuard<'a> {
        OutputGuard::in_folders(Arc::clone(&self.outputs), [plan])
    }

    /// Notes that workers use their targets from now on.
    pub fn begin_use(&self, workers: impl IntoIterator<Item = u32>) {
        lock(&self.active).extend(workers);
    }

    /// Notes that a worker does not use its targets any longer.
    pub fn end_use(&self, worker: u32) {
        lock(&self.active).remove(&worker);
    }

    /// Returns true if a worker uses its targets.
    pub fn is_active(&self, worker: u32) -> bool {
        lock(&self.active).contains(&worker)
    }

    /// Runs a command of a worker. It may unmount, mount and replace the targets that only this worker uses (`own`).
    /// `check_others` checks the targets of other workers again after it: the run ends if one was replaced or came into use.
    pub fn with_command<T>(
        &self,
        own: &HashSet<PathBuf>,
        command: impl FnOnce() -> T,
        check_others: impl FnOnce() -> Result<(), RunError>,
    ) -> T {
        self.targets.release_some(|path| own.contains(path));
        let done = command();
        if let Err(error) = check_others() {
            self.targets.lose(error);
        }
        done
    }
}
