//! Status of a path, and calls that create and remove paths.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, StatxAttributes, StatxFlags};

use super::check;
use crate::file::{Kind, StatCall, Status};
use crate::linux::c_string::c_path;
use crate::linux::number::unsigned;

/// Returns the status of a path, with the given call.
///
/// # Errors
/// Returns the error of the system call.
pub fn stat(path: &Path, call: StatCall) -> io::Result<Status> {
    let path = c_path(path)?;
    if call == StatCall::Statx {
        let found = fs::statx(fs::CWD, &path, AtFlags::empty(), StatxFlags::ALL)?;
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
    let found = match call {
        StatCall::Lstat => fs::lstat(&path)?,
        StatCall::Stat | StatCall::Statx => fs::stat(&path)?,
    };
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
    let found = fs::statx(fs::CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN)?;
    let is_reported = found.stx_mask & libc::STATX_DIOALIGN != 0 && found.stx_dio_offset_align != 0;
    Ok(is_reported.then_some(found.stx_dio_offset_align))
}

/// Returns whether mapped memory of the file is the device itself, without a page cache (DAX).
///
/// # Errors
/// Returns the error of the system call.
pub fn is_dax(path: &Path) -> io::Result<bool> {
    let found = fs::statx(fs::CWD, path, AtFlags::empty(), StatxFlags::BASIC_STATS)?;
    Ok(found.stx_attributes.contains(StatxAttributes::DAX))
}

/// Returns a path from the root, without links.
///
/// # Errors
/// Returns the error of the system call.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Returns the magic number of the file system of an open file (`linux/magic.h`).
pub(super) fn file_system_magic(fd: &OwnedFd) -> io::Result<u64> {
    let found = fs::fstatfs(fd)?;
    // The magic number has 32 bits in a type that differs between architectures.
    #[allow(clippy::cast_sign_loss, reason = "the type is signed on some systems, and all its bits are compared")]
    Ok(found.f_type as u64 & 0xffff_ffff)
}
