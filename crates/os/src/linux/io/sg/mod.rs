//! `sg`: SCSI commands by the `SG_IO` request, on block devices and SCSI generic devices.

mod ata;
pub(super) mod capacity;
pub(super) mod command;
pub(crate) mod health;
mod log_page;

use std::io;
use std::ptr::null_mut;

use self::command::{Blocks, Command, unmap_parameters};
use super::files::{Files, RawFile};
use crate::file::File;
use crate::io::{BackendConfig, Execute, IoResult, Kind, Op};
use crate::linux::file::check;
use ::io::Scsi;

/// The `SG_IO` request of `scsi/sg.h`. The constants below are of the same header.
const SG_IO: libc::Ioctl = 0x2285;
const INTERFACE: i32 = 'S' as i32;
const NO_DATA: i32 = -1;
const TO_DEVICE: i32 = -2;
const FROM_DEVICE: i32 = -3;
/// `SG_INFO_CHECK`: the device, the host adapter or the driver reports an error.
const INFO_CHECK: u32 = 1;
/// The completion is polled.
const POLLED: u32 = 0x800;
/// Timeout of a command, as in fio.
const TIMEOUT_MS: u32 = 30_000;
const SENSE_LENGTH: u8 = 64;
const SENSE_BYTES: usize = SENSE_LENGTH as usize;

/// `struct sg_io_hdr` of `scsi/sg.h`.
#[derive(Default)]
#[repr(C)]
struct Header {
    interface: i32,
    direction: i32,
    command_length: u8,
    sense_length: u8,
    vectors: u16,
    data_bytes: u32,
    data: *mut u8,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    id: i32,
    user: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_written: u8,
    host_status: u16,
    driver_status: u16,
    residual: i32,
    duration_ms: u32,
    info: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Header>() == 88);

pub(crate) struct Sg {
    config: Scsi,
    /// Bytes of a block of each device.
    block_bytes: Vec<u32>,
}

impl Sg {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        Sg { config: config.scsi, block_bytes: vec![0; config.files as usize] }
    }
}

impl Execute for Sg {
    fn prepare(&mut self, index: u32, _: &File, fd: RawFile) -> io::Result<()> {
        let mut answer = [0u8; capacity::ANSWER_BYTES];
        let capacity =
            capacity::read(|command| send(fd, command, FROM_DEVICE, answer.as_mut_ptr(), false).map(|_| answer));
        self.block_bytes[index as usize] = capacity?.block_bytes;
        Ok(())
    }

    fn execute(&mut self, op: &Op, fd: i32, data: *mut u8, _: &Files) -> IoResult {
        let bytes = self.block_bytes[op.file as usize];
        if bytes == 0 || !op.len.is_multiple_of(bytes) || !op.offset.is_multiple_of(u64::from(bytes)) {
            return Err(libc::EINVAL);
        }
        let blocks = Blocks { first: op.offset / u64::from(bytes), count: op.len / bytes, bytes };
        let Some(command) = Command::of(op.kind, &self.config, blocks) else { return Err(libc::EINVAL) };
        let mut parameters = unmap_parameters(blocks);
        let data = if op.kind == Kind::Trim { parameters.as_mut_ptr() } else { data };
        let direction = match op.kind {
            _ if command.data_bytes == 0 => NO_DATA,
            Kind::Read => FROM_DEVICE,
            _ => TO_DEVICE,
        };
        match send(fd, &command, direction, data, self.config.hipri) {
            Err(error) => Err(error.raw_os_error().unwrap_or(libc::EIO)),
            Ok(residual) if op.kind.moves_data() && command.data_bytes == op.len => Ok(op.len.saturating_sub(residual)),
            Ok(_) => op.whole(),
        }
    }
}

/// The end of a command.
struct Outcome {
    is_good: bool,
    /// The device answered, perhaps with an error. Otherwise the transport failed, or the time was over.
    is_answered: bool,
    /// Bytes that were not transferred.
    residual: u32,
    sense: [u8; SENSE_BYTES],
}

/// Sends a command whose data is at `data`. Returns the bytes that were not transferred.
///
/// # Errors
/// Returns the error of the request, or EIO if the device reports one.
fn send(fd: i32, command: &Command, direction: i32, data: *mut u8, polled: bool) -> io::Result<u32> {
    let outcome = exchange(fd, command, direction, data, polled, TIMEOUT_MS)?;
    if outcome.is_good { Ok(outcome.residual) } else { Err(io::Error::from_raw_os_error(libc::EIO)) }
}

/// Sends a command whose data is at `data`.
///
/// # Errors
/// Returns the error of the request.
fn exchange(
    fd: i32,
    command: &Command,
    direction: i32,
    data: *mut u8,
    polled: bool,
    timeout_ms: u32,
) -> io::Result<Outcome> {
    let mut sense = [0u8; SENSE_BYTES];
    let mut header = Header {
        interface: INTERFACE,
        direction,
        command_length: command.length,
        sense_length: SENSE_LENGTH,
        data_bytes: command.data_bytes,
        data: if command.data_bytes == 0 { null_mut() } else { data },
        command: command.bytes.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms,
        flags: if polled { POLLED } else { 0 },
        ..Header::default()
    };
    // SAFETY: the pointers are to live values, and the caller's data has the length of the command's data. The request
    // returns after the device has used them.
    check(unsafe { libc::ioctl(fd, SG_IO, &raw mut header) })?;
    let is_good = header.status == 0 && header.info & INFO_CHECK == 0;
    let is_answered = header.host_status == 0;
    Ok(Outcome { is_good, is_answered, residual: header.residual.max(0).unsigned_abs(), sense })
}
