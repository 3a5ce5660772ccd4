//! Compares what is at the paths of targets with what was there when they were held.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex};

use os::errno;
use os::file::{File, Kind, OpenOptions};
use record::{RunError, TargetError};

use super::place::{Held, Identity};
use super::{HeldTargets, OpenError};
use crate::fault;
use crate::folders::{is_replaced, or_dot};
use crate::in_use::TargetUses;
use crate::lock::lock;

/// Maximum number of files and devices that [`HeldTargets::compare_all`] compares.
const WATCHED_MAX: usize = 64;

impl HeldTargets {
    /// Compares the paths of held folders and targets with what is there now.
    ///
    /// # Errors
    /// A path leads to another folder, file or device.
    pub fn compare_all(&self) -> Result<(), RunError> {
        if let Some(error) = self.lost() {
            return Err(error);
        }
        let targets: Vec<_> = {
            let targets = self.read();
            let watched = targets.iter().filter(|(_, held)| lock(held).is_watched());
            watched.map(|(path, held)| (path.clone(), Arc::clone(held))).take(WATCHED_MAX).collect()
        };
        for (path, held) in self.folders.all() {
            let Some(folder) = held.as_open() else { continue };
            let is_replaced = match folder.is_at(or_dot(&path)) {
                Ok(is_at) => !is_at,
                Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
            };
            // A command of a job can have replaced it meanwhile.
            if is_replaced && let Some(error) = self.folders.while_held(&path, &held, || self.replace(&path)) {
                return Err(error);
            }
        }
        for (path, held) in targets {
            let Ok(file) = (OpenOptions { identify: true, ..OpenOptions::new() }).open(&path) else { continue };
            let is_replaced = || {
                let held = lock(&held);
                held.is_watched() && !held.may_be(&file)
            };
            // Locked until the error is stored: a release removes the error of an earlier run.
            let targets = self.read();
            if is_replaced() && targets.get(&path).is_some_and(|now| Arc::ptr_eq(now, &held)) {
                return Err(self.replace(&path));
            }
        }
        Ok(())
    }

    /// Returns why the run must end: the first target that was replaced or came into use.
    pub fn lost(&self) -> Option<RunError> {
        lock(&self.lost).clone()
    }

    /// Ends the run.
    pub fn lose(&self, error: RunError) {
        lock(&self.lost).get_or_insert(error);
    }

    pub(super) fn replace(&self, path: &Path) -> RunError {
        let error = RunError::new(errno::ESTALE, TargetError::Replaced { path: fault::shown(path) });
        self.lose(error.clone());
        error
    }

    /// Returns the error of a call that opens a target. A link at its name was not there when it was held.
    pub(super) fn failed(&self, path: &Path, error: io::Error) -> OpenError {
        if is_replaced(&error) { OpenError::Replaced(self.replace(path)) } else { OpenError::Io(error) }
    }

    /// Decides about an open file, before the first change. Stores the identity of one that did not exist before.
    pub(super) fn admit(&self, path: &Path, target: &Mutex<Held>, file: &File, writes: bool) -> Result<(), OpenError> {
        let found = Identity::of(file);
        let (is_moved, is_late) = {
            let held = lock(target);
            if held.identity == Some(found) {
                return Ok(());
            }
            let is_late = held.identity.is_none() || held.is_replaceable;
            (!is_late && held.may_be(file), is_late)
        };
        if is_late && !writes {
            return Ok(());
        }
        // Another job of the run has created a file that was missing.
        let is_new = is_late && file.kind() == Kind::Regular && file.is_users_only_name();
        let is_unused = || matches!(TargetUses::default().holders(file), Ok([]));
        if !(is_moved || is_new) || writes && !is_unused() {
            return Err(OpenError::Replaced(self.replace(path)));
        }
        lock(target).identity = Some(found);
        Ok(())
    }
}
