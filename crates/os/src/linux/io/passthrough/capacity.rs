//! Size of a SCSI disk, by the `SG_IO` request of its bsg device.

use std::io;
use std::os::fd::AsRawFd;

use crate::file::File;
use crate::linux::file::check;

const SG_IO: libc::Ioctl = 0x2285;
/// Interface 4 of `SG_IO`.
const GUARD: i32 = 'Q' as i32;
const READ_CAPACITY_10: u8 = 0x25;
const SERVICE_ACTION_IN_16: u8 = 0x9e;
const READ_CAPACITY_16: u8 = 0x10;
const ANSWER_LENGTH: u8 = 32;
const ANSWER_BYTES: usize = ANSWER_LENGTH as usize;
const SENSE_LENGTH: u32 = 64;
const SENSE_BYTES: usize = SENSE_LENGTH as usize;
const TIMEOUT_MS: u32 = 30_000;

/// `struct sg_io_v4` of `linux/bsg.h`.
#[derive(Default)]
#[repr(C)]
struct Header {
    guard: i32,
    protocol: u32,
    subprotocol: u32,
    request_bytes: u32,
    request: u64,
    request_tag: u64,
    request_attribute: u32,
    request_priority: u32,
    request_extra: u32,
    response_bytes_max: u32,
    response: u64,
    out_vectors: u32,
    out_bytes: u32,
    in_vectors: u32,
    in_bytes: u32,
    out_data: u64,
    in_data: u64,
    timeout_ms: u32,
    flags: u32,
    user: u64,
    spare_in: u32,
    driver_status: u32,
    transport_status: u32,
    device_status: u32,
    retry_delay: u32,
    info: u32,
    duration_ms: u32,
    response_bytes: u32,
    in_residual: i32,
    out_residual: i32,
    generated_tag: u64,
    spare_out: u32,
    padding: u32,
}

const _: () = assert!(size_of::<Header>() == 160);

/// Size of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Capacity {
    pub(super) blocks: u64,
    pub(super) block_bytes: u32,
}

/// Reads the size of a disk.
///
/// # Errors
/// The file is no bsg device of a disk.
pub(super) fn read(file: &File) -> io::Result<Capacity> {
    let descriptor = file.descriptor();
    let fd = descriptor.as_raw_fd();
    let mut short = [0; 10];
    short[0] = READ_CAPACITY_10;
    let answer = send(fd, &short)?;
    let mut capacity = Capacity { blocks: number(&answer[..4]) + 1, block_bytes: number_of_32_bits(&answer[4..8]) };
    if capacity.blocks > u64::from(u32::MAX) {
        let mut long = [0; 16];
        (long[0], long[1], long[13]) = (SERVICE_ACTION_IN_16, READ_CAPACITY_16, ANSWER_LENGTH);
        let answer = send(fd, &long)?;
        capacity =
            Capacity { blocks: number(&answer[..8]).saturating_add(1), block_bytes: number_of_32_bits(&answer[8..12]) };
    }
    if capacity.block_bytes == 0 {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(capacity)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn number_of_32_bits(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Sends a command that returns data.
fn send(fd: i32, command: &[u8]) -> io::Result<[u8; ANSWER_BYTES]> {
    let mut answer = [0u8; ANSWER_BYTES];
    let mut sense = [0u8; SENSE_BYTES];
    let mut header = Header {
        guard: GUARD,
        request_bytes: u32::try_from(command.len()).unwrap_or(0),
        request: command.as_ptr() as u64,
        response_bytes_max: SENSE_LENGTH,
        response: sense.as_mut_ptr() as u64,
        in_bytes: u32::from(ANSWER_LENGTH),
        in_data: answer.as_mut_ptr() as u64,
        timeout_ms: TIMEOUT_MS,
        ..Header::default()
    };
    // SAFETY: the addresses are those of live values with these lengths. The request returns after the device has used
    // them.
    check(unsafe { libc::ioctl(fd, SG_IO, &raw mut header) })?;
    if header.device_status != 0 || header.transport_status != 0 || header.driver_status != 0 {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(answer)
}
