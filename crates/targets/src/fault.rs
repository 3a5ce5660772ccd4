//! Makes errors of records from those of the system.

use std::io;
use std::path::Path;

use os::device::{Holder, Relation, Use};
use os::errno;
use record::{ErrorKind, OsError, RunError, TargetUse, UseKind, UsedDevice};

/// Returns the error of a system call. Its errno is `EIO` if it has none.
pub fn of_io(error: &io::Error, kind: impl Into<ErrorKind>) -> RunError {
    of_io_or(error, errno::EIO, kind)
}

/// As [`of_io`], with another errno for an error that has none.
pub fn of_io_or(error: &io::Error, default_errno: i32, kind: impl Into<ErrorKind>) -> RunError {
    let OsError { errno, text } = os_error(error);
    let errno = if text.is_some() { default_errno } else { errno };
    RunError { errno, os_text: text, kind: Box::new(kind.into()) }
}

pub fn os_error(error: &io::Error) -> OsError {
    match errno::of(error) {
        Some(errno) => OsError { errno, text: None },
        None => OsError { errno: 0, text: Some(error.to_string().into()) },
    }
}

/// Returns a path as records have it.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Returns a use of a target as records have it.
pub(crate) fn target_use(holder: &Holder) -> TargetUse {
    let kind = match &holder.used {
        Use::Mounted { at } => UseKind::Mounted { at: at.into() },
        Use::Swap => UseKind::Swap,
        Use::Stacked { device, then } => UseKind::Stacked { device: device.clone(), then: then.clone() },
        Use::Member { of } => UseKind::Member { of: (*of).into() },
        Use::Exclusive { by } => UseKind::Exclusive { by: by.clone() },
        Use::Open { by } => UseKind::Open { by: by.clone() },
    };
    let relation = match holder.relation {
        Relation::Itself => UsedDevice::Target,
        Relation::Partition => UsedDevice::Partition,
        Relation::WholeDisk => UsedDevice::WholeDisk,
        Relation::BackingFile => UsedDevice::BackingFile,
    };
    TargetUse { device: (&holder.device).into(), relation, kind }
}
