//! The header of a verified block, as fio writes it.

use plan::VerifyMethod;

use super::checksum;

/// Bytes of a header without the checksum of the data.
pub const SIZE: usize = 48;

const MAGIC: u16 = 0xacca;
const VERSION: u8 = 0x81;
/// Position of the checksum of the header.
const CRC_AT: usize = 44;

/// The fields of a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub magic: u16,
    pub version: u8,
    /// Number of the method.
    pub method: u8,
    /// Bytes from this header to the next.
    pub len: u32,
    /// Seed of the data.
    pub seed: u64,
    /// Position in the file.
    pub offset: u64,
    pub time_s: u32,
    pub time_ns: u32,
    /// Number of the write in its job, from 0.
    pub number: u64,
    /// Number of the job.
    pub thread: u16,
    pub crc: u32,
}

impl Header {
    /// Writes the header. Two bytes of padding keep the data of the block.
    pub fn write(&self, bytes: &mut [u8]) {
        bytes[0..2].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[2] = VERSION;
        bytes[3] = self.method;
        bytes[4..8].copy_from_slice(&self.len.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.time_s.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.time_ns.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.number.to_le_bytes());
        bytes[40..42].copy_from_slice(&self.thread.to_le_bytes());
        let crc = checksum::crc32c(&bytes[..CRC_AT]);
        bytes[CRC_AT..SIZE].copy_from_slice(&crc.to_le_bytes());
    }

    /// Reads the fields, whatever they are.
    pub fn read(bytes: &[u8]) -> Header {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        Header {
            magic: (word(0) & 0xffff) as u16,
            version: bytes[2],
            method: bytes[3],
            len: word(4),
            seed: long(8),
            offset: long(16),
            time_s: word(24),
            time_ns: word(28),
            number: long(32),
            thread: (word(40) & 0xffff) as u16,
            crc: word(CRC_AT),
        }
    }

    pub fn has_magic(&self) -> bool {
        self.magic == MAGIC
    }

    pub fn has_version(&self) -> bool {
        self.version == VERSION
    }
}

/// Returns the checksum that the bytes of a header have.
pub fn crc_of(bytes: &[u8]) -> u32 {
    checksum::crc32c(&bytes[..CRC_AT])
}

/// Returns fio's number of a method.
pub fn method_number(method: VerifyMethod) -> u8 {
    match method {
        VerifyMethod::Header => 1,
        VerifyMethod::Md5 => 2,
        VerifyMethod::Crc64 => 3,
        VerifyMethod::Crc32 => 4,
        VerifyMethod::Crc32c => 5,
        VerifyMethod::Crc16 => 7,
        VerifyMethod::Crc7 => 8,
        VerifyMethod::Sha256 => 9,
        VerifyMethod::Sha512 => 10,
        VerifyMethod::Sha3_224 => 11,
        VerifyMethod::Sha3_256 => 12,
        VerifyMethod::Sha3_384 => 13,
        VerifyMethod::Sha3_512 => 14,
        VerifyMethod::Xxhash => 15,
        VerifyMethod::Sha1 => 16,
        VerifyMethod::PatternWithHeader => 17,
        VerifyMethod::Pattern => 18,
        VerifyMethod::Null => 19,
    }
}
