//! Errors of targets.

use record::{RunError, TargetError, TargetUse};

pub(super) fn target(target: &TargetError, error: &RunError) -> String {
    match target {
        TargetError::InUse { path, uses, .. } => {
            let list = uses.iter().map(TargetUse::to_string).collect::<Vec<_>>().join("; ");
            let release = uses.first().map(TargetUse::release).unwrap_or_default();
            format!("{path} is in use: it is {list} (nothing was written; {release})")
        }
        TargetError::UsesUnknown { path } => {
            format!(
                "{path}: its uses cannot be determined: {} (fathom does not write to a target that may be in use)",
                error.reason()
            )
        }
        TargetError::RemoteInUse { path, .. } => format!("{path} is in use on its server (nothing was written)"),
        TargetError::Replaced { path } => {
            format!(
                "{path} is no longer the target of the run: another file system, file or device has this path now (repeat \
                 the run; do not unmount or replace the target while it is measured)"
            )
        }
        TargetError::DeviceOpen { path } => format!("{path}: {}; does this user have read permission?", error.reason()),
        TargetError::DeviceEmpty { path } => format!(
            "{path}: zero sized block device? (a loop device without a file, a drive without a medium, or a device \
             that was never set up)"
        ),
        TargetError::DeviceSize { path } => format!("the size of {path} cannot be read: {}", error.reason()),
        TargetError::CharacterDevice { path, .. } => format!(
            "{path} is a character device, and fathom cannot check whether its disk is in use (nothing was written; use \
             the block device of the disk)"
        ),
        TargetError::NotTrimmable { path }
        | TargetError::NotAllocatable { path }
        | TargetError::NotAFile { path }
        | TargetError::NotADevice { path, .. }
        | TargetError::Passthrough { path, .. }
        | TargetError::PersistentMemory { path, .. }
        | TargetError::Flash { path, .. }
        | TargetError::OtherKind { path, .. }
        | TargetError::NotATarget { path, .. }
        | TargetError::CreationDisallowed { path }
        | TargetError::OpenForJob { path, .. }
        | TargetError::CreateIn { path, .. }
        | TargetError::Status { path } => format!("{path}: {}", error.reason()),
    }
}
