//! The policy for targets in use: what another user of the machine uses is not written, resized, replaced or removed. If
//! the uses cannot be determined, the target counts as in use.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use os::device::{Holder, InUseSnapshot, Use};
use os::errno;
use record::RunError;

use crate::fault;

/// The uses of the machine's files and devices. They are read once.
#[derive(Default)]
pub(crate) struct TargetUses {
    snapshot: Option<InUseSnapshot>,
    known: HashMap<PathBuf, Vec<Holder>>,
}

impl TargetUses {
    /// Returns the uses of a file or device.
    ///
    /// # Errors
    /// The uses cannot be determined. The target must not be changed then.
    pub(crate) fn holders(&mut self, path: &Path) -> io::Result<&[Holder]> {
        if !self.known.contains_key(path) {
            let snapshot = match self.snapshot.take() {
                Some(snapshot) => snapshot,
                None => InUseSnapshot::take()?,
            };
            let holders = snapshot.holders(path);
            self.snapshot = Some(snapshot);
            self.known.insert(path.to_path_buf(), holders?);
        }
        Ok(&self.known[path])
    }
}

/// Refuses to change a file in use, such as a file below swap or a loop device. A layout extends files of jobs that only
/// read, too.
pub(crate) fn refuse_in_use(uses: &mut TargetUses, job: &str, path: &Path) -> Result<(), RunError> {
    refuse_in_fios_words(job, path, uses.holders(path).map_err(|error| unknown(path, &error))?.to_vec())
}

pub(crate) fn list(holders: &[Holder]) -> String {
    let each: Vec<_> = holders.iter().map(ToString::to_string).collect();
    each.join("; ")
}

pub(crate) fn refuse_in_fios_words(job: &str, path: &Path, holders: Vec<Holder>) -> Result<(), RunError> {
    let Some(first) = holders.first() else {
        return Ok(());
    };
    let shown = path.display();
    let text = if holders.iter().any(|holder| matches!(holder.used, Use::Mounted { .. })) {
        format!("{shown} appears mounted, and 'allow_mounted_write' isn't set. Aborting.")
    } else {
        format!("{shown} is in use. Aborting.")
    };
    let advice = format!("job {job} would change it; {shown} is {}; {}", list(&holders), way_out(&first.used));
    Err(fault::new(errno::EBUSY, "check_mount_writes", text, &advice))
}

pub(crate) fn way_out(used: &Use) -> String {
    match used {
        Use::Mounted { at } => format!("umount {} first", at.display()),
        Use::Swap => "swapoff first".into(),
        Use::Stacked { .. } => "take down what lies on it first".into(),
        Use::Member { .. } => "if that is over, wipefs removes the signature".into(),
        Use::Exclusive { .. } => "end that use first".into(),
    }
}

pub(crate) fn unknown(path: &Path, error: &io::Error) -> RunError {
    let text = format!("{}: who uses it can't be told: {error}", path.display(), error = errno::reason(error));
    fault::of_io(error, "check_mount_writes", text, "nothing is written to what may be in use")
}
