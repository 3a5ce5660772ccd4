//! Speed of the checksums.

use std::hint::black_box;

use plan::VerifyMethod;
use random::Tausworthe32;

use super::hashes::{fnv, jenkins, murmur3};
use super::{rate, warm_up};
use crate::verify::checksum::{SIZE_MAX, compute, size};

/// Block of one checksum, and the bytes of one figure: those of fio.
const BLOCK_BYTES: usize = 128 << 10;
const TOTAL_BYTES: usize = 256 << 20;
const SEED: u32 = 0x8989;

/// Returns the speed of a checksum in bytes per second. `None` if no checksum has this name.
pub fn checksum(name: &str) -> Option<f64> {
    let mut random = Tausworthe32::new(SEED);
    let block: Vec<u8> = (0..BLOCK_BYTES).map(|_| random.draw().to_le_bytes()[0]).collect();
    match name {
        "murmur3" => return Some(measure(&block, |block| u64::from(murmur3(block, SEED)))),
        "jhash" => return Some(measure(&block, |block| u64::from(jenkins(block, SEED)))),
        "fnv" => return Some(measure(&block, |block| fnv(block, u64::from(SEED)))),
        _ => {}
    }
    let method: VerifyMethod = name.parse().ok().filter(|method| size(*method) > 0)?;
    let (mut sum, bytes) = ([0; SIZE_MAX], size(method));
    Some(measure(&block, |block| {
        compute(method, block, &mut sum[..bytes]);
        u64::from(sum[0])
    }))
}

fn measure(block: &[u8], mut hash: impl FnMut(&[u8]) -> u64) -> f64 {
    let mut step = || {
        black_box(hash(black_box(block)));
    };
    warm_up(&mut step);
    rate(block.len(), TOTAL_BYTES, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_a_checksum_or_none() {
        assert_eq!(checksum("crc33"), None);
        assert!(checksum("crc32c").is_some_and(|rate| rate > 1e6));
    }
}
