//! Space of a file and of a volume.

use std::io;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    FILE_ALLOCATION_INFO, FILE_END_OF_FILE_INFO, FileAllocationInfo, FileEndOfFileInfo, GetDiskFreeSpaceExW,
    SetFileInformationByHandle,
};

use super::File;
use crate::file::Space;
use crate::windows::handle::{check, native, wide};

impl File {
    /// Reserves space for a range. With `keep_size` the length stays, else the file grows to the end of the range. It
    /// never shrinks.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn allocate(&self, offset: u64, bytes: u64, keep_size: bool) -> io::Result<()> {
        let end = offset.saturating_add(bytes);
        let present = self.size()?.unwrap_or(0);
        if end <= present {
            return Ok(());
        }
        let info = FILE_ALLOCATION_INFO { AllocationSize: end as i64 };
        let size = size_of::<FILE_ALLOCATION_INFO>() as u32;
        // SAFETY: the call reads the structure.
        check(unsafe { SetFileInformationByHandle(self.raw(), FileAllocationInfo, (&raw const info).cast(), size) })?;
        if keep_size { Ok(()) } else { self.set_size(end) }
    }

    /// Reserves space like [`allocate`](File::allocate) and grows the file.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn allocate_or_write(&self, offset: u64, bytes: u64) -> io::Result<()> {
        self.allocate(offset, bytes, false)
    }

    /// Sets the length of the file. Reads of the new part return zeros without reading the device.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn set_size(&self, bytes: u64) -> io::Result<()> {
        let info = FILE_END_OF_FILE_INFO { EndOfFile: bytes as i64 };
        let size = size_of::<FILE_END_OF_FILE_INFO>() as u32;
        // SAFETY: the call reads the structure.
        check(unsafe { SetFileInformationByHandle(self.raw(), FileEndOfFileInfo, (&raw const info).cast(), size) })
    }
}

/// Returns the space of the volume of `path`: of its folder if it is a file.
///
/// # Errors
/// Returns the error of the call.
pub fn space(path: &Path) -> io::Result<Option<Space>> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let name = wide(native(folder))?;
    let (mut free, mut total) = (0, 0);
    // SAFETY: the name is a string with a final NUL, and the call fills the numbers.
    check(unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &mut free, &mut total, std::ptr::null_mut()) })?;
    Ok((total > 0).then_some(Space { total_bytes: total, free_bytes: free }))
}
