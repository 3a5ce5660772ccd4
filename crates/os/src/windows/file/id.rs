//! Identity and type of files and devices.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, CreateFileW, FILE_ATTRIBUTE_DIRECTORY, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_TYPE_CHAR, FILE_TYPE_PIPE, GetFileInformationByHandle, GetFileType,
    OPEN_EXISTING,
};

use crate::file::{Inode, Kind};
use crate::windows::device::volume;
use crate::windows::handle::{SHARE_ALL, check, native, owned, wide};

/// Identity of a file or device: serial number of the volume and index of the file, or the number of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileId {
    volume: u64,
    index: u64,
    is_device: bool,
}

impl FileId {
    /// Returns the identity of the file that a path leads to.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn at(path: &Path) -> io::Result<Self> {
        if volume::is_device_path(path) {
            return Ok(FileId::of_device(path));
        }
        of_handle(&open_for_information(path, true)?)
    }

    /// Returns the identity of a disk, volume or pipe: its name, without regard to case.
    pub(super) fn of_device(path: &Path) -> Self {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let number = name.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte)));
        FileId { volume: 0, index: number, is_device: true }
    }

    /// Returns true for a disk or volume.
    pub fn is_device_file(&self) -> bool {
        self.is_device
    }

    pub(crate) fn inode(&self) -> Inode {
        Inode { device: self.volume, number: self.index }
    }
}

/// Returns the volume and the index of an existing file or folder.
///
/// # Errors
/// Returns the error of the call.
pub fn identity(path: &Path) -> io::Result<Inode> {
    FileId::at(path).map(|id| id.inode())
}

/// Opens a file or folder for its attributes only. This needs no permission to read it.
pub(super) fn open_for_information(path: &Path, follow: bool) -> io::Result<OwnedHandle> {
    let name = wide(native(path))?;
    let flags = FILE_FLAG_BACKUP_SEMANTICS | if follow { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    let (null, none) = (std::ptr::null(), std::ptr::null_mut());
    // SAFETY: the name is a string with a final NUL. The handle is new.
    unsafe { owned(CreateFileW(name.as_ptr(), 0, SHARE_ALL, null, OPEN_EXISTING, flags, none)) }
}

pub(super) fn of_handle(handle: &OwnedHandle) -> io::Result<FileId> {
    information(handle).map(|found| id(&found))
}

pub(super) fn information(handle: &impl AsRawHandle) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the call fills the structure.
    check(unsafe { GetFileInformationByHandle(handle.as_raw_handle(), &mut found) })?;
    Ok(found)
}

fn id(found: &BY_HANDLE_FILE_INFORMATION) -> FileId {
    let index = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    FileId { volume: u64::from(found.dwVolumeSerialNumber), index, is_device: false }
}

/// Returns the type of an open file.
pub(super) fn kind_of(handle: &OwnedHandle, path: &Path) -> io::Result<Kind> {
    if volume::is_device_path(path) {
        return Ok(Kind::Block);
    }
    // SAFETY: the handle is open.
    match unsafe { GetFileType(handle.as_raw_handle()) } {
        FILE_TYPE_CHAR => Ok(Kind::Char),
        FILE_TYPE_PIPE => Ok(Kind::Pipe),
        _ if information(handle)?.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY != 0 => Ok(Kind::Directory),
        _ => Ok(Kind::Regular),
    }
}

impl Kind {
    /// Returns the type of a file by its metadata. Disks and volumes have none.
    pub fn of(found: &std::fs::Metadata) -> Self {
        if found.is_dir() { Kind::Directory } else { Kind::Regular }
    }
}
