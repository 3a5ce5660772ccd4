//! The trace file system of the kernel.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use super::BlockTraceError;

const MOUNTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// tracefs, as the system has mounted it, or with a mount that only this process can reach and that ends with it.
pub struct Tracefs {
    root: PathBuf,
    _mount: Option<OwnedFd>,
}

impl Tracefs {
    /// Finds the mount of the system, or makes one.
    ///
    /// # Errors
    /// The process has no rights to mount it, or the kernel does not have it.
    pub fn find() -> Result<Tracefs, BlockTraceError> {
        let mounted = MOUNTS.into_iter().map(PathBuf::from).find(|root| root.join("instances").is_dir());
        match mounted {
            Some(root) => Ok(Tracefs { root, _mount: None }),
            None => Tracefs::mount().map_err(|error| match error {
                Errno::PERM | Errno::ACCESS => BlockTraceError::NoRights,
                Errno::NODEV => BlockTraceError::NoTracefs,
                _ => BlockTraceError::NotMounted,
            }),
        }
    }

    /// Mounts it without a place in any folder.
    pub fn mount() -> Result<Tracefs, Errno> {
        let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(&context)?;
        let mount = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        Ok(Tracefs { root, _mount: Some(mount) })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}
