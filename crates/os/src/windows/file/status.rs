//! Status of a path, and calls that create and remove paths.

use std::fs;
use std::io;
use std::ops::Range;
use std::os::windows::fs::MetadataExt;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_READONLY, FILE_STANDARD_INFO, FileStandardInfo, GetFileInformationByHandleEx,
};

use super::id::{information, open_for_information};
use crate::file::{Kind, OpenOptions, StatCall, Status, Written};
use crate::windows::device::volume;
use crate::windows::handle::check;

/// Returns the status of a path. `Lstat` does not follow a symbolic link.
///
/// # Errors
/// Returns the error of the call.
pub fn stat(path: &Path, call: StatCall) -> io::Result<Status> {
    if volume::is_device_path(path) {
        let file = OpenOptions { read: true, ..OpenOptions::new() }.open(path)?;
        let bytes = file.size()?.unwrap_or(0);
        let zero = (0, 0);
        return Ok(Status {
            kind: Kind::Block,
            bytes,
            allocated: bytes,
            device: zero,
            is_device: zero,
            inode: 0,
            mode: 0o660,
        });
    }
    let found = if call == StatCall::Lstat { fs::symlink_metadata(path)? } else { fs::metadata(path)? };
    let handle = open_for_information(path, call != StatCall::Lstat)?;
    let about = information(&handle)?;
    let mut standard = FILE_STANDARD_INFO::default();
    let size = size_of::<FILE_STANDARD_INFO>() as u32;
    let raw = std::os::windows::io::AsRawHandle::as_raw_handle(&handle);
    // SAFETY: the call fills the structure.
    check(unsafe { GetFileInformationByHandleEx(raw, FileStandardInfo, (&raw mut standard).cast(), size) })?;
    let is_read_only = found.file_attributes() & FILE_ATTRIBUTE_READONLY != 0;
    Ok(Status {
        kind: Kind::of(&found),
        bytes: found.len(),
        allocated: standard.AllocationSize as u64,
        device: (about.dwVolumeSerialNumber, 0),
        is_device: (0, 0),
        inode: u64::from(about.nFileIndexHigh) << 32 | u64::from(about.nFileIndexLow),
        mode: if is_read_only { 0o444 } else { 0o644 },
    })
}

/// Checks that this process may write to `path`. In a directory this means to create entries, which only an attempt shows: it passes.
///
/// # Errors
/// Returns the error of opening the file for writing.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    OpenOptions { write: true, ..OpenOptions::new() }.open(path).map(drop)
}

/// Returns the alignment of offsets and lengths of unbuffered I/O on a file or disk: the logical sector size.
///
/// # Errors
/// Returns the error of the call.
pub fn direct_alignment(path: &Path) -> io::Result<Option<u32>> {
    if volume::is_device_path(path) {
        return OpenOptions { read: true, ..OpenOptions::new() }.open(path)?.logical_block_size().map(Some);
    }
    volume::sector_bytes_below(path).map(Some)
}

/// Returns false: mapped files of Windows' DAX volumes are not detected.
///
/// # Errors
/// None.
pub fn is_dax(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Returns `Unknown`: file systems of Windows report holes, and not which written ranges are valid.
///
/// # Errors
/// None.
pub fn written(_path: &Path, _range: Range<u64>) -> io::Result<Written> {
    Ok(Written::Unknown)
}

/// Returns `None`: no place is known.
///
/// # Errors
/// None.
pub fn physical(_path: &Path, _offset: u64) -> io::Result<Option<u64>> {
    Ok(None)
}

/// Returns a path from the root, without links. It has slashes, which have no meaning in fio's job files, and no prefix `\\?\`.
///
/// # Errors
/// Returns the error of the call.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    Ok(plain(&fs::canonicalize(path)?.to_string_lossy()).into())
}

fn plain(path: &str) -> String {
    let share = path.strip_prefix(r"\\?\UNC\").map(|rest| format!(r"\\{rest}"));
    share.unwrap_or_else(|| path.trim_start_matches(r"\\?\").to_owned()).replace('\\', "/")
}

/// Does nothing: a new file has the access rights of its folder.
///
/// # Errors
/// None.
pub fn copy_access(_of: &fs::Metadata, _to: &fs::File) -> io::Result<()> {
    Ok(())
}

/// Returns true for each existing file or folder: the folders of this program are those of the user of this process.
///
/// # Errors
/// Returns the error of the call.
pub fn is_own(path: &Path) -> io::Result<bool> {
    fs::metadata(path).map(|_| true)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn paths_have_slashes_and_no_prefix() {
        assert_eq!([r"\\?\C:\a\b", r"\\?\UNC\host\share\a"].map(plain), ["C:/a/b", "//host/share/a"]);
    }
}
