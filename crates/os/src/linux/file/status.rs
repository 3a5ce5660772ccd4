//! Status of a path, and calls that create and remove paths.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::check;
use crate::file::{Kind, StatCall, Status};
use crate::linux::c_string::c_path;
use crate::linux::number::unsigned;

/// Returns the status of a path, with the given call.
///
/// # Errors
/// Returns the error of the system call.
pub fn stat(path: &Path, call: StatCall) -> io::Result<Status> {
    let name = c_path(path)?;
    if call == StatCall::Statx {
        // SAFETY: all-zero bytes are a valid value of this structure.
        let mut found: libc::statx = unsafe { std::mem::zeroed() };
        // SAFETY: the name is a C string and the kernel fills the structure.
        check(unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, libc::STATX_ALL, &mut found) })?;
        return Ok(Status {
            kind: Kind::of_mode(u32::from(found.stx_mode)),
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
        kind: Kind::of_mode(found.st_mode),
        bytes: unsigned(found.st_size),
        allocated: unsigned(found.st_blocks) * 512,
        device: (libc::major(found.st_dev), libc::minor(found.st_dev)),
        is_device: (libc::major(found.st_rdev), libc::minor(found.st_rdev)),
        inode: found.st_ino,
        mode: found.st_mode,
    })
}

/// Checks that this process may write to `path`. In a directory this means to create and remove entries.
///
/// # Errors
/// Returns EACCES or EROFS if it may not, otherwise the error of the system call.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let name = c_path(path)?;
    // SAFETY: the name is a C string.
    check(unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK, libc::AT_EACCESS) }).map(drop)
}

/// Returns the alignment of offsets and lengths of direct I/O on a file or block device. `None` if the file system has
/// no direct I/O or does not report it (before Linux 6.1).
///
/// # Errors
/// Returns the error of the system call.
pub fn direct_alignment(path: &Path) -> io::Result<Option<u32>> {
    let name = c_path(path)?;
    // SAFETY: all-zero bytes are a valid value of this structure.
    let mut found: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a C string and the kernel fills the structure.
    check(unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, libc::STATX_DIOALIGN, &mut found) })?;
    let is_reported = found.stx_mask & libc::STATX_DIOALIGN != 0 && found.stx_dio_offset_align != 0;
    Ok(is_reported.then_some(found.stx_dio_offset_align))
}

/// Returns whether mapped memory of the file is the device itself, without a page cache (DAX).
///
/// # Errors
/// Returns the error of the system call.
pub fn is_dax(path: &Path) -> io::Result<bool> {
    /// `STATX_ATTR_DAX` of `linux/stat.h`.
    const ATTR_DAX: u64 = 0x20_0000;
    let name = c_path(path)?;
    // SAFETY: all-zero bytes are a valid value of this structure.
    let mut found: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a C string and the kernel fills the structure.
    check(unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, libc::STATX_BASIC_STATS, &mut found) })?;
    Ok(found.stx_attributes & ATTR_DAX != 0)
}

/// Returns a path from the root, without links.
///
/// # Errors
/// Returns the error of the system call.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Returns true if a file or folder belongs to the user of this process.
///
/// # Errors
/// Returns the error of the system call.
pub fn is_own(path: &Path) -> io::Result<bool> {
    // SAFETY: no arguments.
    let own = unsafe { libc::geteuid() };
    std::fs::metadata(path).map(|found| found.uid() == own)
}

/// Gives a new file the owner and the permissions of the file that it will replace. Without the right to change the owner, the
/// user of this process remains the owner.
///
/// # Errors
/// Returns the error of the system call.
pub fn copy_access(of: &std::fs::Metadata, to: &std::fs::File) -> io::Result<()> {
    let _ = std::os::unix::fs::fchown(to, Some(of.uid()), Some(of.gid()));
    to.set_permissions(of.permissions())
}

pub(super) fn of_descriptor(fd: &OwnedFd) -> io::Result<libc::stat> {
    // SAFETY: all-zero bytes are a valid `stat`.
    let mut state = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::fstat(fd.as_raw_fd(), &mut state) })?;
    Ok(state)
}

/// Returns the magic number of the file system of an open file (`linux/magic.h`).
pub(super) fn file_system_magic(fd: &OwnedFd) -> io::Result<u64> {
    // SAFETY: all-zero bytes are a valid value of this structure.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::fstatfs(fd.as_raw_fd(), &mut found) })?;
    // The magic number has 32 bits in a type that differs between architectures.
    #[allow(clippy::cast_sign_loss, reason = "the type is signed on some systems, and all its bits are compared")]
    Ok(found.f_type as u64 & 0xffff_ffff)
}
