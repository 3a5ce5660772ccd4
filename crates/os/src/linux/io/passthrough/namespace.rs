//! Facts about an NVMe namespace, by the identify command.

use std::io;
use std::os::fd::AsRawFd;

use super::command::{GET_FEATURES, IDENTIFY, IO_MANAGEMENT_RECEIVE, NvmeCommand};
use super::protection::{Guard, ProtectionLayout, ProtectionType};
use crate::file::File;
use crate::io::{PLACEMENT_IDS_MAX, PassthroughDevice, PassthroughProblem};
use crate::linux::file::check;
use ::io::{DataPlacement, Nvme, PlacementKind};

/// Requests of `linux/nvme_ioctl.h`.
const NVME_IOCTL_ID: libc::Ioctl = 0x4e40;
pub(super) const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xc048_4e41_u32 as libc::Ioctl;
const NVME_IOCTL_IO_CMD: libc::Ioctl = 0xc048_4e43_u32 as libc::Ioctl;

const IDENTIFY_BYTES: usize = 4096;
/// What to identify (CNS).
pub(super) const NAMESPACE: u32 = 0x00;
pub(super) const CONTROLLER: u32 = 0x01;
const NAMESPACE_OF_COMMAND_SET: u32 = 0x05;
/// Controller attribute: extended LBA formats.
const EXTENDED_FORMATS: u32 = 1 << 15;
/// Management operation: reclaim unit handle status.
const RECLAIM_UNIT_HANDLES: u32 = 1;
const HANDLES_HEADER_BYTES: usize = 16;
const HANDLE_BYTES: usize = 32;

/// A namespace as it is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Namespace {
    pub(super) id: u32,
    pub(super) blocks: u64,
    /// Data of a logical block.
    pub(super) block_bytes: u32,
    /// Metadata of a logical block that the host transfers.
    pub(super) metadata_bytes: u32,
    /// The metadata follows the data of each block in the same buffer (extended LBA).
    pub(super) is_extended: bool,
    pub(super) protection: Option<ProtectionLayout>,
}

impl Namespace {
    /// Bytes of a block in the data buffer.
    pub(super) fn unit_bytes(&self) -> u32 {
        self.block_bytes + if self.is_extended { self.metadata_bytes } else { 0 }
    }

    pub(super) fn device(&self) -> PassthroughDevice {
        PassthroughDevice {
            bytes: self.blocks.saturating_mul(u64::from(self.unit_bytes())),
            unit_bytes: self.unit_bytes(),
            block_bytes: self.block_bytes,
            separate_metadata_bytes: if self.is_extended { 0 } else { self.metadata_bytes },
            protection_in_data: self.is_extended && self.protection.is_some(),
        }
    }
}

/// Reads the format of a namespace.
///
/// # Errors
/// The file is no namespace, or has a format that the engine does not support.
pub(super) fn read(file: &File, config: &Nvme) -> Result<Namespace, PassthroughProblem> {
    let descriptor = file.descriptor();
    let fd = descriptor.as_raw_fd();
    let id = number(fd).map_err(PassthroughProblem::NotANamespace)?;
    let identify = |namespace, what| identify(fd, namespace, what).map_err(PassthroughProblem::Identify);
    let controller = identify(0, CONTROLLER)?;
    let namespace = identify(id, NAMESPACE)?;
    let has_extended_formats = number32(&controller, 96) & EXTENDED_FORMATS != 0;
    let formats = if has_extended_formats { Some(identify(id, NAMESPACE_OF_COMMAND_SET)?) } else { None };
    parse(id, &namespace, formats.as_deref(), config.protection.by_device)
}

/// Reads the format from the identify data of a namespace, and from that of the NVM command set if the controller has
/// extended formats.
fn parse(
    id: u32,
    namespace: &[u8],
    formats: Option<&[u8]>,
    device_makes_protection: bool,
) -> Result<Namespace, PassthroughProblem> {
    let (formatted, protection) = (namespace[26], namespace[29]);
    let index = format_index(namespace);
    let metadata_bytes = u32::from(u16::from_le_bytes([namespace[128 + 4 * index], namespace[129 + 4 * index]]));
    let block_bytes = 1u32.checked_shl(u32::from(namespace[130 + 4 * index])).unwrap_or(0);
    let mut found = Namespace {
        id,
        blocks: u64::from_le_bytes(std::array::from_fn(|at| namespace[at])),
        block_bytes,
        metadata_bytes,
        is_extended: metadata_bytes > 0 && formatted & 1 << 4 != 0,
        protection: None,
    };
    let kind = match protection & 7 {
        1 => ProtectionType::One,
        2 => ProtectionType::Two,
        3 => ProtectionType::Three,
        _ => return Ok(found),
    };
    if metadata_bytes == 0 {
        return Ok(found);
    }
    let format = formats.map_or(0, |formats| number32(formats, 12 + 4 * index));
    let guard = match format >> 7 & 3 {
        0 => Guard::Bits16,
        2 => Guard::Bits64,
        // The guard of 32 bits requires storage tags.
        _ => return Err(PassthroughProblem::StorageTag),
    };
    if format & 0x7f != 0 {
        return Err(PassthroughProblem::StorageTag);
    }
    // The device inserts and removes metadata that is nothing but protection information.
    if device_makes_protection && metadata_bytes as usize == guard.tuple_bytes() {
        (found.metadata_bytes, found.is_extended) = (0, false);
    }
    found.protection = Some(ProtectionLayout {
        kind,
        guard,
        is_first: protection & 1 << 3 != 0,
        block_bytes: block_bytes as usize,
        metadata_bytes: found.metadata_bytes as usize,
        is_extended: found.is_extended,
    });
    Ok(found)
}

/// Returns the index of the format of a namespace in its list of formats.
pub(super) fn format_index(namespace: &[u8]) -> usize {
    let (last_format, formatted) = (namespace[25], namespace[26]);
    let high = if last_format < 16 { 0 } else { formatted >> 5 & 3 };
    usize::from(formatted & 0xf | high << 4)
}

/// Returns the placement identifiers of a file.
///
/// # Errors
/// The namespace has no flexible data placement, or not as many identifiers.
pub(super) fn placement_ids(
    file: &File,
    namespace: u32,
    placement: &DataPlacement,
) -> Result<Vec<u16>, PassthroughProblem> {
    if placement.kind == PlacementKind::Streams {
        return Ok(placement.ids.clone());
    }
    let descriptor = file.descriptor();
    let handles = reclaim_unit_handles(descriptor.as_raw_fd(), namespace).map_err(PassthroughProblem::NoPlacement)?;
    choose_handles(&handles, &placement.ids)
}

/// Returns the identifiers at `indices`, or the first ones if there are no indices.
fn choose_handles(handles: &[u16], indices: &[u16]) -> Result<Vec<u16>, PassthroughProblem> {
    if indices.is_empty() {
        return Ok(handles[..handles.len().min(PLACEMENT_IDS_MAX)].to_vec());
    }
    let count = u32::try_from(handles.len()).unwrap_or(u32::MAX);
    let chosen = indices.iter().map(|&index| {
        handles.get(usize::from(index)).copied().ok_or(PassthroughProblem::PlacementIndex { index, count })
    });
    chosen.collect()
}

/// Returns the placement identifiers of a namespace, in the order of its reclaim unit handles.
fn reclaim_unit_handles(fd: i32, namespace: u32) -> io::Result<Vec<u16>> {
    let header = receive(fd, namespace, HANDLES_HEADER_BYTES)?;
    let count = usize::from(u16::from_le_bytes([header[14], header[15]]));
    if count == 0 {
        return Err(io::Error::from_raw_os_error(libc::ENOTSUP));
    }
    let list = receive(fd, namespace, HANDLES_HEADER_BYTES + count * HANDLE_BYTES)?;
    let handles = list[HANDLES_HEADER_BYTES..].chunks_exact(HANDLE_BYTES);
    Ok(handles.map(|handle| u16::from_le_bytes([handle[0], handle[1]])).collect())
}

fn receive(fd: i32, namespace: u32, bytes: usize) -> io::Result<Vec<u8>> {
    let mut command = NvmeCommand::new(IO_MANAGEMENT_RECEIVE, namespace);
    command.dword10 = RECLAIM_UNIT_HANDLES;
    command.dword11 = u32::try_from(bytes / 4 - 1).map_err(io::Error::other)?;
    transfer(fd, NVME_IOCTL_IO_CMD, command, bytes)
}

/// Returns the number of a namespace.
pub(super) fn number(fd: i32) -> io::Result<u32> {
    // SAFETY: the request takes no argument. It returns the number of the namespace.
    Ok(check(unsafe { libc::ioctl(fd, NVME_IOCTL_ID) })?.cast_unsigned())
}

pub(super) fn identify(fd: i32, namespace: u32, what: u32) -> io::Result<Vec<u8>> {
    let mut command = NvmeCommand::new(IDENTIFY, namespace);
    command.dword10 = what;
    transfer(fd, NVME_IOCTL_ADMIN_CMD, command, IDENTIFY_BYTES)
}

/// Returns the current value of a feature, and its `bytes` bytes of data.
pub(super) fn feature(fd: i32, id: u32, bytes: usize) -> io::Result<(u32, Vec<u8>)> {
    let mut command = NvmeCommand::new(GET_FEATURES, 0);
    command.dword10 = id;
    let data = send(fd, NVME_IOCTL_ADMIN_CMD, &mut command, bytes)?;
    Ok((command.result, data))
}

/// Sends a command that returns `bytes` bytes.
pub(super) fn transfer(fd: i32, request: libc::Ioctl, mut command: NvmeCommand, bytes: usize) -> io::Result<Vec<u8>> {
    send(fd, request, &mut command, bytes)
}

fn send(fd: i32, request: libc::Ioctl, command: &mut NvmeCommand, bytes: usize) -> io::Result<Vec<u8>> {
    let mut data = vec![0; bytes];
    (command.data, command.data_bytes) = (data.as_mut_ptr() as u64, u32::try_from(bytes).map_err(io::Error::other)?);
    // SAFETY: the request reads and writes the command, and writes at most `bytes` bytes to the data before it returns.
    match check(unsafe { libc::ioctl(fd, request, &raw mut *command) })? {
        0 => Ok(data),
        // A status of the device.
        _ => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
    }
}

pub(super) fn number32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|nth| bytes[at + nth]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns identify data of a namespace with 1000 blocks and one format.
    fn identified(metadata: u16, shift: u8, formatted: u8, protection: u8) -> Vec<u8> {
        let mut data = vec![0; IDENTIFY_BYTES];
        data[..8].copy_from_slice(&1000u64.to_le_bytes());
        (data[26], data[29]) = (formatted, protection);
        let at = 128 + 4 * usize::from(formatted & 0xf);
        data[at..at + 2].copy_from_slice(&metadata.to_le_bytes());
        data[at + 2] = shift;
        data
    }

    /// Returns identify data of the NVM command set, with `format` for each format.
    fn extended(format: u32) -> Vec<u8> {
        let mut data = vec![0; IDENTIFY_BYTES];
        data[12..12 + 4 * 64].as_chunks_mut().0.fill(format.to_le_bytes());
        data
    }

    #[test]
    fn format_without_metadata() {
        let found = parse(7, &identified(0, 12, 2, 0), None, true).unwrap();
        let device = found.device();
        assert_eq!((found.id, device.bytes, device.unit_bytes, device.block_bytes), (7, 4_096_000, 4096, 4096));
        assert_eq!((device.separate_metadata_bytes, device.protection_in_data), (0, false));
    }

    #[test]
    fn metadata_is_separate_or_interleaved() {
        let separate = parse(1, &identified(16, 9, 0, 0), None, true).unwrap().device();
        assert_eq!((separate.unit_bytes, separate.separate_metadata_bytes, separate.bytes), (512, 16, 512_000));
        let interleaved = parse(1, &identified(16, 9, 0x10, 0), None, true).unwrap().device();
        assert_eq!((interleaved.unit_bytes, interleaved.separate_metadata_bytes, interleaved.bytes), (528, 0, 528_000));
    }

    #[test]
    fn metadata_that_the_device_makes_is_not_transferred() {
        let data = identified(8, 12, 0x10, 1);
        let by_device = parse(1, &data, None, true).unwrap();
        assert_eq!((by_device.unit_bytes(), by_device.metadata_bytes), (4096, 0));
        let by_host = parse(1, &data, None, false).unwrap();
        assert_eq!((by_host.unit_bytes(), by_host.device().protection_in_data), (4104, true));
        // With more metadata than protection information, the host transfers all of it.
        assert_eq!(parse(1, &identified(64, 12, 0x10, 1), None, true).unwrap().unit_bytes(), 4160);
    }

    #[test]
    fn guard_is_of_the_extended_format() {
        let data = identified(16, 12, 0, 0x0b);
        let found = parse(1, &data, Some(&extended(2 << 7)), false).unwrap().protection.unwrap();
        assert_eq!((found.guard, found.kind, found.is_first), (Guard::Bits64, ProtectionType::Three, true));
        for unsupported in [1 << 7, 2 << 7 | 16] {
            let problem = parse(1, &data, Some(&extended(unsupported)), false);
            assert!(matches!(problem, Err(PassthroughProblem::StorageTag)), "{problem:?}");
        }
    }

    #[test]
    fn format_index_has_six_bits_if_there_are_more_than_16_formats() {
        let mut data = identified(0, 9, 0x03, 0);
        (data[25], data[26]) = (63, 0x23);
        data[128 + 4 * 19 + 2] = 12;
        assert_eq!(parse(1, &data, None, true).unwrap().block_bytes, 4096);
        data[25] = 15;
        assert_eq!(parse(1, &data, None, true).unwrap().block_bytes, 512);
    }

    #[test]
    fn placement_indices_choose_handles_of_the_device() {
        let handles = [10, 11, 12, 13];
        assert_eq!(choose_handles(&handles, &[]).unwrap(), handles);
        assert_eq!(choose_handles(&handles, &[0, 3]).unwrap(), [10, 13]);
        let beyond = choose_handles(&handles, &[1, 4]);
        assert!(matches!(beyond, Err(PassthroughProblem::PlacementIndex { index: 4, count: 4 })));
        assert_eq!(choose_handles(&[5; 200], &[]).unwrap().len(), 128);
    }
}
