//! Series of values from a line of text, for example `100x8 120x8 noise=0.02 keeps=0.5 seed=3`.
//!
//! | part | meaning |
//! |---|---|
//! | `100x8` | 8 values at the level 100 |
//! | `9..1x20` | 20 values that fall from 9 to 1 |
//! | `noise=` | standard deviation of the noise, as a share of the level |
//! | `keeps=` | share of the noise that each value has in common with the value before |
//! | `seed=` | seed of the noise |

/// Returns `n` values of normal noise with a standard deviation of 1. They depend on the arguments only. `keeps` is the
/// correlation of each value with the value before.
pub fn noise(seed: u64, n: usize, keeps: f64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut last = 0.0;
    let mut next = || {
        let fresh = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        last = last * keeps + fresh * (1.0 - keeps * keeps).sqrt();
        last
    };
    let _settled = (0..20).map(|_| next()).last();
    (0..n).map(|_| next()).collect()
}

/// Returns the value of `name=VALUE` in the line; `None` without it.
///
/// # Panics
/// The value is not a number.
pub fn option(line: &str, name: &str) -> Option<f64> {
    line.split(' ').filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')).map(number).next()
}

/// Returns the values of a line.
///
/// # Panics
/// A level has no length, or a value is not a number.
pub fn values(line: &str) -> Vec<f64> {
    let value = |name: &str| option(line, name).unwrap_or(0.0);
    let words = line.split(' ').filter(|word| word.contains('x') && !word.contains('='));
    let level: Vec<f64> = words.flat_map(levels).collect();
    let noise = noise(value("seed") as u64, level.len(), value("keeps"));
    level.iter().zip(noise).map(|(level, noise)| level * (1.0 + noise * value("noise"))).collect()
}

/// Returns the values of `LEVELxLENGTH`, or of `FROM..TOxLENGTH`.
fn levels(word: &str) -> Vec<f64> {
    let (level, length) = word.split_once('x').unwrap_or_else(|| panic!("{word} has no length"));
    let (from, to) = level.split_once("..").unwrap_or((level, level));
    let (from, to, length) = (number(from), number(to), number(length));
    (0..length as usize).map(|at| from + (to - from) * at as f64 / (length - 1.0).max(1.0)).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}
