//! Size of a SCSI disk, by the `SG_IO` request of its bsg device.

use std::io;
use std::os::fd::AsRawFd;

use crate::file::File;
use crate::linux::file::check;
use crate::linux::io::sg::capacity::{self, ANSWER_BYTES, Capacity};
use crate::linux::io::sg::command::Command;

const SG_IO: libc::Ioctl = 0x2285;
/// Interface 4 of `SG_IO`.
const GUARD: i32 = 'Q' as i32;
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

/// Reads the size of a disk.
///
/// # Errors
/// The file is no bsg device of a disk.
pub(super) fn read(file: &File) -> io::Result<Capacity> {
    let descriptor = file.descriptor();
    let capacity = capacity::read(|command| send(descriptor.as_raw_fd(), command))?;
    if capacity.block_bytes == 0 {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(capacity)
}

/// Sends a command that returns data.
fn send(fd: i32, command: &Command) -> io::Result<[u8; ANSWER_BYTES]> {
    let mut answer = [0u8; ANSWER_BYTES];
    let mut sense = [0u8; SENSE_BYTES];
    let mut header = Header {
        guard: GUARD,
        request_bytes: u32::from(command.length),
        request: command.bytes.as_ptr() as u64,
        response_bytes_max: SENSE_LENGTH,
        response: sense.as_mut_ptr() as u64,
        in_bytes: command.data_bytes,
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
