//! SCSI commands of operations, for bsg devices.

use super::command::ENTRY_BYTES;
use super::request::{DataBuffer, Request};
use crate::io::{Kind, Op};
use crate::linux::io::sg::command::{
    Blocks, Command, FUA, SYNCHRONIZE_CACHE_10, SYNCHRONIZE_CACHE_16, UNMAP_BYTES, unmap_parameters,
};
use ::io::{Bsg, ByteCheck, CommandLength};

/// Operation codes of 10 and 16 bytes, and the service action of 32 bytes (SBC-4).
struct Operation {
    short: u8,
    long: u8,
    service_action: u16,
}

const READ: Operation = Operation { short: 0x28, long: 0x88, service_action: 0x0009 };
const WRITE: Operation = Operation { short: 0x2a, long: 0x8a, service_action: 0x000b };
const VERIFY: Operation = Operation { short: 0x2f, long: 0x8f, service_action: 0x000a };
/// There is no pre-fetch of 32 bytes. The parser rejects it.
const PREFETCH: Operation = Operation { short: 0x34, long: 0x90, service_action: 0 };
const VARIABLE_LENGTH: u8 = 0x7f;
/// Bytes of a command of 32 bytes after the first eight.
const ADDITIONAL_BYTES: u8 = 0x18;
const COMMAND_BYTES: usize = 32;
const SENSE_LENGTH: u32 = 64;
const SENSE_BYTES: usize = SENSE_LENGTH as usize;
/// Status of a pre-fetch that completed.
const CONDITION_MET: u16 = 0x04;

/// Makes the commands of operations.
pub(super) struct Scsi {
    config: Bsg,
    /// Bytes of a block of each device. 0 if none is attached.
    pub(super) block_bytes: Vec<u32>,
    /// One per slot.
    memory: Vec<Memory>,
}

/// What the kernel reads and writes for a command.
#[derive(Clone, Copy)]
struct Memory {
    command: [u8; COMMAND_BYTES],
    sense: [u8; SENSE_BYTES],
    ranges: [u8; UNMAP_BYTES],
}

/// Direction and length of a transfer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transfer {
    Nothing,
    ToDevice(u32),
    FromDevice(u32),
}

impl Scsi {
    pub(super) fn new(config: &Bsg, slots: usize, files: u32) -> Self {
        let memory = Memory { command: [0; COMMAND_BYTES], sense: [0; SENSE_BYTES], ranges: [0; UNMAP_BYTES] };
        Scsi { config: *config, block_bytes: vec![0; files as usize], memory: vec![memory; slots] }
    }

    /// Keeps the memory of the slots until the process ends, for operations that never complete.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.memory));
    }

    /// Returns the command of an operation with its data in `data`.
    ///
    /// # Errors
    /// Returns the errno of an operation that has no command.
    pub(super) fn request(&mut self, op: &Op, data: DataBuffer) -> Result<Request, i32> {
        let bytes = *self.block_bytes.get(op.file as usize).ok_or(libc::EBADF)?;
        if bytes == 0 || !op.len.is_multiple_of(bytes) || !op.offset.is_multiple_of(u64::from(bytes)) {
            return Err(libc::EINVAL);
        }
        let blocks = Blocks { first: op.offset / u64::from(bytes), count: op.len / bytes, bytes };
        let memory = &mut self.memory[op.slot as usize];
        let (command, transfer) = command_of(op.kind, &self.config, blocks)?;
        memory.command = [0; COMMAND_BYTES];
        memory.command[..command.len()].copy_from_slice(&command);
        let address = if op.kind == Kind::Trim {
            memory.ranges = unmap_parameters(blocks);
            memory.ranges.as_ptr() as u64
        } else {
            data.address()
        };
        let bytes = entry(&memory.command, command.len(), &memory.sense, address, transfer);
        Ok(Request { code: 0, bytes, moves_data: false })
    }

    /// Returns the status of a completed command. 0 is success. The device's status is in the low byte, the host
    /// adapter's in the high one.
    pub(super) fn status(&self, op: &Op, completion: u64) -> u16 {
        let device = (completion & 0xff) as u16;
        let host = (completion >> 16 & 0xff) as u16;
        let is_met = op.kind == Kind::Read && self.config.prefetches && device == CONDITION_MET;
        host << 8 | if is_met { 0 } else { device }
    }
}

/// Returns `struct bsg_uring_cmd` of `linux/bsg.h`.
fn entry(
    command: &[u8; COMMAND_BYTES],
    command_bytes: usize,
    sense: &[u8; SENSE_BYTES],
    data: u64,
    transfer: Transfer,
) -> [u8; ENTRY_BYTES] {
    let mut bytes = [0; ENTRY_BYTES];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, &(command.as_ptr() as u64).to_ne_bytes());
    put(8, &u32::try_from(command_bytes).unwrap_or(0).to_ne_bytes());
    put(20, &SENSE_LENGTH.to_ne_bytes());
    put(24, &(sense.as_ptr() as u64).to_ne_bytes());
    match transfer {
        Transfer::Nothing => {}
        Transfer::ToDevice(length) => {
            put(32, &data.to_ne_bytes());
            put(40, &length.to_ne_bytes());
        }
        Transfer::FromDevice(length) => {
            put(48, &data.to_ne_bytes());
            put(56, &length.to_ne_bytes());
        }
    }
    bytes
}

/// Returns the command of an operation, and its transfer.
fn command_of(kind: Kind, config: &Bsg, blocks: Blocks) -> Result<(Vec<u8>, Transfer), i32> {
    let data_bytes = blocks.count * blocks.bytes;
    let fua = |is_set: bool| if is_set { FUA } else { 0 };
    match kind {
        Kind::Read if config.prefetches => Ok((of_blocks(&PREFETCH, config, blocks, 0)?, Transfer::Nothing)),
        Kind::Read => {
            let command = of_blocks(&READ, config, blocks, fua(config.read_fua))?;
            Ok((command, Transfer::FromDevice(data_bytes)))
        }
        Kind::Write => match config.verifies {
            None => {
                let command = of_blocks(&WRITE, config, blocks, fua(config.write_fua))?;
                Ok((command, Transfer::ToDevice(data_bytes)))
            }
            Some(check) => {
                let (bits, transfer) = match check {
                    ByteCheck::Nothing => (0, Transfer::Nothing),
                    ByteCheck::Data => (1, Transfer::ToDevice(data_bytes)),
                    ByteCheck::OneBlock => (3, Transfer::ToDevice(blocks.bytes)),
                };
                Ok((of_blocks(&VERIFY, config, blocks, bits << 1)?, transfer))
            }
        },
        Kind::Trim => {
            let command = Command::unmap();
            let bytes = &command.bytes[..usize::from(command.length)];
            Ok((bytes.to_vec(), Transfer::ToDevice(command.data_bytes)))
        }
        Kind::Fsync => {
            // Block 0 and a count of 0 are all blocks. There is no command of 32 bytes.
            let is_short = matches!(config.length, CommandLength::Automatic | CommandLength::Bytes10);
            let mut command = vec![0; if is_short { 10 } else { 16 }];
            command[0] = if is_short { SYNCHRONIZE_CACHE_10 } else { SYNCHRONIZE_CACHE_16 };
            Ok((command, Transfer::Nothing))
        }
        Kind::Fdatasync | Kind::SyncFileRange => Err(libc::EOPNOTSUPP),
    }
}

/// Returns a command on blocks. `flags` are those of byte 1, in a command of 32 bytes of byte 10.
fn of_blocks(operation: &Operation, config: &Bsg, blocks: Blocks, flags: u8) -> Result<Vec<u8>, i32> {
    let short = u32::try_from(blocks.first).ok().zip(u16::try_from(blocks.count).ok());
    let mut command;
    match (config.length, short) {
        (CommandLength::Automatic | CommandLength::Bytes10, Some((first, count))) => {
            command = vec![0; 10];
            (command[0], command[1]) = (operation.short, flags);
            command[2..6].copy_from_slice(&first.to_be_bytes());
            command[7..9].copy_from_slice(&count.to_be_bytes());
        }
        // The blocks do not fit into the requested command.
        (CommandLength::Bytes10, None) => return Err(libc::EINVAL),
        (CommandLength::Automatic | CommandLength::Bytes16, _) => {
            command = vec![0; 16];
            (command[0], command[1]) = (operation.long, flags);
            command[2..10].copy_from_slice(&blocks.first.to_be_bytes());
            command[10..14].copy_from_slice(&blocks.count.to_be_bytes());
        }
        (CommandLength::Bytes32, _) => {
            command = vec![0; 32];
            (command[0], command[7], command[10]) = (VARIABLE_LENGTH, ADDITIONAL_BYTES, flags);
            command[8..10].copy_from_slice(&operation.service_action.to_be_bytes());
            command[12..20].copy_from_slice(&blocks.first.to_be_bytes());
            command[28..32].copy_from_slice(&blocks.count.to_be_bytes());
        }
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Bsg =
        Bsg { length: CommandLength::Automatic, prefetches: false, read_fua: false, write_fua: false, verifies: None };

    fn blocks(first: u64, count: u32) -> Blocks {
        Blocks { first, count, bytes: 512 }
    }

    fn bytes(kind: Kind, config: Bsg, blocks: Blocks) -> Vec<u8> {
        command_of(kind, &config, blocks).map(|(command, _)| command).unwrap_or_default()
    }

    #[test]
    fn automatic_length_is_the_shortest_that_fits() {
        assert_eq!(bytes(Kind::Read, PLAIN, blocks(0x0102_0304, 0x10)), [0x28, 0, 1, 2, 3, 4, 0, 0, 0x10, 0]);
        let far = bytes(Kind::Write, PLAIN, blocks(0x1_0000_0000, 8));
        assert_eq!(far, [0x8a, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0]);
        let long = bytes(Kind::Read, PLAIN, blocks(1, 0x1_0000));
        assert_eq!(long, [0x88, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn requested_length_is_kept() {
        let of = |length| Bsg { length, read_fua: true, ..PLAIN };
        assert_eq!(bytes(Kind::Read, of(CommandLength::Bytes10), blocks(2, 4)), [0x28, 8, 0, 0, 0, 2, 0, 0, 4, 0]);
        let long = bytes(Kind::Read, of(CommandLength::Bytes16), blocks(2, 4));
        assert_eq!(long, [0x88, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0]);
        let longest = bytes(Kind::Read, of(CommandLength::Bytes32), blocks(2, 4));
        let expected =
            [0x7f, 0, 0, 0, 0, 0, 0, 0x18, 0, 9, 8, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4];
        assert_eq!(longest, expected);
        let too_far = command_of(Kind::Read, &of(CommandLength::Bytes10), blocks(0x1_0000_0000, 4));
        assert!(matches!(too_far, Err(libc::EINVAL)));
    }

    #[test]
    fn verify_transfers_what_it_compares() {
        let of = |check| Bsg { verifies: Some(check), ..PLAIN };
        let cases = [
            (ByteCheck::Nothing, 0, Transfer::Nothing),
            (ByteCheck::Data, 2, Transfer::ToDevice(2048)),
            (ByteCheck::OneBlock, 6, Transfer::ToDevice(512)),
        ];
        for (check, flags, transfer) in cases {
            let Ok((command, moved)) = command_of(Kind::Write, &of(check), blocks(2, 4)) else {
                panic!("it has a command")
            };
            assert_eq!(command, [0x2f, flags, 0, 0, 0, 2, 0, 0, 4, 0]);
            assert!(moved == transfer);
        }
        let long = Bsg { length: CommandLength::Bytes32, ..of(ByteCheck::Data) };
        let command = bytes(Kind::Write, long, blocks(2, 4));
        assert_eq!(command[7..12], [0x18, 0, 0x0a, 2, 0]);
    }

    #[test]
    fn prefetch_succeeds_with_condition_met() {
        let config = Bsg { prefetches: true, ..PLAIN };
        assert_eq!(bytes(Kind::Read, config, blocks(2, 4)), [0x34, 0, 0, 0, 0, 2, 0, 0, 4, 0]);
        let scsi = Scsi::new(&config, 1, 1);
        let op = |kind| Op { kind, ioprio: 0, file: 0, slot: 0, len: 512, skip: 0, offset: 0 };
        assert_eq!(scsi.status(&op(Kind::Read), 0x04), 0);
        assert_eq!(scsi.status(&op(Kind::Write), 0x04), 4);
        assert_eq!(scsi.status(&op(Kind::Read), 0x0007_0002), 0x702);
    }

    #[test]
    fn entry_has_the_addresses_of_command_sense_and_data() {
        let mut scsi = Scsi::new(&PLAIN, 2, 1);
        scsi.block_bytes[0] = 512;
        let op = |kind| Op { kind, ioprio: 0, file: 0, slot: 1, len: 2048, skip: 0, offset: 1024 };
        // SAFETY: nothing reads or writes the data.
        let data = unsafe { DataBuffer::new(0x7000 as *mut u8, 2048) };
        let number = |bytes: &[u8], at: usize| u64::from_ne_bytes(std::array::from_fn(|nth| bytes[at + nth]));
        let read = scsi.request(&op(Kind::Read), data).map(|request| request.bytes).unwrap_or([0; ENTRY_BYTES]);
        let memory = &scsi.memory[1];
        let (command, sense) = (memory.command.as_ptr() as u64, memory.sense.as_ptr() as u64);
        assert_eq!((number(&read, 0), number(&read, 24)), (command, sense));
        assert_eq!(read[8..24], [10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0]);
        assert_eq!((number(&read, 32), number(&read, 40)), (0, 0));
        assert_eq!((number(&read, 48), number(&read, 56)), (0x7000, 2048));
        assert_eq!(memory.command[..10], [0x28, 0, 0, 0, 0, 2, 0, 0, 4, 0]);
        let trim = scsi.request(&op(Kind::Trim), data).map(|request| request.bytes).unwrap_or([0; ENTRY_BYTES]);
        let memory = &scsi.memory[1];
        assert_eq!((number(&trim, 32), number(&trim, 40)), (memory.ranges.as_ptr() as u64, 24));
        assert_eq!(memory.command[..10], [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0]);
        assert_eq!(memory.ranges, [0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0]);
    }
}
