//! Control groups of jobs (`cgroup`).

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, PoisonError};

use os::cgroup::Mount;
use os::errno;
use plan::{ControlGroup, Plan};

/// The control groups that a run has created.
#[derive(Default)]
pub struct ControlGroups {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    created: BTreeSet<String>,
    /// The group of the process before the run. `None` if the process was not moved.
    left: Option<String>,
}

impl ControlGroups {
    /// Moves the calling thread into a group, in version 2 the whole process.
    ///
    /// # Errors
    /// The group cannot be created or entered, or version 2 does not support the groups of this plan.
    pub fn enter(&self, plan: &Plan, group: &ControlGroup) -> io::Result<()> {
        let mount = Mount::find()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if mount.is_unified {
            let differs = |worker: &plan::Worker| worker.process.control_group.as_ref() != Some(group);
            if group.weight > 0 || plan.workers.iter().any(differs) {
                return Err(errno::error(errno::EINVAL));
            }
            if state.left.is_none() {
                state.left = Some(mount.current()?);
            }
        }
        if mount.create(&group.name)? && !group.keep {
            state.created.insert(group.name.clone());
        }
        if group.weight > 0 {
            mount.set_weight(&group.name, group.weight)?;
        }
        mount.enter(&group.name)
    }

    /// Leaves and removes the groups. A group that cannot be removed remains.
    pub fn end(&self) {
        let state = std::mem::take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner));
        let Ok(mount) = Mount::find() else { return };
        if let Some(before) = state.left {
            let _ = mount.enter(&before);
        }
        for name in &state.created {
            let _ = mount.remove(name);
        }
    }

    /// Returns true if [`ControlGroups::end`] has a group to leave or to remove.
    pub fn is_used(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        !state.created.is_empty() || state.left.is_some()
    }
}
