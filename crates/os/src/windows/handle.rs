//! Handles, results of calls and text of Windows' functions.

use std::ffi::OsStr;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{FromRawHandle, OwnedHandle};
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE};
use windows_sys::core::BOOL;

/// All other programs may read, write, rename and delete the file while it is open, as DiskSpd opens it.
pub(super) const SHARE_ALL: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Returns the error of a call that returned 0.
pub(super) fn check(returned: BOOL) -> io::Result<()> {
    if returned != 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the handle of a call, or its error.
///
/// # Safety
/// The handle is new and has no other owner.
pub(super) unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Returns text with a final NUL in UTF-16.
///
/// # Errors
/// Returns `InvalidInput` if it contains a NUL.
pub(super) fn wide(text: impl AsRef<OsStr>) -> io::Result<Vec<u16>> {
    let mut wide: Vec<u16> = text.as_ref().encode_wide().collect();
    if wide.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the text contains a NUL character"));
    }
    wide.push(0);
    Ok(wide)
}

/// Returns the text before the first NUL.
pub(super) fn text(wide: &[u16]) -> String {
    let end = wide.iter().position(|unit| *unit == 0).unwrap_or(wide.len());
    String::from_utf16_lossy(&wide[..end])
}

/// Returns the error of what Windows does not have.
pub(crate) fn unsupported(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("{what} is not supported on Windows"))
}

/// Returns a path as Windows' functions take it. Names of devices, such as `\\.\PhysicalDrive0`, stay as they are. Others become
/// absolute, so that they can be longer than 260 characters.
pub(super) fn native(path: &Path) -> PathBuf {
    let shown = path.to_string_lossy();
    if shown.starts_with(r"\\") {
        return path.to_owned();
    }
    match std::path::absolute(path) {
        Ok(absolute) if absolute.to_string_lossy().len() >= LONG_PATH => {
            PathBuf::from(format!(r"\\?\{}", absolute.display()))
        }
        _ => path.to_owned(),
    }
}

/// Paths from this length on need the prefix `\\?\`.
const LONG_PATH: usize = 248;
