//! What uses a disk, volume or file, and so forbids writing to it.

use std::io;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::{
    ERROR_INVALID_FUNCTION, ERROR_NO_MEDIA_IN_DRIVE, ERROR_NOT_READY, ERROR_NOT_SUPPORTED, ERROR_UNRECOGNIZED_VOLUME,
};
use windows_sys::Win32::System::Ioctl::{
    DRIVE_LAYOUT_INFORMATION_EX, IOCTL_DISK_GET_DRIVE_LAYOUT_EX, PARTITION_INFORMATION_EX, PARTITION_STYLE_GPT,
    PARTITION_STYLE_MBR,
};
use windows_sys::core::GUID;

use super::volume;
use crate::device::{TargetUse, UseKind, UsedDevice};

/// Types of GPT partitions that belong to a set of disks.
const MEMBERS: [(u128, &str); 3] = [
    (0xe75c_aff8_f680_4cee_afa3_b001_e56e_fc2d, "member of Storage Spaces"),
    (0x5808_c8aa_7e8f_42e0_85d2_e1e9_0434_cfb3, "member of a dynamic disk group"),
    (0xaf9b_60a0_1431_4f62_bc68_3311_714a_69ad, "member of a dynamic disk group"),
];
/// Type of an MBR partition that belongs to a dynamic disk group.
const MBR_DYNAMIC: u8 = 0x42;
/// Files in the root of a volume that the system writes.
const SYSTEM_FILES: [&str; 3] = ["pagefile.sys", "swapfile.sys", "hiberfil.sys"];

/// Returns the holders of a path.
pub(super) fn of(path: &Path) -> io::Result<Vec<TargetUse>> {
    if let Some(number) = volume::disk_number(path) {
        return of_disk(path, number);
    }
    if let Some(letter) = volume::volume_letter(path) {
        let root = PathBuf::from(format!(r"{letter}:\"));
        return Ok(use_of_volume(&root, &root)?
            .into_iter()
            .map(|kind| TargetUse::new(path, UsedDevice::Target, kind))
            .collect());
    }
    let is_system_file = path.file_name().is_some_and(|name| {
        SYSTEM_FILES.iter().any(|system| name.eq_ignore_ascii_case(system))
            && std::path::absolute(path).is_ok_and(|path| path.parent().is_some_and(|above| above.parent().is_none()))
    });
    Ok(if is_system_file { vec![TargetUse::new(path, UsedDevice::Target, UseKind::Swap)] } else { Vec::new() })
}

/// Returns the uses of a disk: of the volumes on it, and of its partitions.
pub(super) fn of_disk(path: &Path, number: u32) -> io::Result<Vec<TargetUse>> {
    let mut holders = Vec::new();
    for name in volume::all()? {
        let device = PathBuf::from(name.to_string_lossy().trim_end_matches('\\'));
        let numbers = match volume::open(&device).and_then(|volume| volume::extents(&volume)) {
            Err(error) if is_on_no_disk(&error) => continue,
            numbers => numbers?,
        };
        if !numbers.contains(&number) {
            continue;
        }
        let at = volume::mounted_at(&name)?.unwrap_or_else(|| name.clone());
        holders.extend(use_of_volume(&name, &at)?.map(|kind| TargetUse::new(&device, UsedDevice::Partition, kind)));
    }
    let members = memberships(path)?
        .into_iter()
        .map(|of| TargetUse::new(path, UsedDevice::Target, UseKind::Member { of: of.into() }));
    holders.extend(members);
    Ok(holders)
}

/// Returns true for the error of a volume without a medium, such as an empty card reader, and of one that is not on a disk, such as
/// a CD.
fn is_on_no_disk(error: &io::Error) -> bool {
    let codes = [ERROR_NOT_READY, ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED, ERROR_NO_MEDIA_IN_DRIVE];
    error.raw_os_error().is_some_and(|code| codes.contains(&(code as u32)))
}

/// Returns the use of a volume: it has a file system that Windows recognises, or that is encrypted.
fn use_of_volume(root: &Path, at: &Path) -> io::Result<Option<UseKind>> {
    match volume::file_system(root) {
        Ok(_) => Ok(Some(UseKind::Mounted { at: at.into() })),
        Err(error) if error.raw_os_error() == Some(ERROR_UNRECOGNIZED_VOLUME as i32) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the sets of disks that the partitions of a disk belong to.
fn memberships(path: &Path) -> io::Result<Vec<&'static str>> {
    /// `DRIVE_LAYOUT_INFORMATION_EX` with space for the 128 partitions of GPT.
    #[repr(C)]
    struct Layout {
        start: DRIVE_LAYOUT_INFORMATION_EX,
        more: [PARTITION_INFORMATION_EX; 127],
    }
    // SAFETY: the structure has numbers, and unions of numbers.
    let layout: Box<Layout> = Box::new(unsafe { volume::query(&volume::open(path)?, IOCTL_DISK_GET_DRIVE_LAYOUT_EX) }?);
    let partitions = layout.start.PartitionEntry.iter().chain(&layout.more).take(layout.start.PartitionCount as usize);
    let mut found: Vec<_> = partitions.filter_map(membership).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns the set of disks that a partition belongs to.
fn membership(partition: &PARTITION_INFORMATION_EX) -> Option<&'static str> {
    match partition.PartitionStyle {
        PARTITION_STYLE_GPT => {
            // SAFETY: the style says that the description is one of GPT.
            let kind = number_of(unsafe { &partition.Anonymous.Gpt.PartitionType });
            MEMBERS.iter().find(|(member, _)| *member == kind).map(|(_, name)| *name)
        }
        // SAFETY: the style says that the description is one of MBR.
        PARTITION_STYLE_MBR if unsafe { partition.Anonymous.Mbr.PartitionType } == MBR_DYNAMIC => {
            Some("member of a dynamic disk group")
        }
        _ => None,
    }
}

fn number_of(guid: &GUID) -> u128 {
    let tail = guid.data4.iter().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
    u128::from(guid.data1) << 96 | u128::from(guid.data2) << 80 | u128::from(guid.data3) << 64 | tail
}
