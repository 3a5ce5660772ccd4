//! SCSI commands, byte for byte (SBC-4, SPC-5).

use ::io::{Scsi, ScsiWrite};

use crate::io::Kind;

const READ_10: u8 = 0x28;
const READ_16: u8 = 0x88;
const WRITE_10: u8 = 0x2a;
const WRITE_16: u8 = 0x8a;
const WRITE_AND_VERIFY_10: u8 = 0x2e;
const WRITE_AND_VERIFY_16: u8 = 0x8e;
const VERIFY_10: u8 = 0x2f;
const VERIFY_16: u8 = 0x8f;
const WRITE_SAME_10: u8 = 0x41;
const WRITE_SAME_16: u8 = 0x93;
const WRITE_STREAM_16: u8 = 0x9a;
const UNMAP: u8 = 0x42;
pub(in crate::linux::io) const SYNCHRONIZE_CACHE_10: u8 = 0x35;
pub(in crate::linux::io) const SYNCHRONIZE_CACHE_16: u8 = 0x91;
const READ_CAPACITY_10: u8 = 0x25;
const SERVICE_ACTION_IN_16: u8 = 0x9e;
const READ_CAPACITY_16: u8 = 0x10;
const LOG_SENSE: u8 = 0x4d;
const ATA_PASS_THROUGH_16: u8 = 0x85;
/// Current cumulative values of a log page.
const CUMULATIVE: u8 = 1 << 6;
/// Protocols of a command for an ATA device (SAT-4, 13.2.3), and its length: 512 bytes per unit of the field count.
const NO_DATA_PROTOCOL: u8 = 3 << 1;
const PIO_IN_PROTOCOL: u8 = 4 << 1;
const LENGTH_IN_COUNT: u8 = 0x0e;
/// Answers with the registers of the ATA device.
const CHECK_CONDITION: u8 = 0x20;
/// The registers have 16 bits.
const EXTENDED: u8 = 1;
const ATA_SECTOR: u32 = 512;
/// Force unit access: the data is read from or written to the medium.
pub(in crate::linux::io) const FUA: u8 = 0x08;
/// No data-out buffer: the device writes zeroes.
const NDOB: u8 = 0x01;
/// Bytes of the parameters of [`UNMAP`] with one range.
pub(in crate::linux::io) const UNMAP_BYTES: usize = UNMAP_LENGTH as usize;
const UNMAP_LENGTH: u16 = 24;

/// A command and the length of its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::linux::io) struct Command {
    pub(in crate::linux::io) bytes: [u8; 16],
    /// 10 or 16.
    pub(in crate::linux::io) length: u8,
    pub(in crate::linux::io) data_bytes: u32,
}

/// Blocks of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::linux::io) struct Blocks {
    pub(in crate::linux::io) first: u64,
    pub(in crate::linux::io) count: u32,
    /// Bytes of a block.
    pub(in crate::linux::io) bytes: u32,
}

impl Command {
    fn new(operation: u8, length: u8, data_bytes: u32) -> Self {
        let mut bytes = [0; 16];
        bytes[0] = operation;
        Command { bytes, length, data_bytes }
    }

    /// Returns the command of 10 bytes if the blocks fit into it, else that of 16 bytes.
    fn of_blocks(operations: [u8; 2], blocks: Blocks, data_bytes: u32) -> Self {
        match (u32::try_from(blocks.first), u16::try_from(blocks.count)) {
            (Ok(first), Ok(count)) if first < u32::MAX => {
                let mut command = Command::new(operations[0], 10, data_bytes);
                command.bytes[2..6].copy_from_slice(&first.to_be_bytes());
                command.bytes[7..9].copy_from_slice(&count.to_be_bytes());
                command
            }
            _ => Command::of_many_blocks(operations[1], blocks, data_bytes),
        }
    }

    fn of_many_blocks(operation: u8, blocks: Blocks, data_bytes: u32) -> Self {
        let mut command = Command::new(operation, 16, data_bytes);
        command.bytes[2..10].copy_from_slice(&blocks.first.to_be_bytes());
        command.bytes[10..14].copy_from_slice(&blocks.count.to_be_bytes());
        command
    }

    fn with(mut self, flags: u8) -> Self {
        self.bytes[1] |= flags;
        self
    }

    /// Returns the command of an operation. `None` if the command has no room for the number of blocks.
    pub(in crate::linux::io) fn of(kind: Kind, config: &Scsi, blocks: Blocks) -> Option<Self> {
        Some(match kind {
            Kind::Read => {
                let flags = if config.read_fua { FUA } else { 0 };
                Command::of_blocks([READ_10, READ_16], blocks, blocks.count * blocks.bytes).with(flags)
            }
            Kind::Write => return Command::of_write(config, blocks),
            Kind::Trim => Command::unmap(),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => {
                // Block 0 and a count of 0 are all blocks.
                Command::of_blocks(
                    [SYNCHRONIZE_CACHE_10, SYNCHRONIZE_CACHE_16],
                    Blocks { first: 0, count: 0, ..blocks },
                    0,
                )
            }
        })
    }

    fn of_write(config: &Scsi, blocks: Blocks) -> Option<Self> {
        let data_bytes = blocks.count * blocks.bytes;
        let flags = if config.write_fua { FUA } else { 0 };
        let verify = |byte_check: u8, data_bytes| {
            Command::of_blocks([VERIFY_10, VERIFY_16], blocks, data_bytes).with(byte_check << 1)
        };
        Some(match config.write {
            ScsiWrite::Write => Command::of_blocks([WRITE_10, WRITE_16], blocks, data_bytes).with(flags),
            ScsiWrite::WriteAndVerify => {
                Command::of_blocks([WRITE_AND_VERIFY_10, WRITE_AND_VERIFY_16], blocks, data_bytes)
            }
            ScsiWrite::WriteSame => Command::of_blocks([WRITE_SAME_10, WRITE_SAME_16], blocks, blocks.bytes),
            ScsiWrite::WriteSameWithoutData => Command::of_many_blocks(WRITE_SAME_16, blocks, 0).with(NDOB),
            ScsiWrite::WriteStream { id } => {
                let mut command = Command::new(WRITE_STREAM_16, 16, data_bytes).with(flags);
                command.bytes[2..10].copy_from_slice(&blocks.first.to_be_bytes());
                command.bytes[10..12].copy_from_slice(&id.to_be_bytes());
                command.bytes[12..14].copy_from_slice(&u16::try_from(blocks.count).ok()?.to_be_bytes());
                command
            }
            ScsiWrite::VerifyMedium => verify(0, 0),
            ScsiWrite::VerifyData => verify(1, data_bytes),
            ScsiWrite::VerifyBlock => verify(3, blocks.bytes),
        })
    }

    /// Returns `UNMAP` for one range.
    pub(in crate::linux::io) fn unmap() -> Self {
        let mut command = Command::new(UNMAP, 10, u32::from(UNMAP_LENGTH));
        command.bytes[7..9].copy_from_slice(&UNMAP_LENGTH.to_be_bytes());
        command
    }

    /// Returns `READ CAPACITY` for a device whose blocks have 32-bit numbers.
    pub(in crate::linux::io) fn capacity(data_bytes: u32) -> Self {
        Command::new(READ_CAPACITY_10, 10, data_bytes)
    }

    /// Returns `READ CAPACITY (16)`.
    pub(in crate::linux::io) fn large_capacity(data_bytes: u32) -> Self {
        let mut command = Command::new(SERVICE_ACTION_IN_16, 16, data_bytes).with(READ_CAPACITY_16);
        command.bytes[10..14].copy_from_slice(&data_bytes.to_be_bytes());
        command
    }

    /// Returns `LOG SENSE` for a log page (SPC-5, 6.7).
    pub(in crate::linux::io) fn log_page(page: u8, data_bytes: u16) -> Self {
        let mut command = Command::new(LOG_SENSE, 10, u32::from(data_bytes));
        command.bytes[2] = CUMULATIVE | page;
        command.bytes[7..9].copy_from_slice(&data_bytes.to_be_bytes());
        command
    }

    /// Returns `ATA PASS-THROUGH (16)` for a command that reads a sector, or for one without data that answers with its registers.
    pub(in crate::linux::io) fn ata(command: u8, features: u8, lba: [u8; 3], is_read: bool) -> Self {
        let mut sent = Command::new(ATA_PASS_THROUGH_16, 16, if is_read { ATA_SECTOR } else { 0 });
        (sent.bytes[1], sent.bytes[2]) =
            if is_read { (PIO_IN_PROTOCOL, LENGTH_IN_COUNT) } else { (NO_DATA_PROTOCOL, CHECK_CONDITION) };
        (sent.bytes[4], sent.bytes[6]) = (features, u8::from(is_read));
        (sent.bytes[8], sent.bytes[10], sent.bytes[12]) = (lba[0], lba[1], lba[2]);
        sent.bytes[14] = command;
        sent
    }

    /// Changes a command for an ATA device to one with registers of 16 bits.
    pub(in crate::linux::io) fn extended(self) -> Self {
        self.with(EXTENDED)
    }
}

/// Returns the parameters of `UNMAP` for a range.
pub(in crate::linux::io) fn unmap_parameters(blocks: Blocks) -> [u8; UNMAP_BYTES] {
    let mut bytes = [0; UNMAP_BYTES];
    bytes[..2].copy_from_slice(&(UNMAP_LENGTH - 2).to_be_bytes());
    bytes[2..4].copy_from_slice(&16u16.to_be_bytes());
    bytes[8..16].copy_from_slice(&blocks.first.to_be_bytes());
    bytes[16..20].copy_from_slice(&blocks.count.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(first: u64, count: u32) -> Blocks {
        Blocks { first, count, bytes: 512 }
    }

    fn write(write: ScsiWrite) -> Scsi {
        Scsi { write, write_fua: true, ..Scsi::default() }
    }

    fn bytes(command: Option<Command>) -> (Vec<u8>, u32) {
        let command = command.unwrap();
        (command.bytes[..command.length as usize].to_vec(), command.data_bytes)
    }

    #[test]
    fn reads_have_10_bytes_if_the_blocks_fit() {
        let config = Scsi { read_fua: true, ..Scsi::default() };
        let small = Command::of(Kind::Read, &config, blocks(0x0102_0304, 0x10));
        assert_eq!(bytes(small), (vec![0x28, 8, 1, 2, 3, 4, 0, 0, 0x10, 0], 0x2000));
        let far = Command::of(Kind::Read, &Scsi::default(), blocks(0x1_0000_0000, 8));
        assert_eq!(bytes(far), (vec![0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0], 4096));
        let long = Command::of(Kind::Read, &Scsi::default(), blocks(1, 0x1_0000));
        assert_eq!(long.unwrap().bytes[..14], [0x88, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0]);
    }

    #[test]
    fn writes_are_the_commands_of_their_mode() {
        let of = |mode| bytes(Command::of(Kind::Write, &write(mode), blocks(2, 4)));
        assert_eq!(of(ScsiWrite::Write), (vec![0x2a, 8, 0, 0, 0, 2, 0, 0, 4, 0], 2048));
        assert_eq!(of(ScsiWrite::WriteAndVerify), (vec![0x2e, 0, 0, 0, 0, 2, 0, 0, 4, 0], 2048));
        assert_eq!(of(ScsiWrite::WriteSame), (vec![0x41, 0, 0, 0, 0, 2, 0, 0, 4, 0], 512));
        let same = vec![0x93, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0];
        assert_eq!(of(ScsiWrite::WriteSameWithoutData), (same, 0));
        let stream = vec![0x9a, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 7, 0, 4, 0, 0];
        assert_eq!(of(ScsiWrite::WriteStream { id: 7 }), (stream, 2048));
        // The command has 16 bits for the number of blocks.
        let large = Command::of(Kind::Write, &write(ScsiWrite::WriteStream { id: 7 }), blocks(2, 0x1_0000));
        assert!(large.is_none());
        assert_eq!(of(ScsiWrite::VerifyMedium), (vec![0x2f, 0, 0, 0, 0, 2, 0, 0, 4, 0], 0));
        assert_eq!(of(ScsiWrite::VerifyData), (vec![0x2f, 2, 0, 0, 0, 2, 0, 0, 4, 0], 2048));
        assert_eq!(of(ScsiWrite::VerifyBlock), (vec![0x2f, 6, 0, 0, 0, 2, 0, 0, 4, 0], 512));
    }

    #[test]
    fn health_is_read_by_log_pages_and_ata_commands() {
        let page = Command::log_page(0x0d, 0x0204);
        assert_eq!(bytes(Some(page)), (vec![0x4d, 0, 0x4d, 0, 0, 0, 0, 2, 4, 0], 0x204));
        // SMART RETURN STATUS, and a page of the device statistics by READ LOG EXT.
        let status = Command::ata(0xb0, 0xda, [0, 0x4f, 0xc2], false);
        let expected = vec![0x85, 6, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0];
        assert_eq!(bytes(Some(status)), (expected, 0));
        let log = Command::ata(0x2f, 0, [4, 7, 0], true).extended();
        assert_eq!(bytes(Some(log)), (vec![0x85, 9, 0x0e, 0, 0, 0, 1, 0, 4, 0, 7, 0, 0, 0, 0x2f, 0], 512));
    }

    #[test]
    fn trims_and_syncs_have_their_parameters() {
        let trim = Command::of(Kind::Trim, &Scsi::default(), blocks(9, 3));
        assert_eq!(bytes(trim), (vec![0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0], 24));
        let parameters = unmap_parameters(blocks(9, 3));
        assert_eq!(parameters, [0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 0]);
        let sync = Command::of(Kind::Fsync, &Scsi::default(), blocks(9, 3));
        assert_eq!(bytes(sync), (vec![0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0));
        assert_eq!(Command::large_capacity(32).bytes[..14], [0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32]);
    }
}
