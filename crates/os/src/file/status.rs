//! What the file system says of a path, and the calls that change its names.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use super::{Kind, check};
use crate::memory::c_path;

/// The calls that fio's `filestat` engine tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatCall {
    Stat,
    /// Of a symbolic link itself.
    Lstat,
    /// `statx(2)` with all that it knows.
    Statx,
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub kind: Kind,
    pub bytes: u64,
    /// Bytes that the file takes on its device.
    pub allocated: u64,
    /// Major and minor number of the device that the file lies on.
    pub device: (u32, u32),
    /// Major and minor number of the device that the file is, if it is one.
    pub is_device: (u32, u32),
    pub inode: u64,
    pub mode: u32,
}

/// Asks for a path's status by the given call.
pub fn stat(path: &Path, call: StatCall) -> io::Result<Status> {
    let name = c_path(path)?;
    if call == StatCall::Statx {
        // SAFETY: the structure is plain numbers; all zeroes is one.
        let mut found: libc::statx = unsafe { std::mem::zeroed() };
        // SAFETY: the name is a C string and the kernel fills the structure.
        check(unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, libc::STATX_ALL, &mut found) })?;
        return Ok(Status {
            kind: Kind::of(u32::from(found.stx_mode)),
            bytes: found.stx_size,
            allocated: found.stx_blocks * 512,
            device: (found.stx_dev_major, found.stx_dev_minor),
            is_device: (found.stx_rdev_major, found.stx_rdev_minor),
            inode: found.stx_ino,
            mode: u32::from(found.stx_mode),
        });
    }
    // SAFETY: as above.
    let mut found: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    check(unsafe {
        match call {
            StatCall::Lstat => libc::lstat(name.as_ptr(), &mut found),
            StatCall::Stat | StatCall::Statx => libc::stat(name.as_ptr(), &mut found),
        }
    })?;
    Ok(Status {
        kind: Kind::of(found.st_mode),
        bytes: found.st_size as u64,
        allocated: found.st_blocks as u64 * 512,
        device: (libc::major(found.st_dev), libc::minor(found.st_dev)),
        is_device: (libc::major(found.st_rdev), libc::minor(found.st_rdev)),
        inode: found.st_ino,
        mode: found.st_mode,
    })
}

/// Fails where this process may not write what is at `path`: in a directory, make and remove names.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let name = c_path(path)?;
    // SAFETY: the name is a C string.
    check(unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK, libc::AT_EACCESS) }).map(drop)
}

/// What offsets and lengths of direct I/O on a file or block device must be multiples of; `None` where the file
/// system has no direct I/O or doesn't say (before Linux 6.1, for one).
pub fn direct_alignment(path: &Path) -> io::Result<Option<u32>> {
    let name = c_path(path)?;
    // SAFETY: the structure is plain numbers; all zeroes is one.
    let mut found: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a C string and the kernel fills the structure.
    check(unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, libc::STATX_DIOALIGN, &mut found) })?;
    let told = found.stx_mask & libc::STATX_DIOALIGN != 0 && found.stx_dio_offset_align != 0;
    Ok(told.then_some(found.stx_dio_offset_align))
}

/// True where mapped memory of the file is the device itself, without a page cache between.
pub fn is_dax(path: &Path) -> io::Result<bool> {
    /// `STATX_ATTR_DAX` of `linux/stat.h`.
    const ATTR_DAX: u64 = 0x20_0000;
    let name = c_path(path)?;
    // SAFETY: the structure is plain numbers; all zeroes is one.
    let mut found: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a C string and the kernel fills the structure.
    check(unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, libc::STATX_BASIC_STATS, &mut found) })?;
    Ok(found.stx_attributes & ATTR_DAX != 0)
}

/// Removes a name.
pub fn unlink(path: &Path) -> io::Result<()> {
    let name = c_path(path)?;
    // SAFETY: the name is a C string.
    check(unsafe { libc::unlink(name.as_ptr()) }).map(drop)
}

/// Makes a directory.
pub fn make_dir(path: &Path, mode: u32) -> io::Result<()> {
    let name = c_path(path)?;
    // SAFETY: the name is a C string.
    check(unsafe { libc::mkdir(name.as_ptr(), mode) }).map(drop)
}

/// Removes an empty directory.
pub fn remove_dir(path: &Path) -> io::Result<()> {
    let name = c_path(path)?;
    // SAFETY: the name is a C string.
    check(unsafe { libc::rmdir(name.as_ptr()) }).map(drop)
}

pub(super) fn of_descriptor(fd: &OwnedFd) -> io::Result<libc::stat> {
    // SAFETY: a stat structure is plain numbers; all zeroes is one.
    let mut state = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::fstat(fd.as_raw_fd(), &mut state) })?;
    Ok(state)
}
