//! Random bytes at memory speed, and compressible buffers.

use random::hash_u64;

/// Four independent chains keep the multiplier busy. Each starts at a different multiple of the seed.
const LANES: [u64; 4] = [1, 2, 3, 5];
const WORD: usize = size_of::<u64>();

/// Fills a buffer from a seed. The same seed and length give the same bytes as in fio.
pub fn random(buffer: &mut [u8], seed: u64) {
    let mut lanes = LANES.map(|multiple| seed.wrapping_mul(multiple));
    let mut rows = buffer.chunks_exact_mut(LANES.len() * WORD);
    for row in &mut rows {
        for (word, lane) in row.chunks_exact_mut(WORD).zip(&mut lanes) {
            word.copy_from_slice(&lane.to_ne_bytes());
            *lane = hash_u64(*lane);
        }
    }
    let mut last = lanes[0];
    for word in rows.into_remainder().chunks_mut(WORD) {
        word.copy_from_slice(&last.to_ne_bytes()[..word.len()]);
        last = hash_u64(last);
    }
}

/// Repeats a pattern over a buffer. An empty pattern zeroes it.
pub(super) fn repeat(buffer: &mut [u8], pattern: &[u8]) {
    if pattern.is_empty() {
        buffer.fill(0);
        return;
    }
    let once = pattern.len().min(buffer.len());
    buffer[..once].copy_from_slice(&pattern[..once]);
    spread(buffer, once);
}

/// Repeats the first `filled` bytes over the rest of a buffer.
pub(super) fn spread(buffer: &mut [u8], mut filled: usize) {
    while filled < buffer.len() {
        let more = filled.min(buffer.len() - filled);
        buffer.copy_within(..more, filled);
        filled += more;
    }
}

/// Fills a chunk that is compressible by `percent`: random bytes first, then the pattern or zeroes.
pub fn compressible(chunk: &mut [u8], seed: u64, percent: u32, pattern: &[u8]) {
    let kept = chunk.len() as u64 * u64::from(100 - percent.min(100)) / 100;
    let (kept, rest) = chunk.split_at_mut(kept as usize);
    random(kept, seed);
    repeat(rest, pattern);
}
