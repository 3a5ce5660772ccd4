//! The policy for targets: what is in use is not written, trimmed, resized or removed, and a target that was replaced is not used.

use std::path::Path;
use std::sync::MutexGuard;

use os::device::{Claims, TargetUse, UseKind};
use os::errno;
use os::file::{File, Kind};
use record::{RunError, TargetError};

use crate::fault::shown;
use crate::held_targets::HeldTargets;
use crate::in_use::{TargetUses, identify, refuse, unknown};

/// What a job does to a target.
#[derive(Clone, Copy, Debug)]
pub struct TargetAccess<'a> {
    pub job: &'a str,
    /// The job changes what is in the target, or the space that it takes.
    pub changes: bool,
    /// The job removes the file.
    pub removes: bool,
    /// Jobs of the run, or another host of it, remove or replace the file.
    pub is_replaceable: bool,
    /// The job may change devices with mounted file systems.
    pub allows_mounted: bool,
}

/// Checks that no job changes a target in use, and claims the block devices that jobs change.
pub struct Safety<'a> {
    uses: TargetUses,
    claims: MutexGuard<'a, Claims>,
    targets: &'a HeldTargets,
}

impl<'a> Safety<'a> {
    pub(crate) fn new(claims: MutexGuard<'a, Claims>, targets: &'a HeldTargets) -> Self {
        Safety { uses: TargetUses::default(), claims, targets }
    }

    /// Holds a target. Refuses a job that would change a target in use. Jobs that only read are never refused for that.
    ///
    /// # Errors
    /// The target is in use or was replaced, or its uses cannot be determined.
    pub fn check(&mut self, path: &Path, access: &TargetAccess) -> Result<(), RunError> {
        let Some(file) = self.targets.hold(path, access.is_replaceable)? else { return Ok(()) };
        match file.kind() {
            Kind::Block if access.changes => self.refuse_if_used(access, &file),
            Kind::Char if access.changes => self.check_character_device(access, &file),
            Kind::Regular if access.changes || access.removes => self.uses.refuse(access.job, &file),
            _ => Ok(()),
        }
    }

    /// Refuses to write a character device. Exceptions are devices that store nothing, devices with their own storage
    /// that are not in use (`/dev/dax0.0`, `/dev/mtd0`), and devices that lead to a disk that is not in use
    /// (`/dev/sg0`, `/dev/bsg/0:0:0:0`, `/dev/ng0n1`). Others can lead to a part of a disk, or to the memory.
    fn check_character_device(&mut self, access: &TargetAccess, file: &File) -> Result<(), RunError> {
        let (path, at) = (file.path(), file.at());
        let unknown = |error: std::io::Error| unknown(path, &error);
        if os::device::is_without_storage(&at) {
            return Ok(());
        }
        if os::device::has_own_storage(&at).map_err(unknown)? {
            return self.refuse_if_used(access, file);
        }
        let disk = os::device::disk_behind(&at).and_then(|disk| disk.map_or(Ok(None), |disk| identify(&disk)));
        match disk.map_err(unknown)? {
            Some(disk) => self.refuse_if_used(access, &disk),
            None => {
                let kind = TargetError::CharacterDevice { job: access.job.to_owned(), path: shown(path) };
                Err(RunError::new(errno::EBUSY, kind))
            }
        }
    }

    fn refuse_if_used(&mut self, access: &TargetAccess, file: &File) -> Result<(), RunError> {
        let path = file.path();
        // A device that the user allows to be mounted is not claimed: a claim would forbid the mount.
        let holders = match access.allows_mounted {
            true => self.uses.holders_beside(file, &self.claims),
            false => self.uses.claim(file, &mut self.claims),
        };
        let holders = holders.map_err(|error| unknown(path, &error))?;
        let is_allowed = |holder: &&TargetUse| access.allows_mounted && matches!(holder.kind, UseKind::Mounted { .. });
        let refused: Vec<TargetUse> = holders.iter().filter(|holder| !is_allowed(holder)).cloned().collect();
        refuse(access.job, path, &refused)
    }
}
