//! Checksums of blocks, in the form in which fio stores them.

use crc::{Algorithm, CRC_7_MMC, CRC_16_ARC, CRC_64_REDIS, Crc, Table};
use digest::Digest;
use md5::Md5;
use plan::VerifyMethod;
use sha1::Sha1;
use sha2::Sha512;
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use twox_hash::XxHash32;

/// The polynomial of POSIX `cksum`, without the length and the final inversion.
const CRC_32_PLAIN: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x04c1_1db7,
    init: 0,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x89a1_897f,
    residue: 0,
};

static CRC_64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);
static CRC_32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_PLAIN);
static CRC_16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_ARC);
static CRC_7: Crc<u8, Table<16>> = Crc::<u8, Table<16>>::new(&CRC_7_MMC);

/// Largest checksum in bytes.
pub const SIZE_MAX: usize = 128;

/// Returns the size of a checksum in bytes. 0 for methods without one.
pub fn size(method: VerifyMethod) -> usize {
    match method {
        VerifyMethod::Header | VerifyMethod::PatternWithHeader | VerifyMethod::Pattern | VerifyMethod::Null => 0,
        VerifyMethod::Crc7 => 1,
        VerifyMethod::Crc16 => 2,
        VerifyMethod::Crc32 | VerifyMethod::Crc32c | VerifyMethod::Xxhash => 4,
        VerifyMethod::Crc64 => 8,
        VerifyMethod::Md5 => 16,
        VerifyMethod::Sha1 => 20,
        VerifyMethod::Sha3_224 => 28,
        VerifyMethod::Sha3_256 => 32,
        VerifyMethod::Sha3_384 => 48,
        VerifyMethod::Sha3_512 | VerifyMethod::Sha256 => 64,
        VerifyMethod::Sha512 => 128,
    }
}

/// Computes the checksum of data. `sum` has its size.
pub fn compute(method: VerifyMethod, data: &[u8], sum: &mut [u8]) {
    match method {
        VerifyMethod::Header | VerifyMethod::PatternWithHeader | VerifyMethod::Pattern | VerifyMethod::Null => {}
        VerifyMethod::Crc7 => sum[0] = CRC_7.checksum(data),
        VerifyMethod::Crc16 => sum.copy_from_slice(&CRC_16.checksum(data).to_le_bytes()),
        VerifyMethod::Crc32 => sum.copy_from_slice(&CRC_32.checksum(data).to_le_bytes()),
        VerifyMethod::Crc32c => sum.copy_from_slice(&crc32c(data).to_le_bytes()),
        VerifyMethod::Crc64 => sum.copy_from_slice(&CRC_64.checksum(data).to_le_bytes()),
        VerifyMethod::Xxhash => sum.copy_from_slice(&XxHash32::oneshot(1, data).to_le_bytes()),
        VerifyMethod::Md5 => sum.copy_from_slice(&Md5::digest(data)),
        VerifyMethod::Sha1 => {
            sum.copy_from_slice(&Sha1::digest(data));
            // fio stores the words in the order of the CPU.
            sum.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        }
        VerifyMethod::Sha3_224 => sum.copy_from_slice(&Sha3_224::digest(data)),
        VerifyMethod::Sha3_256 => sum.copy_from_slice(&Sha3_256::digest(data)),
        VerifyMethod::Sha3_384 => sum.copy_from_slice(&Sha3_384::digest(data)),
        VerifyMethod::Sha3_512 => sum.copy_from_slice(&Sha3_512::digest(data)),
        VerifyMethod::Sha256 => sha256(data, sum),
        VerifyMethod::Sha512 => sha512(data, sum),
    }
}

/// CRC-32C without the final inversion.
pub fn crc32c(data: &[u8]) -> u32 {
    !crc32c::crc32c(data)
}

/// fio's SHA-256: the length is in little-endian order, and only the lowest byte of each word of the state is stored. The
/// rest of the field is what remains of the last block.
fn sha256(data: &[u8], sum: &mut [u8]) {
    const BLOCK: usize = 64;
    let mut state =
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
    let whole = data.len() - data.len() % BLOCK;
    let mut tail = Tail::<{ 2 * BLOCK }>::new(&data[whole..], BLOCK, &(data.len() as u64 * 8).to_le_bytes());
    for bytes in [&data[..whole], tail.bytes()] {
        sha2::block_api::compress256(&mut state, bytes.as_chunks::<BLOCK>().0);
    }
    sum.copy_from_slice(tail.last(BLOCK));
    for (byte, word) in sum.iter_mut().zip(state) {
        *byte = word.to_le_bytes()[0];
    }
}

/// SHA-512, followed by what remains of the second half of the last block.
fn sha512(data: &[u8], sum: &mut [u8]) {
    const BLOCK: usize = 128;
    let whole = data.len() - data.len() % BLOCK;
    let mut tail = Tail::<{ 2 * BLOCK }>::new(&data[whole..], BLOCK, &(data.len() as u128 * 8).to_be_bytes());
    sum.copy_from_slice(tail.last(BLOCK));
    sum[..64].copy_from_slice(&Sha512::digest(data));
}

/// The padded end of a message: one or two blocks.
struct Tail<const MAX: usize> {
    bytes: [u8; MAX],
    len: usize,
}

impl<const MAX: usize> Tail<MAX> {
    fn new(rest: &[u8], block: usize, length: &[u8]) -> Self {
        let mut bytes = [0; MAX];
        bytes[..rest.len()].copy_from_slice(rest);
        bytes[rest.len()] = 0x80;
        let len = if rest.len() + 1 + length.len() <= block { block } else { 2 * block };
        bytes[len - length.len()..len].copy_from_slice(length);
        Tail { bytes, len }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn last(&mut self, block: usize) -> &[u8] {
        &self.bytes[self.len - block..self.len]
    }
}
