//! Names, sizes and places of disks and volumes.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, ERROR_NO_MORE_FILES};
use windows_sys::Win32::Storage::FileSystem::{
    CreateFileW, FindFirstVolumeW, FindNextVolumeW, FindVolumeClose, GetDiskFreeSpaceW, GetVolumeInformationW,
    GetVolumeNameForVolumeMountPointW, GetVolumePathNameW, GetVolumePathNamesForVolumeNameW, OPEN_EXISTING,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{
    DISK_EXTENT, DISK_GEOMETRY, DISK_GEOMETRY_EX, GET_LENGTH_INFORMATION, IOCTL_DISK_GET_DRIVE_GEOMETRY,
    IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, IOCTL_DISK_GET_LENGTH_INFO,
};

use crate::windows::handle::{SHARE_ALL, check, native, owned, text, wide};

const DISK_PREFIX: &str = r"\\.\physicaldrive";
/// `IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS` of `winioctl.h`.
const GET_VOLUME_DISK_EXTENTS: u32 = 0x0056_0000;
/// Units of the longest name.
const NAME_UNITS: usize = 1024;

/// Returns true for a disk (`\\.\PhysicalDrive0`) or volume (`\\.\C:`).
pub(in crate::windows) fn is_device_path(path: &Path) -> bool {
    disk_number(path).is_some() || volume_letter(path).is_some()
}

/// Returns true for a name of a device that is not one of [`is_device_path`], such as `\\.\HarddiskVolume1`. Its uses are not known.
pub(in crate::windows) fn is_other_device(path: &Path) -> bool {
    let name = path.to_string_lossy().replace('/', r"\");
    let Some(rest) = [r"\\.\", r"\\?\"].iter().find_map(|prefix| name.strip_prefix(prefix)) else { return false };
    let (first, below) = rest.split_once('\\').unwrap_or((rest, ""));
    let is_folder = first.ends_with(':') || first.starts_with("Volume{") || first.eq_ignore_ascii_case("UNC");
    !is_device_path(path) && (below.is_empty() || !is_folder)
}

/// Returns the number of a disk by its path.
pub(super) fn disk_number(path: &Path) -> Option<u32> {
    path.to_str()?.to_ascii_lowercase().strip_prefix(DISK_PREFIX)?.parse().ok()
}

/// Returns the drive letter of a volume's path.
pub(super) fn volume_letter(path: &Path) -> Option<char> {
    let letter = path.to_str()?.strip_prefix(r"\\.\")?.strip_suffix(':')?;
    let mut letters = letter.chars();
    letters.next().filter(|letter| letter.is_ascii_alphabetic() && letters.next().is_none())
}

/// Opens a disk or volume for queries. This needs no rights on it.
pub(super) fn open(path: &Path) -> io::Result<OwnedHandle> {
    let name = wide(native(path))?;
    let (null, none) = (std::ptr::null(), std::ptr::null_mut());
    // SAFETY: the name is a string with a final NUL. The handle is new.
    unsafe { owned(CreateFileW(name.as_ptr(), 0, SHARE_ALL, null, OPEN_EXISTING, 0, none)) }
}

/// Sends a request without arguments to a disk or volume, which returns a value of type `T`.
///
/// # Safety
/// All bytes are a valid `T`.
pub(super) unsafe fn query<T>(device: &impl AsRawHandle, request: u32) -> io::Result<T> {
    // SAFETY: guaranteed by the caller.
    let mut answer: T = unsafe { std::mem::zeroed() };
    let (size, mut returned) = (size_of::<T>() as u32, 0);
    let (handle, pointer) = (device.as_raw_handle(), (&raw mut answer).cast());
    let (null, synchronous) = (std::ptr::null(), std::ptr::null_mut());
    // SAFETY: the call writes at most `size` bytes to the value.
    check(unsafe { DeviceIoControl(handle, request, null, 0, pointer, size, &mut returned, synchronous) })?;
    Ok(answer)
}

/// Returns the size of a disk in bytes. This needs no rights on it.
pub(super) fn disk_bytes(disk: &impl AsRawHandle) -> io::Result<u64> {
    /// `DISK_GEOMETRY_EX` with space for what follows it.
    #[repr(C)]
    struct Geometry {
        start: DISK_GEOMETRY_EX,
        more: [u8; 256],
    }
    // SAFETY: the structure has numbers.
    let geometry: Geometry = unsafe { query(disk, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX) }?;
    Ok(geometry.start.DiskSize as u64)
}

/// Returns the size of a disk or volume in bytes. The handle must permit reading.
pub(in crate::windows) fn device_bytes(device: &impl AsRawHandle) -> io::Result<u64> {
    // SAFETY: the structure is a number.
    let length: GET_LENGTH_INFORMATION = unsafe { query(device, IOCTL_DISK_GET_LENGTH_INFO) }?;
    Ok(length.Length as u64)
}

/// Returns the size of a logical sector of a disk or volume.
pub(in crate::windows) fn sector_bytes(device: &impl AsRawHandle) -> io::Result<u32> {
    // SAFETY: the structure has numbers.
    let geometry: DISK_GEOMETRY = unsafe { query(device, IOCTL_DISK_GET_DRIVE_GEOMETRY) }?;
    Ok(geometry.BytesPerSector)
}

/// Returns the size of a logical sector below a file.
pub(in crate::windows) fn sector_bytes_below(path: &Path) -> io::Result<u32> {
    let root = wide(root_of(path)?)?;
    let (mut cluster, mut sector, mut free, mut all) = (0, 0, 0, 0);
    // SAFETY: the name is a string with a final NUL, and the call fills the numbers.
    check(unsafe { GetDiskFreeSpaceW(root.as_ptr(), &mut cluster, &mut sector, &mut free, &mut all) })?;
    Ok(sector)
}

/// Returns the root of the volume of a path, which need not exist.
pub(super) fn root_of(path: &Path) -> io::Result<PathBuf> {
    let path = wide(std::path::absolute(path)?)?;
    let mut root = [0u16; NAME_UNITS];
    // SAFETY: the path is a string with a final NUL, and the call writes at most the given number of units.
    check(unsafe { GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), NAME_UNITS as u32) })?;
    Ok(text(&root).into())
}

/// Returns the name of the volume at a root, such as `\\?\Volume{...}\`.
pub(super) fn name_of(root: &Path) -> io::Result<PathBuf> {
    let root = wide(root)?;
    let mut name = [0u16; NAME_UNITS];
    // SAFETY: the path is a string with a final NUL, and the call writes at most the given number of units.
    check(unsafe { GetVolumeNameForVolumeMountPointW(root.as_ptr(), name.as_mut_ptr(), NAME_UNITS as u32) })?;
    Ok(text(&name).into())
}

/// Returns the type of the file system of the volume at a root, or of a volume by its name.
pub(super) fn file_system(root: &Path) -> io::Result<String> {
    let root = wide(root)?;
    let mut name = [0u16; 64];
    let (null, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the path is a string with a final NUL, and the call writes at most the given number of units.
    check(unsafe {
        let units = name.len() as u32;
        GetVolumeInformationW(root.as_ptr(), null, 0, none, none, none, name.as_mut_ptr(), units)
    })?;
    Ok(text(&name))
}

/// Returns the numbers of the disks below a path.
pub(super) fn disk_numbers(path: &Path) -> io::Result<Vec<u32>> {
    if let Some(number) = disk_number(path) {
        return Ok(vec![number]);
    }
    if volume_letter(path).is_some() {
        return extents(&open(path)?);
    }
    let name = name_of(&root_of(path)?)?;
    // Without the final backslash, the name is the volume and not its root folder.
    extents(&open(Path::new(name.to_string_lossy().trim_end_matches('\\')))?)
}

/// Returns the numbers of the disks that a volume is on.
pub(super) fn extents(volume: &OwnedHandle) -> io::Result<Vec<u32>> {
    /// `VOLUME_DISK_EXTENTS` with space for several extents.
    #[repr(C)]
    struct Extents {
        count: u32,
        list: [DISK_EXTENT; 64],
    }
    // SAFETY: the structure has numbers.
    let found: Extents = match unsafe { query(volume, GET_VOLUME_DISK_EXTENTS) } {
        Err(error) if error.raw_os_error() == Some(ERROR_MORE_DATA as i32) => {
            return Err(io::Error::other("the volume is on more than 64 extents"));
        }
        found => found?,
    };
    let mut numbers: Vec<u32> = found.list.iter().take(found.count as usize).map(|extent| extent.DiskNumber).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// Returns the names of all volumes.
pub(super) fn all() -> io::Result<Vec<PathBuf>> {
    let mut name = [0u16; NAME_UNITS];
    // SAFETY: the call writes at most the given number of units.
    let search = unsafe { FindFirstVolumeW(name.as_mut_ptr(), NAME_UNITS as u32) };
    if search == windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    let mut all = vec![PathBuf::from(text(&name))];
    // SAFETY: as above. The search is open until its close.
    while unsafe { FindNextVolumeW(search, name.as_mut_ptr(), NAME_UNITS as u32) } != 0 {
        all.push(text(&name).into());
    }
    let end = io::Error::last_os_error();
    // SAFETY: the search is open.
    unsafe { FindVolumeClose(search) };
    if end.raw_os_error() == Some(ERROR_NO_MORE_FILES as i32) { Ok(all) } else { Err(end) }
}

/// Returns where a volume is mounted. `None` if it has no drive letter and no folder.
pub(super) fn mounted_at(volume: &Path) -> io::Result<Option<PathBuf>> {
    let name = wide(volume)?;
    let (mut paths, mut units) = ([0u16; NAME_UNITS], 0);
    // SAFETY: the name is a string with a final NUL, and the call writes at most the given number of units.
    check(unsafe {
        GetVolumePathNamesForVolumeNameW(name.as_ptr(), paths.as_mut_ptr(), NAME_UNITS as u32, &mut units)
    })?;
    Ok(Some(text(&paths)).filter(|path| !path.is_empty()).map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_and_volumes_are_known_by_their_names() {
        assert_eq!(disk_number(Path::new(r"\\.\PhysicalDrive12")), Some(12));
        assert_eq!(disk_number(Path::new(r"\\.\PhysicalDrive")), None);
        assert_eq!(volume_letter(Path::new(r"\\.\e:")), Some('e'));
        assert_eq!(volume_letter(Path::new(r"\\.\ee:")), None);
        assert!(!is_device_path(Path::new(r"C:\file")) && !is_device_path(Path::new(r"\\server\share\file")));
    }

    #[test]
    fn other_names_of_devices_are_told_from_files() {
        let is_other = |path: &str| is_other_device(Path::new(path));
        let devices =
            [r"\\.\HarddiskVolume1", "//./PhysicalDrive0", r"\\?\Volume{1-2}", r"\\.\GLOBALROOT\Device\Harddisk0\DR0"];
        assert!(devices.into_iter().all(is_other));
        let files =
            [r"\\?\C:\file", r"\\?\UNC\server\share\file", r"\\?\Volume{1-2}\file", "C:/file", "NUL", r"\\.\C:"];
        assert!(!files.into_iter().any(is_other));
    }
}
