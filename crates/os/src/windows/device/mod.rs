//! Disks and volumes: holders, the disks below a path, and their counters.

mod disk;
mod holders;
pub(super) mod volume;

use std::io;
use std::path::{Path, PathBuf};

use units::untrusted::UntrustedText;

use crate::device::{Flash, ListedDisk, MountPoint, TargetUse, ZoneLimits};
use crate::file::Inode;
pub use disk::Disk;

/// Disks with larger numbers are not listed.
const DISKS_MAX: u32 = 256;

/// What is in use on this machine. Windows is asked at each query.
pub struct InUseSnapshot(());

impl InUseSnapshot {
    /// Returns a snapshot.
    ///
    /// # Errors
    /// None.
    pub fn take() -> io::Result<Self> {
        Ok(InUseSnapshot(()))
    }

    /// Returns the holders of `path`.
    ///
    /// A disk has holders if a volume on it has a file system, or if it is a member of Storage Spaces or of a dynamic disk group. A
    /// volume has holders if it has a file system. The page file and the hibernation file have one. An empty list means that a write
    /// destroys nothing in use.
    ///
    /// # Errors
    /// Returns the error of examining the path.
    pub fn holders(&self, path: &Path) -> io::Result<Vec<TargetUse>> {
        holders::of(path)
    }

    /// Returns the holders of `path`. Windows itself refuses to mount a volume that is open for exclusive use: nothing is claimed.
    ///
    /// # Errors
    /// As [`InUseSnapshot::holders`].
    pub fn claim(&self, path: &Path, _claims: &mut Claims) -> io::Result<Vec<TargetUse>> {
        holders::of(path)
    }

    /// Returns the holders of `path`, as [`InUseSnapshot::holders`] does.
    ///
    /// # Errors
    /// As [`InUseSnapshot::holders`].
    pub fn holders_beside(&self, path: &Path, _claims: &Claims) -> io::Result<Vec<TargetUse>> {
        holders::of(path)
    }

    /// Returns the identity of an existing file or folder.
    ///
    /// # Errors
    /// Returns the error of reading the path.
    pub fn identities(&self, path: &Path) -> io::Result<Vec<Inode>> {
        crate::file::identity(path).map(|id| vec![id])
    }

    /// Returns the machine's disks, by number.
    pub fn disks(&self) -> Vec<ListedDisk> {
        let numbers = (0..DISKS_MAX).filter_map(|number| Disk::numbered(number).ok());
        numbers.map(|disk| disk.listed()).collect()
    }

    /// Returns the paths of the machine's disks.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.disks().into_iter().map(|disk| disk.path).collect()
    }
}

/// Claims of devices. Windows has none.
#[derive(Debug, Default)]
pub struct Claims(());

/// Returns the holders of one path, as [`InUseSnapshot::holders`] does.
///
/// # Errors
/// See [`InUseSnapshot::holders`].
pub fn holders(path: &Path) -> io::Result<Vec<TargetUse>> {
    holders::of(path)
}

/// Returns true for `NUL`.
pub fn is_without_storage(path: &Path) -> bool {
    path.as_os_str().eq_ignore_ascii_case("nul")
}

/// Returns `None`: Windows has no character devices for disks.
///
/// # Errors
/// None.
pub fn disk_behind(_path: &Path) -> io::Result<Option<PathBuf>> {
    Ok(None)
}

/// Returns false: Windows has no character devices that store data.
///
/// # Errors
/// None.
pub fn has_own_storage(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Returns `None`: Windows has no DAX devices.
///
/// # Errors
/// None.
pub fn dax_bytes(_path: &Path) -> io::Result<Option<u64>> {
    Ok(None)
}

/// Returns `None`: Windows has no devices of raw flash.
///
/// # Errors
/// None.
pub fn flash(_path: &Path) -> io::Result<Option<Flash>> {
    Ok(None)
}

/// Returns true for the console.
pub fn is_terminal(path: &Path) -> bool {
    ["con", "conout$", "conin$"].iter().any(|name| path.as_os_str().eq_ignore_ascii_case(name))
}

/// Returns the disks below `path`. The list is empty if no disk lies below the path, as on network drives.
///
/// # Errors
/// Returns the error of reading the path or the volume.
pub fn disks(path: &Path) -> io::Result<Vec<Disk>> {
    volume::disk_numbers(path)?.into_iter().map(Disk::numbered).collect()
}

/// Returns false: Windows does not report whether a disk is memory.
///
/// # Errors
/// None.
pub fn is_in_memory(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Returns the type of the file system of `path`, such as `NTFS`. The path need not exist.
///
/// # Errors
/// Returns the error of reading the path or the volume.
pub fn file_system(path: &Path) -> io::Result<Option<String>> {
    if volume::is_device_path(path) {
        return Ok(None);
    }
    volume::file_system(&volume::root_of(path)?).map(Some)
}

/// Returns the volume of `path`. The path need not exist.
///
/// # Errors
/// Returns the error of reading the path or the volume.
pub fn mount(path: &Path) -> io::Result<Option<MountPoint>> {
    if volume::is_device_path(path) {
        return Ok(None);
    }
    let root = volume::root_of(path)?;
    let source = volume::name_of(&root).unwrap_or_else(|_| root.clone());
    let file_system = volume::file_system(&root)?;
    Ok(Some(MountPoint { at: root, source, file_system: file_system.into(), options: UntrustedText::default() }))
}

/// Returns no zones: Windows does not report them.
///
/// # Errors
/// None.
pub fn zone_limits(_path: &Path) -> io::Result<ZoneLimits> {
    Ok(ZoneLimits::default())
}
