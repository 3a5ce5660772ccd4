//! Hashes of files, without what differs between two runs of the same program.

use std::path::Path;

/// First bytes of the header of a verified block, in memory order.
const MAGIC: [u8; 2] = 0xacca_u16.to_le_bytes();
/// Bytes of a header.
const HEADER: usize = 48;
/// Bytes of the header with the time of the write, and its checksum. It had other places before fio 3.42.
const TIMES: [std::ops::Range<usize>; 3] = [24..32, 36..40, 44..48];

/// Returns the hash of a file, or 0 if it cannot be read. Times in headers of verified blocks count as zero.
pub fn hash(path: &Path) -> u64 {
    let Ok(mut bytes) = std::fs::read(path) else { return 0 };
    clear_times(&mut bytes);
    fnv(&bytes)
}

/// Returns the FNV-1a hash of words of eight bytes. Data in `corpus/differential` has it.
pub fn fnv(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let mix = |hash: u64, chunk: &[u8]| (hash ^ word(chunk)).wrapping_mul(0x100_0000_01b3);
    let hash = bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ bytes.len() as u64).wrapping_mul(0x100_0000_01b3)
}

fn clear_times(bytes: &mut [u8]) {
    let mut at = 0;
    while at + HEADER <= bytes.len() {
        if bytes[at..].starts_with(&MAGIC) {
            TIMES.iter().for_each(|range| bytes[at..at + HEADER][range.clone()].fill(0));
            at += HEADER;
        } else {
            at += 1;
        }
    }
}
