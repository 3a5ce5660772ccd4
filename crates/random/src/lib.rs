//! Random generators with a seed. The same seed gives the same sequence as in fio, and with [`Jenkins64`] as in
//! DiskSpd.
//!
//! [`Tausworthe32`] and [`Tausworthe64`] are L'Ecuyer's combined generators. [`Lfsr`] is a linear feedback shift
//! register that returns each value of a range once. The skewed distributions [`Zipf`], [`Pareto`] and [`Normal`] use
//! [`Tausworthe32`].
//!
//! It must not depend on another crate. Start with `tausworthe.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod jenkins;
mod lfsr;
mod skewed;
mod tausworthe;
#[cfg(test)]
mod tests;

pub use jenkins::Jenkins64;
pub use lfsr::{Lfsr, LfsrError};
pub use skewed::{Normal, Pareto, Zipf};
pub use tausworthe::{Tausworthe, Tausworthe32, Tausworthe64};

/// Golden ratio in 64 bits. Multiplication by it spreads adjacent values.
const GOLDEN_RATIO_64: u64 = 0x61c8_8646_80b5_83eb;
const GOLDEN_RATIO_32: u32 = 0x61c8_8647;

/// Returns a multiplicative hash of a word.
#[inline]
pub fn hash_u64(value: u64) -> u64 {
    value.wrapping_mul(GOLDEN_RATIO_64)
}

/// Returns Jenkins' hash of a byte string, in fio's variant for file names: words contain one byte each instead of
/// four.
pub fn hash_name(name: &[u8]) -> u32 {
    let start = GOLDEN_RATIO_32.wrapping_add(name.len() as u32);
    let mut words = [start; 3];
    let mut rest = name;
    while rest.len() > 12 {
        for (word, at) in words.iter_mut().zip([0, 4, 8]) {
            *word = word.wrapping_add(u32::from(rest[at]));
        }
        mix(&mut words);
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return words[2];
    }
    for (at, &byte) in rest.iter().enumerate() {
        words[at / 4] = words[at / 4].wrapping_add(u32::from(byte) << (8 * (at % 4)));
    }
    finish(words)
}

fn mix(words: &mut [u32; 3]) {
    for (step, by) in [4, 6, 8, 16, 19, 4].into_iter().enumerate() {
        let (a, b, c) = (step % 3, (step + 1) % 3, (step + 2) % 3);
        words[a] = words[a].wrapping_sub(words[c]) ^ words[c].rotate_left(by);
        words[c] = words[c].wrapping_add(words[b]);
    }
}

fn finish(mut words: [u32; 3]) -> u32 {
    for (step, by) in [14, 11, 25, 16, 4, 14, 24].into_iter().enumerate() {
        let (to, from) = ((step + 2) % 3, (step + 1) % 3);
        words[to] = (words[to] ^ words[from]).wrapping_sub(words[from].rotate_left(by));
    }
    words[2]
}
