//! The policy for targets in use: what another user of the machine uses is not written, resized, replaced or removed. If
//! the uses cannot be determined, the target counts as in use.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::Path;

#[cfg(any(target_os = "linux", windows))]
use os::device::Claims;
use os::device::{InUseSnapshot, TargetUse};
use os::errno;
use os::file::{File, Inode, OpenOptions};
use record::{RunError, TargetError};

use crate::fault;

/// Why a file or device must not be changed.
#[derive(Debug)]
pub enum InUse {
    /// Another user of the machine holds it.
    Held(Box<TargetUse>),
    /// Its uses cannot be determined.
    Unknown(io::Error),
}

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InUse::Held(holder) => write!(f, "it is in use: it is {holder}"),
            InUse::Unknown(error) => write!(f, "whether it is in use cannot be determined: {}", errno::reason(error)),
        }
    }
}

impl std::error::Error for InUse {}

/// The uses of the machine's files and devices. They are read once.
#[derive(Default)]
pub struct TargetUses {
    snapshot: Option<InUseSnapshot>,
    known: HashMap<os::file::FileId, Vec<TargetUse>>,
    /// Files of `known` that passed [`TargetUses::claim`].
    claimed: HashSet<os::file::FileId>,
    /// Whether the files with a device number are in an overlay.
    overlays: HashMap<u64, bool>,
}

impl TargetUses {
    /// Checks that a file or device may be changed.
    ///
    /// # Errors
    /// It is in use, or its uses cannot be determined.
    pub fn check(&mut self, path: &Path) -> Result<(), InUse> {
        let file = match identify(path) {
            Ok(None) => return Ok(()),
            Ok(Some(file)) => file,
            Err(error) => return Err(InUse::Unknown(error)),
        };
        match self.holders(&file) {
            Ok([]) => Ok(()),
            Ok([holder, ..]) => Err(InUse::Held(Box::new(holder.clone()))),
            Err(error) => Err(InUse::Unknown(error)),
        }
    }

    /// Returns the uses of a file or device.
    ///
    /// # Errors
    /// The uses cannot be determined. The target must not be changed then.
    pub(crate) fn holders(&mut self, file: &File) -> io::Result<&[TargetUse]> {
        self.known(file, InUseSnapshot::holders)
    }

    /// Returns the uses of a file or device by others than this run, which has `claims`.
    ///
    /// # Errors
    /// The uses cannot be determined. The target must not be changed then.
    #[cfg(any(target_os = "linux", windows))]
    pub(crate) fn holders_beside(&mut self, file: &File, claims: &Claims) -> io::Result<&[TargetUse]> {
        self.known(file, |snapshot, path| snapshot.holders_beside(path, claims))
    }

    fn known(
        &mut self,
        file: &File,
        holders: impl FnOnce(&InUseSnapshot, &Path) -> io::Result<Vec<TargetUse>>,
    ) -> io::Result<&[TargetUse]> {
        if !self.known.contains_key(&file.id()) {
            let at = file.at();
            let mut found = holders(self.snapshot()?, &at)?;
            let at = at.to_string_lossy();
            for holder in found.iter_mut().filter(|holder| holder.device.raw() == at) {
                holder.device = file.path().into();
            }
            self.known.insert(file.id(), found);
        }
        Ok(&self.known[&file.id()])
    }

    /// Claims a block device that has no uses. Returns the uses of a file or device by others than this run.
    ///
    /// # Errors
    /// The uses cannot be determined. The target must not be changed then.
    #[cfg(any(target_os = "linux", windows))]
    pub(crate) fn claim(&mut self, file: &File, claims: &mut Claims) -> io::Result<&[TargetUse]> {
        if self.claimed.insert(file.id()) {
            self.known.remove(&file.id());
        }
        self.known(file, |snapshot, path| snapshot.claim(path, claims))
    }

    /// Returns the identities of an existing file or folder: its own, and those in the layers of an overlay.
    ///
    /// # Errors
    /// The mounts cannot be read.
    pub(crate) fn identities(&mut self, path: &Path, own: Inode) -> io::Result<Vec<Inode>> {
        let is_in_overlay = match self.overlays.get(&own.device) {
            Some(&known) => known,
            None => os::device::file_system(path)?.as_deref() == Some("overlay"),
        };
        self.overlays.insert(own.device, is_in_overlay);
        if !is_in_overlay {
            return Ok(vec![own]);
        }
        self.snapshot()?.identities(path)
    }

    /// Refuses to change a file in use, such as a file below swap or a loop device. A layout extends files of jobs that only
    /// read, too.
    ///
    /// # Errors
    /// The file is in use, or its uses cannot be determined.
    pub fn refuse(&mut self, job: &str, file: &File) -> Result<(), RunError> {
        refuse(job, file.path(), self.holders(file).map_err(|error| unknown(file.path(), &error))?)
    }

    fn snapshot(&mut self) -> io::Result<&InUseSnapshot> {
        let snapshot = match self.snapshot.take() {
            Some(snapshot) => snapshot,
            None => InUseSnapshot::take()?,
        };
        Ok(self.snapshot.insert(snapshot))
    }
}

/// Opens a file or device so that its type and uses can be read. Links are followed. `None` if it does not exist.
///
/// # Errors
/// The error of the system call.
pub(crate) fn identify(path: &Path) -> io::Result<Option<File>> {
    match (OpenOptions { identify: true, ..OpenOptions::new() }).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}

/// Refuses a job that would change a target with these uses.
///
/// # Errors
/// There is a use.
pub(crate) fn refuse(job: &str, path: &Path, holders: &[TargetUse]) -> Result<(), RunError> {
    if holders.is_empty() {
        return Ok(());
    }
    let (job, path, uses) = (job.to_owned(), fault::shown(path), holders.to_vec());
    Err(RunError::new(errno::EBUSY, TargetError::InUse { job, path, uses }))
}

pub(crate) fn unknown(path: &Path, error: &io::Error) -> RunError {
    fault::of_io(error, TargetError::UsesUnknown { path: fault::shown(path) })
}
